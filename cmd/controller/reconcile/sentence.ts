/** The words of others with a full stop: more sentences follow them. */
export function asSentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
