const SHA256 = /^[0-9a-f]{64}$/;

/** Returns whether a text is a SHA-256 as blobs are named by: nothing else becomes part of a path. */
export function isSha256(text: string): boolean {
  return SHA256.test(text);
}
