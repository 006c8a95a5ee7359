type Group =
  | ('western' | 'asian' | 'complex' | 'right-to-left')
  | ('digits' | 'other digits' | 'terminators' | 'signs' | 'symbols' | 'breaks');

/** A letter of a script that is written from right to left. */
export const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** All of it in one group, and nothing to look at. */
const WESTERN = /^[\t-~\u00a0-\u024f\u1e00-\u1eff\u2010-\u2026]*$/;
const LETTERS = ['western', 'right-to-left', 'asian', 'complex'] as const satisfies Group[];
/** Traits of a character, which may have several. */
const TRAITS = {
  western: /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}]/u,
  'right-to-left': RIGHT_TO_LEFT,
  asian:
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u,
  complex: /^\p{L}/u,
  symbol: /^\p{So}/u,
  digit: /^[0-9]/,
  otherDigit: /^(?![0-9])\p{Nd}/u,
  /** European terminators (Unicode Standard Annex 9, ET): beside digits they run in the direction of these, or not. */
  terminator: /^[#$%\u00a2-\u00a5\u00b0\u2030-\u2034\u20a0-\u20cf]/u,
  sign: /^[!-~]/,
  break: /^[\t\n\r]/,
  blankOrMark: /^[\p{Zs}\p{M}\u200c\u200d]/u,
};
type Trait = keyof typeof TRAITS;
const BITS = Object.fromEntries(Object.keys(TRAITS).map((name, index) => [name, 1 << index])) as Record<Trait, number>;
/** The bits of the traits of each code point that was met, and one more that says so. */
const met = new Uint16Array(0x110000);
const MET = 1 << 15;

function getTraits(code: number): number {
  const known = met[code];
  if (known) return known;
  const character = String.fromCodePoint(code);
  let traits = MET;
  for (const name of Object.keys(TRAITS) as Trait[]) if (TRAITS[name].test(character)) traits |= BITS[name];
  met[code] = traits;
  return traits;
}

/**
 * Cuts a text wherever LibreOffice may cut it: where letters of another group of scripts (ODF 1.3 part 3, 20.368) or of
 * another direction begin, and digits and signs behind letters that are not western.
 * @param before the text in front of it
 */
export function scriptGroups(text: string, before = ''): string[] {
  if (WESTERN.test(text) && WESTERN.test(before)) return [text];
  let current: Group | undefined;
  for (const character of before) current = next(current, character.codePointAt(0) ?? 0);
  const pieces: string[] = [];
  let start = 0;
  for (let index = 0, code = 0; index < text.length; index += code > 0xffff ? 2 : 1) {
    code = text.codePointAt(index) ?? 0;
    const group = next(current, code);
    if (group !== current && index > start && !(current === undefined && group === 'western')) {
      pieces.push(text.slice(start, index));
      start = index;
    }
    current = group;
  }
  return [...pieces, text.slice(start)];
}

/** The group of a character behind one of the group `current`. */
function next(current: Group | undefined, code: number): Group | undefined {
  const traits = getTraits(code);
  const is = (name: Trait): boolean => (traits & BITS[name]) !== 0;
  if (is('otherDigit')) return 'other digits';
  for (const letters of LETTERS) if (is(letters)) return letters;
  if (current === undefined) return is('symbol') ? 'symbols' : undefined;
  if (current === 'western') return current;
  const isNumber = current === 'digits' || current === 'other digits' || current === 'terminators';
  if (!isNumber && is('blankOrMark')) return current;
  if (is('digit')) return 'digits';
  if (is('terminator')) return 'terminators';
  if (is('break')) return 'breaks';
  return is('sign') ? 'signs' : 'symbols';
}
