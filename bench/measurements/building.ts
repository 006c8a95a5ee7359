import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { countPages } from '../../cmd/docbuilder/engine/pdf-pages.ts';
import { buildFlat, writeFlatFile } from '../../cmd/docbuilder/script/write-script.ts';
import type { Script } from '../../src/common/generated/script.ts';
import { inRounds } from '../alternate.ts';
import { largeSheet, largeText } from '../documents/large-scripts.ts';
import { milliseconds, table, times } from '../format.ts';
import type { Bench, Outcome, Row } from '../measurement.ts';
import { median, pairedRatio } from '../statistics.ts';
import { writeWithDocx } from '../subjects/docx-library.ts';
import { convertCall, jsonCall, type Service, sendOk, startService } from '../subjects/service.ts';
import { prepareSoffice } from '../subjects/soffice.ts';

const INVOICE = new URL('../../examples/invoice.text.json', import.meta.url);
const WARM_UP = 20;
const DEMANDED_LARGE = 1.3;
const DEMANDED_INVOICE = 5;

interface Large {
  what: string;
  build: number[];
  /** The engine's time to load and store the same document, made beforehand. */
  engine: number[];
}

/** Large scripts against the engine's own time, and an invoice against a library and `soffice`. */
export async function measureBuilding({ directory, files, options }: Bench): Promise<Outcome> {
  const service = await startService(directory, { SVC_DOCBUILDER_WORKERS: '1' });
  try {
    const large = [
      await measureLarge(service, directory, 'text script of 20,000 units to docx', largeText(), options.largeRounds),
      await measureLarge(service, directory, 'sheet of 20,000 rows to xlsx', largeSheet(), options.largeRounds),
    ];
    const invoice = await measureInvoice(service, directory, files.small[0].path, options.invoiceRounds);
    return { rows: [...large.map(largeRow), invoice.row], notes: writeNotes(large, invoice.notes) };
  } finally {
    await service.stop();
  }
}

async function measureLarge(
  service: Service,
  directory: string,
  what: string,
  script: Script,
  rounds: number,
): Promise<Large> {
  const flat = join(directory, `large.${script.type === 'text' ? 'fodt' : 'fods'}`);
  const surroundings = { pictures: new Map(), now: new Date() };
  await writeFlatFile(buildFlat(script, surroundings), flat);
  const beforehand = convertCall({ name: flat, bytes: await readFile(flat) }, script.save[0]?.format ?? '');
  const request = jsonCall('/v1/build', script);
  const [build, engine] = await inRounds(
    { warmUp: 1, rounds },
    async () => (await sendOk(service, request)).ms,
    async () => (await sendOk(service, beforehand)).engineMs,
  );
  return { what, build, engine };
}

async function measureInvoice(
  service: Service,
  directory: string,
  warmUp: string,
  rounds: number,
): Promise<{ row: Row; notes: string }> {
  const script: Script = { ...JSON.parse(await readFile(INVOICE, 'utf8')), save: [{ format: 'pdf' }] };
  const request = jsonCall('/v1/build', script);
  const soffice = await prepareSoffice((await findOffice()).program, directory, warmUp);
  const docx = join(directory, 'invoice.docx');
  let pages = 0;
  const library = async (): Promise<number> => {
    const started = performance.now();
    await writeWithDocx(script, docx);
    const { output } = await soffice.convert(docx);
    const ms = performance.now() - started;
    pages = await countPages(output);
    return ms;
  };
  for (let count = 0; count < WARM_UP; count++) await sendOk(service, request);
  await library();
  const [own, others] = await inRounds({ warmUp: 0, rounds }, async () => (await sendOk(service, request)).ms, library);
  const ratio = pairedRatio(others, own);
  return {
    row: {
      what: 'building the invoice as PDF against the `docx` library and `soffice`',
      measured: times(ratio),
      demanded: `at least ${times(DEMANDED_INVOICE)}`,
      holds: ratio >= DEMANDED_INVOICE && pages > 0,
    },
    notes: `The invoice is \`examples/invoice.text.json\` over HTTP to PDF, ${milliseconds(median(own))}; the other way, the \`docx\` library writes its headings, paragraphs
and tables as docx inside this process and \`soffice --convert-to pdf\` makes the PDF (${pages} page), ${milliseconds(median(others))}. ${rounds} rounds.`,
  };
}

function largeRow({ what, build, engine }: Large): Row {
  const ratio = pairedRatio(build, engine);
  return {
    what: `${what}: against the engine's load and store of the same document`,
    measured: times(ratio),
    demanded: `at most ${times(DEMANDED_LARGE)}`,
    holds: ratio <= DEMANDED_LARGE,
  };
}

function writeNotes(large: readonly Large[], invoice: string): string {
  const rows = large.map(({ what, build, engine }) => [
    what,
    milliseconds(median(build)),
    milliseconds(median(engine)),
    String(build.length),
  ]);
  return `A large script goes over HTTP and comes back as a document; beside it the flat OpenDocument file of the same script, made beforehand, is converted
to the same format, of which only the engine's own time counts (\`Server-Timing\`: load and store).

${table(['what', 'build, all in all', 'engine alone', 'rounds'], rows)}

${invoice}`;
}
