type Group =
  | ('western' | 'asian' | 'complex' | 'right-to-left')
  | ('digits' | 'other digits' | 'terminators' | 'signs' | 'symbols' | 'breaks');

/** A letter of a script that is written from right to left. */
export const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const LETTERS: readonly [Group, RegExp][] = [
  ['western', /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}]/u],
  ['right-to-left', RIGHT_TO_LEFT],
  [
    'asian',
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u,
  ],
  ['complex', /^\p{L}/u],
];
/** All of it in one group, and nothing to look at. */
const WESTERN = /^[\t-~\u00a0-\u024f\u1e00-\u1eff\u2010-\u2026]*$/;
const SYMBOL = /^\p{So}/u;
const DIGIT = /^[0-9]/;
const OTHER_DIGIT = /^\p{Nd}/u;
/** European terminators (Unicode Standard Annex 9, ET): beside digits they run in the direction of these, or not. */
const TERMINATOR = /^[#$%\u00a2-\u00a5\u00b0\u2030-\u2034\u20a0-\u20cf]/u;
const SIGN = /^[!-~]/;
const BREAK = /^[\t\n\r]/;
const BLANK_OR_MARK = /^[\p{Zs}\p{M}\u200c\u200d]/u;

/**
 * Cuts a text wherever LibreOffice may cut it: where letters of another group of scripts (ODF 1.3 part 3, 20.368) or of
 * another direction begin, and digits and signs behind letters that are not western.
 * @param before the text in front of it
 */
export function scriptGroups(text: string, before = ''): string[] {
  if (WESTERN.test(text) && WESTERN.test(before)) return [text];
  let current = [...before].reduce<Group | undefined>(next, undefined);
  const pieces: string[] = [];
  let piece = '';
  for (const character of text) {
    const group = next(current, character);
    if (group !== current && piece !== '' && !(current === undefined && group === 'western')) {
      pieces.push(piece);
      piece = '';
    }
    current = group;
    piece += character;
  }
  return [...pieces, piece];
}

/** The group of a character behind one of the group `current`. */
function next(current: Group | undefined, character: string): Group | undefined {
  if (!DIGIT.test(character) && OTHER_DIGIT.test(character)) return 'other digits';
  const letters = LETTERS.find(([, pattern]) => pattern.test(character))?.[0];
  if (letters) return letters;
  if (current === undefined) return SYMBOL.test(character) ? 'symbols' : undefined;
  if (current === 'western') return current;
  const isNumber = current === 'digits' || current === 'other digits' || current === 'terminators';
  if (!isNumber && BLANK_OR_MARK.test(character)) return current;
  if (DIGIT.test(character)) return 'digits';
  if (TERMINATOR.test(character)) return 'terminators';
  if (BREAK.test(character)) return 'breaks';
  return SIGN.test(character) ? 'signs' : 'symbols';
}
