import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';

const CACHE = resolve(import.meta.dirname, '../../.cache/corpus');
const PACKAGES = ['libreoffice-core-nogui', 'libreoffice-core'];
/** biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholder */
const SOURCE_VERSION = '${source:Version}';

/** The parts of a run, in their order. */
export const PARTS = ['command', 'service', 'again', 'times', 'page'] as const;
export type Part = (typeof PARTS)[number];

/** LibreOffice's test documents. */
export interface Corpus {
  /** Their folder, by the paths that they have in LibreOffice's source. */
  documents: string;
  /** LibreOffice's version as the package manager shows it, such as 4:7.4.7-1+deb12u14. */
  office: string;
}

export interface Settings extends Corpus {
  /** The folder that keeps results between runs. */
  results: string;
  /** Only paths with one of these in them; empty for all. */
  only: string[];
  /** Most files, drawn by `seed`; 0 for all. */
  limit: number;
  seed: number;
  workers: number;
  /** Only what was other than it should be is done again. */
  keep: boolean;
  parts: readonly Part[];
}

/**
 * Reads the settings of a run from the environment; main.ts says what they mean.
 * @throws when there is no corpus of the installed version
 */
export function readSettings(): Settings {
  const corpus = findCorpus();
  if (!corpus) throw new Error('there are no test documents of the installed LibreOffice: run scripts/corpus/fetch.sh');
  const parts = list(process.env['CORPUS_PARTS']);
  return {
    ...corpus,
    results: join(CACHE, 'results'),
    only: list(process.env['CORPUS_ONLY']),
    limit: Number(process.env['CORPUS_LIMIT'] ?? 0),
    seed: Number(process.env['CORPUS_SEED'] ?? 1),
    workers: Number(process.env['CORPUS_WORKERS'] ?? availableParallelism()),
    keep: process.env['CORPUS_KEEP'] === '1',
    parts: parts.length === 0 ? PARTS : PARTS.filter((part) => parts.includes(part)),
  };
}

/** The test documents of the installed LibreOffice; undefined where scripts/corpus/fetch.sh could not get them. */
export function findCorpus(): Corpus | undefined {
  for (const name of PACKAGES) {
    const office = getVersion(name);
    const documents = join(CACHE, upstreamVersion(office));
    if (office !== '' && existsSync(documents)) return { documents, office };
  }
  return undefined;
}

/** The version of the source package that a package was built from; empty where it is not installed. */
function getVersion(name: string): string {
  try {
    const parameters = ['-W', '-f', SOURCE_VERSION, name];
    return execFileSync('dpkg-query', parameters, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return '';
  }
}

/** Returns a package's version without epoch and revision: the folder of its documents. */
export function upstreamVersion(version: string): string {
  return version.replace(/^\d+:/, '').replace(/-[^-]*$/, '');
}

function list(text = ''): string[] {
  return text.split(',').filter((item) => item !== '');
}
