/**
 * Vietnamese text as windows-1258 has it: letters with their own marks (â ă ê ô ơ ư đ) are one byte, tone marks are a
 * byte of their own behind the letter. For tests: the product only reads it.
 */
const TONES: Record<string, number> = {
  '\u0300': 0xcc,
  '\u0309': 0xd2,
  '\u0303': 0xde,
  '\u0301': 0xec,
  '\u0323': 0xf2,
};
const LETTERS: Record<string, number> = {
  ...{ Â: 0xc2, Ă: 0xc3, Ê: 0xca, Ô: 0xd4, Ơ: 0xd5, Ư: 0xdd, Đ: 0xd0 },
  ...{ â: 0xe2, ă: 0xe3, ê: 0xea, ô: 0xf4, ơ: 0xf5, ư: 0xfd, đ: 0xf0, '₫': 0xfe },
};

/** Every letter of the Vietnamese alphabet with every tone, in normalization form C. */
export const VIETNAMESE_LETTERS: string[] = [...'aăâeêioôơuưyAĂÂEÊIOÔƠUƯY']
  .flatMap((vowel) => ['', ...Object.keys(TONES)].map((tone) => (vowel + tone).normalize('NFC')))
  .concat('đ', 'Đ');

export function windows1258(text: string): Buffer {
  return Buffer.from([...text].flatMap(toBytes));
}

function toBytes(character: string): number[] {
  if (character.charCodeAt(0) < 0x80) return [character.charCodeAt(0)];
  const whole = LETTERS[character];
  if (whole !== undefined) return [whole];
  // The tone is the mark that is no part of the letter; the two come apart in either order (ệ: e, dot, circumflex).
  const marks = [...character.normalize('NFD')];
  const tone = marks.find((mark) => mark in TONES);
  if (tone === undefined) throw new RangeError(`not in windows-1258: ${character}`);
  const letter = marks
    .filter((mark) => mark !== tone)
    .join('')
    .normalize('NFC');
  return [...toBytes(letter), TONES[tone] ?? 0];
}
