/** Random names have 32 digits; those of before were SHA-256. */
const NAME = /^([0-9a-f]{32}|[0-9a-f]{64})$/;

/** Returns whether a text is a name of a blob: nothing else becomes part of a path. */
export function isBlobName(text: string): boolean {
  return NAME.test(text);
}

/** @throws {TypeError} for a text that is none */
export function checkBlobName(text: string): string {
  if (!isBlobName(text)) throw new TypeError('not a name of a blob');
  return text;
}
