export const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Text that is all in one group. */
const WESTERN = /^[\t-~\u00a0-\u024f\u1e00-\u1eff\u2010-\u2026]*$/;
/** Groups of characters; the first match counts. All others are symbols. */
const GROUPS = [
  ['other digits', /[\p{Nd}--[0-9]]/v],
  ['western', /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}]/u],
  ['right-to-left', RIGHT_TO_LEFT],
  [
    'asian',
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u,
  ],
  ['complex', /\p{L}/u],
  ['blanks', /[\p{Zs}\p{M}\u200c\u200d]/u],
  ['digits', /[0-9]/],
  // European terminators (Unicode Standard Annex 9, ET): their direction may be that of digits beside them.
  ['terminators', /[#$%\u00a2-\u00a5\u00b0\u2030-\u2034\u20a0-\u20cf]/],
  ['breaks', /[\t\n\r]/],
  ['signs', /[!-~]/],
] as const;
type Group = (typeof GROUPS)[number][0] | 'symbols';
const LETTERS: ReadonlySet<Group> = new Set(['other digits', 'western', 'right-to-left', 'asian', 'complex']);
const NUMBERS: ReadonlySet<Group> = new Set(['digits', 'other digits', 'terminators']);

/**
 * Cuts a text wherever LibreOffice may cut it: where letters of another group of scripts (ODF 1.3 part 3, 20.368) or of
 * another direction begin, and at digits and signs behind letters that are not western.
 * @param before the text in front of it
 */
export function scriptGroups(text: string, before = ''): string[] {
  if (WESTERN.test(text) && WESTERN.test(before)) return [text];
  let current: Group | undefined;
  for (const character of before) current = next(current, character);
  const pieces: string[] = [];
  let start = 0;
  let index = 0;
  for (const character of text) {
    const group = next(current, character);
    if (group !== current && index > start && !(current === undefined && group === 'western')) {
      pieces.push(text.slice(start, index));
      start = index;
    }
    current = group;
    index += character.length;
  }
  return [...pieces, text.slice(start)];
}

/** The group of a character behind one of the group `current`. */
function next(current: Group | undefined, character: string): Group | undefined {
  const group = GROUPS.find(([, characters]) => characters.test(character))?.[0] ?? 'symbols';
  if (LETTERS.has(group)) return group;
  if (current === undefined) return /\p{So}/u.test(character) ? 'symbols' : undefined;
  if (current === 'western') return current;
  if (group !== 'blanks') return group;
  return NUMBERS.has(current) ? 'symbols' : current;
}
