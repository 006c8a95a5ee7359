import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { ExtractedText } from '../../src/common/generated/wire.ts';
import { type CorpusDocument, shuffled } from './documents.ts';
import { fold, readPdf } from './pdf.ts';
import { Records } from './records.ts';
import { type Answer, type Service, startService } from './service.ts';
import type { Settings } from './settings.ts';

/** Results of the service for a document. */
export interface OurRecord {
  path: string;
  sha256: string;
  /** Version of the service's code: results of another one are made anew. */
  build: string;
  convert: Answer & { pages?: number };
  text: Answer;
  meta: Answer & { pages?: number };
  thumbnail: Answer;
}

/** Number of workers that died of a document. */
function countDeaths(record: Parameters<typeof getAnswers>[0]): number {
  return getAnswers(record).reduce((sum, { deaths = 0 }) => sum + deaths, 0);
}

/** The answers of all endpoints. */
export function getAnswers(record: Pick<OurRecord, 'convert' | 'text' | 'meta' | 'thumbnail'>): Answer[] {
  return [record.convert, record.text, record.meta, record.thumbnail];
}

/** End of a run: leftovers, and the number of workers that were replaced. */
export interface RunRecord {
  build: string;
  /** In ms since the epoch. */
  ended: number;
  documents: number;
  requests: number;
  restarts: number;
  /** Replaced workers that died during a job. */
  deaths: number;
  files: string[];
  processes: string[];
}

/** Results of the service for documents, and its texts. */
export class OurResults {
  readonly #records: Records<OurRecord>;
  readonly #folder: string;
  readonly runs: Records<RunRecord>;

  constructor({ results }: Settings, name: string) {
    this.#folder = join(results, name);
    this.#records = new Records(join(results, `${name}.jsonl`), ({ path }) => path);
    this.runs = new Records(join(results, `${name}-runs.jsonl`), ({ ended }) => String(ended));
  }

  of({ path, sha256 }: CorpusDocument): OurRecord | undefined {
    const record = this.#records.get(path);
    return record?.sha256 === sha256 ? record : undefined;
  }

  /** The text of the PDF and the extracted text, both empty where there is none. */
  async readTexts({ sha256 }: CorpusDocument): Promise<{ pdf: string; extracted: string }> {
    const read = (kind: string) => readFile(join(this.#folder, `${sha256}.${kind}`), 'utf8').catch(() => '');
    return { pdf: await read('pdf'), extracted: await read('text') };
  }

  async add(record: OurRecord, texts: { pdf: string; extracted: string }): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, `${record.sha256}.pdf`), texts.pdf);
    await writeFile(join(this.#folder, `${record.sha256}.text`), texts.extracted);
    this.#records.add(record);
  }
}

/** A service with its data in a temporary folder, and its log beside the results. */
export async function startIn({ results }: Settings, name: string, workers: number) {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-corpus-'));
  await mkdir(results, { recursive: true });
  const service = await startService(scratch, workers, join(results, `${name}.log`));
  return { scratch, service, stop: () => service.stop() };
}

/** Sends the documents to the service, one for each worker at a time, and each to every endpoint. */
export async function runServiceOver(
  documents: readonly CorpusDocument[],
  results: OurResults,
  settings: Settings,
  name: string,
): Promise<void> {
  const build = getBuild();
  const { scratch, service } = await startIn(settings, name, settings.workers);
  const open = shuffled(documents);
  let deaths = 0;
  const client = async () => {
    for (let document = open.shift(); document; document = open.shift()) {
      const { texts, ...found } = await tryDocument(service, settings, document, scratch);
      const { path, sha256 } = document;
      await results.add({ path, sha256, build, ...found }, texts);
      deaths += countDeaths(found);
      if (open.length % 20 === 0) console.log(`${name}: ${documents.length - open.length} of ${documents.length}`);
    }
  };
  await Promise.all(Array.from({ length: settings.workers }, client));
  const { restarts } = (await service.status()).workers;
  const left = await service.stop();
  const counts = { documents: documents.length, requests: documents.length * 4, restarts, deaths };
  results.runs.add({ build, ended: Date.now(), ...counts, ...left });
}

async function tryDocument(service: Service, { documents }: Settings, document: CorpusDocument, scratch: string) {
  const file = await readFile(join(documents, document.path));
  const send = (path: string, fields = {}) => service.send(path, file, basename(document.path), fields);
  const { body: pdf, ...convert } = await send('/v1/convert', { to: 'pdf' });
  const { body: json, ...text } = await send('/v1/extract/text');
  const { body: facts, ...meta } = await send('/v1/extract/meta');
  const { body: _, ...thumbnail } = await send('/v1/extract/thumbnail');
  const made = convert.status === 200 ? await readPdfBytes(pdf, scratch) : undefined;
  const extracted = text.status === 200 ? (JSON.parse(json.toString()) as ExtractedText).text : '';
  const pages = meta.status === 200 ? (JSON.parse(facts.toString()) as { pages?: number }).pages : undefined;
  return {
    convert: { ...convert, ...(made && { pages: made.pages }) },
    text,
    meta: { ...meta, ...(typeof pages === 'number' && { pages }) },
    thumbnail,
    texts: { pdf: made?.text ?? '', extracted: fold(extracted) },
  };
}

let count = 0;
async function readPdfBytes(bytes: Buffer, folder: string): Promise<{ pages: number; text: string }> {
  const path = join(folder, `${count++}.pdf`);
  await writeFile(path, bytes);
  try {
    return await readPdf(path);
  } finally {
    await rm(path);
  }
}

/** Returns a hash of the service's code. */
export function getBuild(): string {
  const root = resolve(import.meta.dirname, '../..');
  const hash = createHash('sha256');
  for (const folder of ['cmd/docbuilder', 'src/common', 'schemas']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter((e) =>
      e.isFile(),
    )) {
      hash.update(readFileSync(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
