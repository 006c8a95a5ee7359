/** A word as far as lines are concerned. */
export interface Word {
  /** Its width in Carlito, in ems, without the blank behind it. */
  ems: number;
  spaceAfter: boolean;
  /** Instead of a word, the end of a line. */
  isBreak: boolean;
}

/** A word with the blank behind it; letters of scripts without blanks one by one; endless words in pieces. */
const WORDS = /\n|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,100}[^\S\n]?|./gsu;

/**
 * The words of a text by their index, undefined behind the last. Each is measured when it is first asked for and never
 * again: a text is tried in many font sizes, and of a long one most have no place in any of them.
 */
export function wordsOf(text: string): (index: number) => Word | undefined {
  const matches = text.matchAll(WORDS);
  const words: Word[] = [];
  return (index) => {
    if (index < words.length) return words[index];
    const next = matches.next();
    if (next.done) return undefined;
    const [word] = next.value;
    words.push({ ems: emsOf(word.trimEnd()), spaceAfter: word.endsWith(' '), isBreak: word === '\n' });
    return words[index];
  };
}

/** Below them nothing combines. */
const MAY_COMBINE = /[^\0-\u02ff]/;

function emsOf(word: string): number {
  let sum = 0;
  for (const character of MAY_COMBINE.test(word) ? word.normalize('NFC') : word) sum += emOf(character);
  return sum;
}

const WIDTHS: readonly [ems: number, characters: RegExp][] = [
  [0.29, /[iljtfrI.,:;'|!()[\]/-]/],
  [0.84, /[mwMW@%&]/],
  [0, /\p{M}/u],
  [1, /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u],
  [0.61, /\p{Lu}/u],
];
const OTHERS_EMS = 0.515;
/** For each code point that was met, 2 plus the index of its row above, or 1 if it has none. */
const rows = new Uint8Array(0x110000);

function emOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const row = rows[code] || 2 + WIDTHS.findIndex(([, characters]) => characters.test(character));
  rows[code] = row;
  return WIDTHS[row - 2]?.[0] ?? OTHERS_EMS;
}
