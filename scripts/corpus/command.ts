import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CorpusDocument, shuffled } from './documents.ts';
import { type PdfFacts, readPdf } from './pdf.ts';
import { Records } from './records.ts';
import type { Settings } from './settings.ts';
import { pdfName, prepareSoffice, type Run, type Soffice } from './soffice.ts';

/** Result of the command for a document. */
export interface CommandRecord {
  sha256: string;
  office: string;
  outcome: 'pdf' | 'none' | 'crashed' | 'late';
  /** The document's part of the run in which it was converted. */
  ms: number;
  pages?: number;
}

/** In one run of soffice, whose start takes as long as some ten small documents. */
const BATCH = 20;
const BATCH_SECONDS = 60;
const SINGLE_SECONDS = 60;

/** Results of the command for documents, kept by their bytes and LibreOffice's version. */
export class CommandResults {
  readonly #records: Records<CommandRecord>;
  readonly #texts: string;
  readonly #office: string;

  /** @param name of the kind of run; a second one shows what differs by itself */
  constructor({ results, office }: Settings, name: string) {
    this.#office = office;
    this.#texts = join(results, `${name}-text`);
    this.#records = new Records(join(results, `${name}.jsonl`), (record) => record.sha256 + record.office);
  }

  of(document: CorpusDocument): CommandRecord | undefined {
    return this.#records.get(document.sha256 + this.#office);
  }

  /** The text of the PDF; empty without one. */
  readText({ sha256 }: CorpusDocument): Promise<string> {
    return readFile(join(this.#texts, `${sha256}.txt`), 'utf8').catch(() => '');
  }

  async add(document: CorpusDocument, outcome: CommandRecord['outcome'], ms: number, pdf?: PdfFacts): Promise<void> {
    await mkdir(this.#texts, { recursive: true });
    if (pdf) await writeFile(join(this.#texts, `${document.sha256}.txt`), pdf.text);
    const { sha256 } = document;
    this.#records.add({ sha256, office: this.#office, outcome, ms: Math.round(ms), ...(pdf && { pages: pdf.pages }) });
  }
}

export interface CommandOptions {
  /** Name of the kind of run, for its folder. */
  name: string;
  /** More of the command's environment. */
  env?: NodeJS.ProcessEnv;
  /** Path of a document; its path in LibreOffice's source by default. */
  place?: (document: CorpusDocument) => string;
  /** True if to try again what took too long. */
  again?: boolean;
}

function inPlace({ documents }: Settings): (document: CorpusDocument) => string {
  return ({ path }) => join(documents, path);
}

/** Converts what has no result yet: many in one run of the command, one by one those that made a run end early. */
export async function runCommandOver(
  documents: readonly CorpusDocument[],
  results: CommandResults,
  settings: Settings,
  { name, env, place = inPlace(settings), again = false }: CommandOptions,
): Promise<void> {
  const seen = new Set<string>();
  const open = shuffled(documents).filter((document) => {
    const record = results.of(document);
    const isNew = (!record || (again && record.outcome === 'late')) && !seen.has(document.sha256);
    seen.add(document.sha256);
    return isNew;
  });
  const soffice = await prepareSoffice(join(settings.results, name), env);
  const total = open.length;
  const one = async (document: CorpusDocument) => {
    const run = await soffice.convert([place(document)], SINGLE_SECONDS);
    await keep(results, document, run.made[0], run.end, run.ms);
  };
  while (open.length > 0) {
    const batch = takeBatch(open);
    const left = await runBatch(soffice, batch, results, place);
    for (const document of left.alone) await one(document);
    open.unshift(...left.again);
    console.log(`${name}: ${total - open.length} of ${total}`);
  }
}

/** @returns the documents that need a run of their own, and those that the run did not come to */
async function runBatch(
  soffice: Soffice,
  batch: readonly CorpusDocument[],
  results: CommandResults,
  place: (document: CorpusDocument) => string,
): Promise<{ alone: CorpusDocument[]; again: CorpusDocument[] }> {
  const began = Date.now();
  const run = await soffice.convert(batch.map(place), BATCH_SECONDS);
  const last = run.made.findLastIndex((pdf) => pdf !== undefined);
  // The last PDF of a run that did not end may be half a file.
  const whole = run.end === 'ended' ? batch.length : last;
  let before = began;
  const alone: CorpusDocument[] = [];
  for (const [index, document] of batch.entries()) {
    const pdf = run.made[index];
    if (index < whole && pdf) {
      await keep(results, document, pdf, 'ended', pdf.at - before);
      before = pdf.at;
    } else if (index <= last + 1 || run.end === 'ended') alone.push(document);
  }
  return { alone, again: run.end === 'ended' ? [] : batch.slice(last + 2) };
}

async function keep(
  results: CommandResults,
  document: CorpusDocument,
  pdf: Run['made'][number],
  end: Run['end'],
  ms: number,
): Promise<void> {
  const facts = pdf && end !== 'late' ? await readPdf(pdf.path).catch(() => undefined) : undefined;
  if (facts) await results.add(document, 'pdf', ms, facts);
  else await results.add(document, end === 'ended' ? 'none' : end, ms);
}

/** Takes the next documents, whose PDFs have different names. */
function takeBatch(open: CorpusDocument[]): CorpusDocument[] {
  const names = new Set<string>();
  const batch: CorpusDocument[] = [];
  for (let index = 0; index < open.length && batch.length < BATCH; ) {
    const document = open[index];
    if (document && !names.has(pdfName(document.path))) {
      names.add(pdfName(document.path));
      batch.push(...open.splice(index, 1));
    } else index++;
  }
  return batch;
}
