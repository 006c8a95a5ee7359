/** Below the combining marks every character begins anew: nothing before it can combine with it. */
const FIRST_COMBINING = 0x300;
/** Ideographs, which do neither. */
const isIdeograph = (unit: number): boolean => unit >= 0x3400 && unit <= 0x9fff;
/** So long a run without one place to cut is no text in any language. */
const MAX_RUN = 1024 * 1024;

/**
 * Where text that arrives in pieces can be cut so that each piece can be normalized alone (Unicode Standard Annex 15,
 * section 9): before the last character that surely combines with nothing before it.
 * @returns an index; 0 if there is no such place yet
 */
export function cutBeforeStarter(text: string): number {
  for (let index = text.length - 1; index > 0; index--) {
    const unit = text.charCodeAt(index);
    if (unit < FIRST_COMBINING || isIdeograph(unit)) return index;
  }
  return text.length > MAX_RUN ? lastWholeCharacter(text) : 0;
}

/** Never between the two halves of a character. */
function lastWholeCharacter(text: string): number {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? text.length - 1 : text.length;
}
