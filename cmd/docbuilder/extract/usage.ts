import { SCRIPTS, type Script, type TextStyle } from './styles.ts';

/** A font that text asks for. */
export interface FontUse {
  name: string;
  /** A character in a script that few fonts have, if the font is used for no western text. */
  sample?: string;
}

/** Counts the fonts and languages of the text of a document. */
export class Usage {
  readonly #fonts = new Map<string, number>();
  readonly #languages = new Map<string, number>();
  readonly #samples = new Map<string, string>();

  add(text: string, style: TextStyle): void {
    const counts = countCharacters(text);
    for (const script of SCRIPTS) {
      const { [script]: font } = style.fonts;
      if (counts[script] === 0) continue;
      count(this.#fonts, font, counts[script]);
      count(this.#languages, style.languages[script], counts[script]);
      if (!font) continue;
      if (script === 'western') this.#samples.set(font, '');
      else if (!this.#samples.has(font)) this.#samples.set(font, text.match(PATTERNS[script])?.[0] ?? '');
    }
  }

  /** Returns the fonts, the most used one first. */
  fonts(): FontUse[] {
    return byUse(this.#fonts).map((name) => {
      const sample = this.#samples.get(name);
      return sample ? { name, sample } : { name };
    });
  }

  /** Returns the language of most of the text. */
  language(): string | undefined {
    return byUse(this.#languages)[0];
  }
}

function count(map: Map<string, number>, key: string | undefined, more: number): void {
  if (key) map.set(key, (map.get(key) ?? 0) + more);
}

function byUse(map: ReadonlyMap<string, number>): string[] {
  return [...map].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

const PATTERNS = {
  /** Han, Kana, Hangul, Bopomofo and Yi with their punctuation and wide forms. */
  asian:
    /[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f200}-\u{1f2ff}\u{20000}-\u{3ffff}]/gu,
  /** From Hebrew to Myanmar, Khmer, Mongolian, presentation forms: written from right to left, or in clusters. */
  complex: /[\u0590-\u109f\u1780-\u18af\u1a20-\u1aaf\ua880-\ua8ff\uaa00-\uaa7f\ufb1d-\ufdff\ufe70-\ufefe]/g,
};

/** Counts characters that are not spaces by the script whose properties they are drawn with. */
export function countCharacters(text: string): Record<Script, number> {
  let western = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // The patterns take five times as long as this loop, at whose end nearly all text is counted.
    if (unit >= 0x590 && !(unit >= 0x1e00 && unit < 0x2e80)) return countMixed(text);
    if (unit > 0x20 && unit !== 0xa0) western += 1;
  }
  return { western, asian: 0, complex: 0 };
}

function countMixed(text: string): Record<Script, number> {
  const [asian, complex] = [countMatches(text, PATTERNS.asian), countMatches(text, PATTERNS.complex)];
  return { western: Math.max(0, countMatches(text, /\S/gu) - asian - complex), asian, complex };
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Counts words as a word processor does: what stands between spaces, and each Han or Kana character. */
export function countWords(text: string): number {
  return countMatches(text, /[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+/g);
}
