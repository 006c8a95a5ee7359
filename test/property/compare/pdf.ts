import type { Report } from '../support/report.ts';

/** Letters that the fonts of an installation have for certain, and that stand in a PDF in the order of the script. */
const PLAIN = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{M}]+$/u;
const PICTURES = /[\p{Extended_Pictographic}\u200d]/u;
/** Pictures and signs come from other fonts, and a line's are drawn together. */
const BETWEEN = /(?:[\s\u00ad\u200b\p{So}]|\u200d)+/gu;
const CELL = /\/(?:rows|header)\/\d/;
/** In a line with right-to-left letters, signs are turned round and stand elsewhere. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Where the scripts of a word change, its pieces may be drawn apart. */
const PIECES = /(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]\p{M}*)+|[^\p{L}\p{M}\p{N}\p{So}\s]+/gu;

/** Every word of the declared texts is in the PDF's text; lines may break where they will, also inside of words. */
export function comparePdf(texts: readonly { pointer: string; text: string }[], pdf: string, report: Report): void {
  const whole = packed(pdf);
  const pages = pdf.split('\f').map(packed);
  for (const { pointer, text } of texts) {
    const turned = RIGHT_TO_LEFT.test(text);
    for (const [word] of text.matchAll(PIECES)) {
      if (!PLAIN.test(word) || PICTURES.test(word) || (turned && !LETTER.test(word))) continue;
      const shown = whole.includes(packed(word)) || (CELL.test(pointer) && isTorn(packed(word), pages));
      report.holds(pointer, shown, `the page does not show ${JSON.stringify(word)}`);
    }
  }
}

/** Whether a word in a cell breaks at the end of a page: then other cells are drawn between its pieces. */
function isTorn(word: string, pages: readonly string[]): boolean {
  for (let at = 1; at < word.length; at++) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (pages.some((page, index) => page.includes(left) && pages[index + 1]?.includes(right))) return true;
  }
  return false;
}

function packed(text: string): string {
  return text.normalize('NFKC').replace(BETWEEN, '');
}
