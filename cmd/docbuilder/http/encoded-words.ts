/** One word, and the space between it and a next one, which is not part of the text. */
const WORD = /=\?utf-8\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?utf-8\?))?/gi;

/**
 * A file's name with its encoded words (RFC 2047) decoded. RFC 7578 knows no such names, but Java's Spring and .NET send
 * them: `=?UTF-8?Q?B=C3=A1o_c=C3=A1o.csv?=`.
 */
export function decodeWords(name: string): string {
  return name.replace(WORD, (_, encoding: string, text: string) => {
    return (encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedPrintable(text)).toString('utf8');
  });
}

function quotedPrintable(text: string): Buffer {
  const bytes = text
    .replaceAll('_', ' ')
    .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
