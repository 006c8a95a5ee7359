/** Cuts to a number of UTF-8 bytes without splitting a character, and without white space at the end. */
export function truncate(text: string, bytes: number): string {
  let length = 0;
  let cut = '';
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    cut += character;
  }
  return cut.trimEnd();
}
