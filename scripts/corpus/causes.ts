import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CommandResults, runCommandOver } from './command.ts';
import type { Comparison } from './compare.ts';
import type { CorpusDocument } from './documents.ts';
import type { OurResults } from './ours.ts';
import type { Settings } from './settings.ts';

const FONTS = resolve(import.meta.dirname, '../../cmd/docbuilder/engine/fonts.conf');

/** Causes of a difference that lie in the document or in its surroundings, by the run of the command that shows them. */
const CAUSES = {
  /** The same run again. */
  'command-again': 'changes with every conversion',
  /** A copy of the file without the files beside it. */
  'command-alone': 'shows where the file is, or a file that it links',
  /** With the service's choice of fonts. */
  'command-fonts': 'a font that is missing is replaced by another one',
} as const;
type Kind = keyof typeof CAUSES;
const KINDS = Object.keys(CAUSES) as Kind[];

/** Converts documents whose PDFs differ by the command once more, in other surroundings. */
export async function runAgain(different: readonly CorpusDocument[], settings: Settings): Promise<void> {
  const alone = (document: CorpusDocument) => {
    const folder = join(settings.results, 'alone', document.sha256);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, basename(document.path));
    copyFileSync(join(settings.documents, document.path), path);
    return path;
  };
  const options = {
    'command-again': {},
    'command-alone': { place: alone },
    'command-fonts': { place: alone, env: { FONTCONFIG_FILE: FONTS } },
  };
  for (const name of KINDS) {
    await runCommandOver(different, new CommandResults(settings, name), settings, { name, ...options[name] });
  }
}

/** Tells why PDFs differ, where that lies in the document or in its surroundings. */
export class Causes {
  readonly #again: Record<Kind, CommandResults>;
  readonly #ours: OurResults;

  constructor(settings: Settings, ours: OurResults) {
    this.#ours = ours;
    this.#again = Object.fromEntries(KINDS.map((kind) => [kind, new CommandResults(settings, kind)])) as Record<
      Kind,
      CommandResults
    >;
  }

  /** The cause of other pages or another text; undefined when the service itself makes the difference. */
  async of({ document, command }: Comparison, commandText: string): Promise<string | undefined> {
    const again = this.#again['command-again'];
    const record = again.of(document);
    if (!record) return undefined;
    const changed = record.pages !== command.pages || (await again.readText(document)) !== commandText;
    if (changed) return CAUSES['command-again'];
    const { pdf } = await this.#ours.readTexts(document);
    for (const kind of ['command-alone', 'command-fonts'] as const) {
      if ((await this.#again[kind].readText(document)) === pdf) return CAUSES[kind];
    }
    return undefined;
  }
}
