import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';

/** A font of the text. `sample` is a character of it, and empty if text with the font is western. */
export interface FontUse {
  name: string;
  sample: string;
}

const run = promisify(execFile);
const OPTIONS = {
  timeout: 10_000,
  maxBuffer: 16 * 1024 * 1024,
  // The workers' fontconfig has the same language (engine/fonts.conf).
  env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', FC_LANG: 'vi' },
};
/** A document may have thousands of fonts, and each takes a process. */
const MAX_LOOKED_UP = 64;
const MAX_REMEMBERED = 4096;
/** No font has a longer name. */
const MAX_NAME = 128;

/** Creates a look-up that asks fontconfig, as LibreOffice does, for the font that replaces a missing one, and caches it. */
export function createFonts() {
  let installed: Promise<ReadonlySet<string>> | undefined;
  const replacements = new Map<string, string | null>();
  return {
    /** Returns whether each font is installed, and the font that replaces it. */
    async lookUp(fonts: readonly FontUse[], signal?: AbortSignal): Promise<ExtractedMeta['fonts']> {
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

/** Returns all names of all installed families, in lower case. */
async function listInstalled(): Promise<ReadonlySet<string>> {
  const { stdout } = await run('fc-list', ['--format', '%{family}\\n'], OPTIONS);
  return new Set(stdout.split(/[\n,]/).map((name) => name.replace(/\\(.)/g, '$1').trim().toLowerCase()));
}

async function match(pattern: string, signal: AbortSignal | undefined): Promise<string | null> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an argument must not have a NUL, no name has the others
  if (/[\u0000-\u001f]/.test(pattern)) return null;
  const { stdout } = await run('fc-match', ['--format', '%{family[0]}', '--', pattern], { ...OPTIONS, signal });
  return stdout.trim() || null;
}

/** Returns a font as a fontconfig pattern, which prefers fonts that have the sample. */
function fontPattern({ name, sample }: FontUse): string {
  const family = name.replace(/[\\\-:,=]/g, '\\$&');
  const codePoint = sample.codePointAt(0);
  return codePoint === undefined ? family : `${family}:charset=${codePoint.toString(16)}`;
}
