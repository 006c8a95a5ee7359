import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FontUse } from './usage.ts';

/** Whether a font that text asks for is there, and what is drawn if not. */
export interface FontFact {
  name: string;
  substituted: boolean;
  replacement: string | null;
}

export interface Fonts {
  /** Facts about fonts, in their order. */
  lookUp(fonts: readonly FontUse[], signal?: AbortSignal): Promise<FontFact[]>;
}

const run = promisify(execFile);
const OPTIONS = {
  timeout: 10_000,
  maxBuffer: 16 * 1024 * 1024,
  // The language that the workers' fontconfig is asked in (engine/fonts.conf).
  env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', FC_LANG: 'vi' },
};
/** A document may name thousands of fonts; each costs a process. */
const MAX_LOOKED_UP = 64;
const MAX_REMEMBERED = 4096;
/** Longer names are no font's, and an argument has its limits. */
const MAX_NAME = 128;

/**
 * Asks fontconfig, which LibreOffice asks as well: a font that is not installed is drawn with what `fc-match` says
 * (Carlito for Calibri, for example). The installed fonts are listed once, answers are kept.
 */
export function createFonts(): Fonts {
  let installed: Promise<ReadonlySet<string>> | undefined;
  const replacements = new Map<string, string | null>();

  const replacementOf = async (font: FontUse, signal: AbortSignal | undefined): Promise<string | null> => {
    const key = pattern(font);
    const known = replacements.get(key);
    if (known !== undefined) return known;
    const found = await match(key, signal);
    if (replacements.size < MAX_REMEMBERED) replacements.set(key, found);
    return found;
  };

  return {
    async lookUp(fonts, signal) {
      installed ??= listInstalled();
      installed.catch(() => {
        installed = undefined;
      });
      const present = await installed;
      const facts: FontFact[] = [];
      let asked = 0;
      for (const font of fonts) {
        const { name } = font;
        const substituted = !present.has(name.toLowerCase());
        const canAsk = substituted && asked < MAX_LOOKED_UP && name.length <= MAX_NAME;
        if (canAsk) asked += 1;
        facts.push({ name, substituted, replacement: canAsk ? await replacementOf(font, signal) : null });
      }
      return facts;
    },
  };
}

/** Every name of every installed family, in small letters. */
async function listInstalled(): Promise<ReadonlySet<string>> {
  const { stdout } = await run('fc-list', ['--format', '%{family}\\n'], OPTIONS);
  return new Set(stdout.split(/[\n,]/).map((name) => name.replace(/\\(.)/g, '$1').trim().toLowerCase()));
}

async function match(asked: string, signal: AbortSignal | undefined): Promise<string | null> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no argument may have a NUL, no name has the others
  if (/[\u0000-\u001f]/.test(asked)) return null;
  const { stdout } = await run('fc-match', ['--format', '%{family[0]}', '--', asked], { ...OPTIONS, signal });
  return stdout.trim() || null;
}

/** A font as a fontconfig pattern: what has a meaning there is escaped, and who has the character is preferred. */
export function pattern({ name, sample = '' }: FontUse): string {
  const family = name.replace(/[\\\-:,=]/g, '\\$&');
  const codePoint = sample.codePointAt(0);
  return codePoint === undefined ? family : `${family}:charset=${codePoint.toString(16)}`;
}
