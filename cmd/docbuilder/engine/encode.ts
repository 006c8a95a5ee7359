import type { Encoding } from '../formats.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const UNKNOWN = 0x3f;

/**
 * A function that turns one piece of text after the other into bytes of `encoding`. UTF-16 starts with a byte order
 * mark, UTF-8 does not. A character that the set does not have becomes a question mark.
 */
export function encoder(encoding: Encoding): (text: string) => Buffer {
  switch (encoding) {
    case 'utf-8':
      return (text) => Buffer.from(text, 'utf8');
    case 'utf-16le':
      return withMark((text) => Buffer.from(text, 'utf16le'));
    case 'utf-16be':
      return withMark((text) => Buffer.from(text, 'utf16le').swap16());
    default:
      return singleByteEncoder(encoding);
  }
}

function withMark(encode: (text: string) => Buffer): (text: string) => Buffer {
  let started = false;
  return (text) => {
    const marked = started ? text : BYTE_ORDER_MARK + text;
    started = true;
    return encode(marked);
  };
}

function singleByteEncoder(encoding: 'windows-1258' | 'windows-1252'): (text: string) => Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number>();
  for (let byte = 255; byte >= 0; byte--) bytes.set(decoder.decode(Uint8Array.of(byte)), byte);
  const known = new Map<string, readonly number[]>();
  const encode = (character: string): readonly number[] => {
    const found = known.get(character) ?? toBytes(character, bytes);
    known.set(character, found);
    return found;
  };
  return (text) => Buffer.from(Array.from(text, encode).flat());
}

/**
 * The bytes of one character. Windows-1258 has letters such as `ê` and combining tone marks, but not `ế`: that is a
 * letter and a mark in it.
 */
function toBytes(character: string, bytes: ReadonlyMap<string, number>): readonly number[] {
  const own = bytes.get(character);
  if (own !== undefined) return [own];
  const parts = Array.from(character.normalize('NFD'));
  for (const mark of parts.slice(1)) {
    const letter = parts
      .filter((part) => part !== mark)
      .join('')
      .normalize('NFC');
    const pair = [bytes.get(letter), bytes.get(mark)];
    if (pair.every((byte) => byte !== undefined)) return pair;
  }
  return [UNKNOWN];
}
