import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';

/** A font that text asks for. */
export interface FontUse {
  name: string;
  /** A character in a script that few fonts have, if the font is used for no western text. */
  sample?: string;
}

export interface Fonts {
  /** Returns whether each font is installed, and the font that is drawn instead. */
  lookUp(fonts: readonly FontUse[], signal?: AbortSignal): Promise<ExtractedMeta['fonts']>;
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
 * Creates a look-up that asks fontconfig, as LibreOffice does: a font that is not installed is drawn with the one that
 * `fc-match` names (Carlito for Calibri, for example). Answers are kept.
 */
export function createFonts(): Fonts {
  let installed: Promise<ReadonlySet<string>> | undefined;
  const replacements = new Map<string, string | null>();
  return {
    async lookUp(fonts, signal) {
      installed ??= listInstalled().catch((error) => {
        installed = undefined;
        throw error;
      });
      const present = await installed;
      if (replacements.size > MAX_REMEMBERED) replacements.clear();
      const facts: ExtractedMeta['fonts'] = [];
      let asked = 0;
      for (const font of fonts) {
        const { name } = font;
        const substituted = !present.has(name.toLowerCase());
        const canAsk = substituted && name.length <= MAX_NAME && asked++ < MAX_LOOKED_UP;
        const pattern = fontPattern(font);
        if (canAsk && !replacements.has(pattern)) replacements.set(pattern, await match(pattern, signal));
        facts.push({ name, substituted, replacement: (canAsk && replacements.get(pattern)) || null });
      }
      return facts;
    },
  };
}

/** Returns every name of every installed family, in small letters. */
async function listInstalled(): Promise<ReadonlySet<string>> {
  const { stdout } = await run('fc-list', ['--format', '%{family}\\n'], OPTIONS);
  return new Set(stdout.split(/[\n,]/).map((name) => name.replace(/\\(.)/g, '$1').trim().toLowerCase()));
}

async function match(pattern: string, signal: AbortSignal | undefined): Promise<string | null> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no argument may have a NUL, no name has the others
  if (/[\u0000-\u001f]/.test(pattern)) return null;
  const { stdout } = await run('fc-match', ['--format', '%{family[0]}', '--', pattern], { ...OPTIONS, signal });
  return stdout.trim() || null;
}

/** Returns a font as an escaped fontconfig pattern, which prefers fonts that have the sample's character. */
function fontPattern({ name, sample = '' }: FontUse): string {
  const family = name.replace(/[\\\-:,=]/g, '\\$&');
  const codePoint = sample.codePointAt(0);
  return codePoint === undefined ? family : `${family}:charset=${codePoint.toString(16)}`;
}
