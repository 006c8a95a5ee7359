/** The person at the terminal has asked for something that cannot be had. The message tells them why. */
export class NotPossible extends Error {}
