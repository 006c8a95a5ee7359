/** Characters that never combine with those before them: those below the combining marks, and ideographs. */
const STARTER = /[\0-\u02ff\u3400-\u9fff]/;
/** No language has a longer text without a place to cut. */
const MAX_RUN = 1024 * 1024;

/**
 * Returns the last index at which text can be cut so that both pieces can be normalized alone (Unicode Standard Annex 15,
 * section 9); 0 if there is none.
 * @param searched number of characters at the beginning that have no such index
 */
export function cutBeforeStarter(text: string, searched = 0): number {
  return cutBefore(text, (character) => STARTER.test(character), searched);
}

/** Returns the last index above 0 of a character that `isPlace` accepts; 0 if there is none. */
export function cutBefore(text: string, isPlace: (character: string) => boolean, searched = 0): number {
  for (let index = text.length - 1; index >= Math.max(1, searched); index--) {
    if (isPlace(text.charAt(index))) return index;
  }
  if (text.length <= MAX_RUN) return 0;
  const isHalf = /[\ud800-\udbff]$/.test(text.slice(-1));
  return isHalf ? text.length - 1 : text.length;
}

/** More marks on one letter than any language has (Unicode Standard Annex 15, section 13). */
const MAX_MARKS = 30;
const LONG_RUN = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');
const STRETCH = new RegExp(`\\P{M}*\\p{M}{0,${MAX_MARKS}}`, 'gu');

/**
 * Returns text in a normalization form. Sorting a run of marks takes quadratic time, so each 30 marks of a longer run are
 * normalized alone.
 */
export function normalized(text: string, form: 'NFC' | 'NFD'): string {
  if (!LONG_RUN.test(text)) return text.normalize(form);
  return (text.match(STRETCH) ?? []).map((stretch) => stretch.normalize(form)).join('');
}
