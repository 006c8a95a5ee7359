/** What somebody has asked for cannot be had. The message says why, to that person. */
export class NotPossible extends Error {}
