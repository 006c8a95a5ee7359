/** Cuts to UTF-8 bytes without splitting a character, and trims the end. */
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

/** Cuts to UTF-16 units; half a character becomes a replacement character, as in JSON. */
export function clip(text: string, units: number): string {
  return text.slice(0, units).toWellFormed();
}

/** Removes line ends at the end in linear time; `/[\r\n]+$/` takes quadratic time. */
export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && '\r\n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
