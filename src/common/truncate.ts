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

/** Cuts to a number of UTF-16 units. Half a character at the cut becomes what a receiver of JSON would make of it. */
export function clip(text: string, units: number): string {
  return text.slice(0, units).toWellFormed();
}

/** Takes off the line ends at the end, which files tend to have. In time that grows with their number: `/[\r\n]+$/` would take its square. */
export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
