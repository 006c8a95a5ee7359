/** Below the combining marks every character begins anew: nothing before it can combine with it. Ideographs do neither. */
const STARTER = /[\0-\u02ff\u3400-\u9fff]/;
/** So long a run without one place to cut is no text in any language. */
const MAX_RUN = 1024 * 1024;

/**
 * Returns the position at which text that arrives in pieces can be cut so that each piece can be normalized alone
 * (Unicode Standard Annex 15, section 9): before the last character that surely combines with nothing before it.
 * @param searched characters at the beginning, in which no such place was found before
 * @returns an index; 0 if there is no such place yet
 */
export function cutBeforeStarter(text: string, searched = 0): number {
  return cutBefore(text, (character) => STARTER.test(character), searched);
}

/** Returns the position of the last of some characters, behind the first one; 0 if there is none yet. */
export function cutBefore(text: string, isPlace: (character: string) => boolean, searched = 0): number {
  for (let index = text.length - 1; index >= Math.max(1, searched); index--) {
    if (isPlace(text.charAt(index))) return index;
  }
  return text.length > MAX_RUN ? lastWholeCharacter(text) : 0;
}

/** Never between the two halves of a character. */
function lastWholeCharacter(text: string): number {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.length - 1 : text.length;
}

/** More marks on one letter than any language has (Unicode Standard Annex 15, section 13). */
const MAX_MARKS = 30;
const LONG_RUN = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');
const STRETCH = new RegExp(`\\P{M}*\\p{M}{0,${MAX_MARKS}}`, 'gu');

/**
 * Text in a normalization form, in time that its length bounds: marks are sorted by comparing each with all before it,
 * so of a longer run each 30 are normalized for themselves. That is as far as any text with a meaning goes.
 */
export function normalized(text: string, form: 'NFC' | 'NFD'): string {
  if (!LONG_RUN.test(text)) return text.normalize(form);
  return (text.match(STRETCH) ?? []).map((stretch) => stretch.normalize(form)).join('');
}
