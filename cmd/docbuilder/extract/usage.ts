import { SCRIPTS, type Script, type TextStyle } from './styles.ts';

/** A font that text asks for. */
export interface FontUse {
  name: string;
  /** A character that it is wanted for, if that is none of a western script: few replacements have it. */
  sample?: string;
}

/** Counts in which fonts and languages the text of a document is. */
export interface Usage {
  add(text: string, style: TextStyle): void;
  /** Most used first. */
  fonts(): FontUse[];
  language(): string | undefined;
}

export function createUsage(): Usage {
  const fonts = new Map<string, number>();
  const languages = new Map<string, number>();
  const western = new Set<string>();
  const samples = new Map<string, string>();
  return {
    add(text, style) {
      const counts = charactersOf(text);
      for (const script of SCRIPTS) {
        if (counts[script] === 0) continue;
        count(fonts, style.fonts[script], counts[script]);
        keepSample(style.fonts[script], script, text);
        count(languages, style.languages[script], counts[script]);
      }
    },
    fonts: () => byUse(fonts).map((name) => ({ name, ...sampleOf(name) })),
    language: () => byUse(languages)[0],
  };

  function keepSample(font: string | undefined, script: Script, text: string): void {
    if (!font) return;
    if (script === 'western') western.add(font);
    else if (!samples.has(font)) samples.set(font, text.match(script === 'asian' ? ASIAN : COMPLEX)?.[0] ?? '');
  }

  function sampleOf(name: string): Pick<FontUse, 'sample'> {
    const sample = samples.get(name);
    return sample && !western.has(name) ? { sample } : {};
  }
}

function count(map: Map<string, number>, key: string | undefined, more: number): void {
  if (key) map.set(key, (map.get(key) ?? 0) + more);
}

function byUse(map: ReadonlyMap<string, number>): string[] {
  return [...map].sort(([, a], [, b]) => b - a).map(([key]) => key);
}

/** Han, Kana, Hangul, Bopomofo and Yi with their punctuation and wide forms. */
const ASIAN =
  /[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f200}-\u{1f2ff}\u{20000}-\u{3ffff}]/gu;
/** From Hebrew to Myanmar, Khmer, Mongolian, presentation forms: written from right to left, or in clusters. */
const COMPLEX = /[\u0590-\u109f\u1780-\u18af\u1a20-\u1aaf\ua880-\ua8ff\uaa00-\uaa7f\ufb1d-\ufdff\ufe70-\ufefe]/g;
/** Characters that are no spaces, by the set of a style's properties that they are drawn with. */
export function charactersOf(text: string): Record<Script, number> {
  let western = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Nearly all text ends here without the patterns, which take five times as long.
    if (unit >= 0x590 && !(unit >= 0x1e00 && unit < 0x2e80)) return mixed(text);
    if (unit > 0x20 && unit !== 0xa0) western += 1;
  }
  return { western, asian: 0, complex: 0 };
}

function mixed(text: string): Record<Script, number> {
  const [asian, complex] = [matches(text, ASIAN), matches(text, COMPLEX)];
  return { western: Math.max(0, matches(text, /\S/gu) - asian - complex), asian, complex };
}

function matches(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}

/** Words, as a word processor counts them: what stands between spaces, and each Han or Kana character. */
export function wordsOf(text: string): number {
  return matches(text, /[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+/g);
}
