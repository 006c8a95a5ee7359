import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { countPages } from '../../cmd/docbuilder/engine/pdf-pages.ts';
import type { BenchFile } from '../files.ts';
import type { Bench, Outcome } from '../measurement.ts';
import { convertCall, type Service, sendOk, startService } from '../subjects/service.ts';
import { prepareSoffice } from '../subjects/soffice.ts';
import { startUnoserver } from '../subjects/unoserver.ts';
import { type Series, SUBJECTS, type Subject, toRows, writeNotes } from './comparison-report.ts';

const WARM_UP = 40;
/** The service's own time, without the engine's. */
const WORKERS = Math.min(availableParallelism(), 4);
type Conversion = (file: BenchFile) => Promise<{ ms: number; engineMs?: number; output: string }>;

/** Small files and the report to PDF: the service over HTTP, soffice for each job, unoserver; and what HTTP adds. */
export async function compare({ directory, files, options }: Bench): Promise<Outcome> {
  const { program } = await findOffice();
  const all = [...files.small, files.report];
  const beyondUnoserver = await refusedByUnoserver(program, directory, all);
  const service = await startService(directory, { SVC_DOCBUILDER_WORKERS: String(WORKERS) });
  const soffice = await prepareSoffice(program, directory, files.small[0].path);
  const unoserver = await startUnoserver(program, directory);
  const conversions: Record<Subject, Conversion> = {
    service: (file) => overHttp(service, file),
    soffice: ({ path }) => soffice.convert(path),
    xmlrpc: ({ path }) => unoserver.call(path),
    unoconvert: ({ path }) => unoserver.command(path),
  };
  const able = (file: BenchFile): readonly Subject[] => (beyondUnoserver.has(file) ? ['service', 'soffice'] : SUBJECTS);
  try {
    const series: Series[] = [];
    for (const file of all) {
      const pages = await samePages(
        file,
        able(file).map((subject) => conversions[subject]),
      );
      series.push({ file, pages, ms: { service: [], soffice: [], xmlrpc: [], unoconvert: [] }, engineMs: [] });
    }
    for (const file of files.small) {
      for (let count = 0; count < WARM_UP; count++) await conversions.service(file);
    }
    const [small, report] = [series.slice(0, -1), series.slice(-1)];
    await measure(conversions, small, able, options.rounds);
    await measure(conversions, report, able, options.reportRounds);
    return { rows: toRows(small), notes: writeNotes(series, options) };
  } finally {
    await Promise.all([service.stop(), unoserver.stop()]);
  }
}

/** In every round every subject converts every file once, each round beginning with another subject. */
async function measure(
  conversions: Record<Subject, Conversion>,
  series: readonly Series[],
  able: (file: BenchFile) => readonly Subject[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const { file, ms, engineMs } of series) {
      const subjects = able(file);
      const first = round % subjects.length;
      for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
        const took = await conversions[subject](file);
        ms[subject].push(took.ms);
        if (took.engineMs !== undefined) engineMs.push(took.engineMs);
      }
    }
  }
}

async function overHttp(service: Service, file: BenchFile): ReturnType<Conversion> {
  const { ms, engineMs, content } = await sendOk(service, convertCall(file, 'pdf'));
  const output = `${file.path}.pdf`;
  await writeFile(output, content);
  return { ms, engineMs, output };
}

/** Speed means nothing where one makes less than another. @throws when the PDFs differ in their number of pages */
async function samePages(file: BenchFile, conversions: readonly Conversion[]): Promise<number> {
  const pages = new Set<number>();
  for (const convert of conversions) pages.add(await countPages((await convert(file)).output));
  const [count = 0, ...others] = pages;
  if (count === 0 || others.length > 0) throw new Error(`${file.name}: the PDFs are not alike`);
  return count;
}

/**
 * The files that unoserver cannot convert with this LibreOffice. It loads them with a view, and Debian 12's packages
 * without a GUI lack a part of Calc's: LibreOffice dies, and unoserver with it.
 */
async function refusedByUnoserver(
  program: string,
  directory: string,
  files: readonly BenchFile[],
): Promise<ReadonlySet<BenchFile>> {
  const refused = new Set<BenchFile>();
  let unoserver = await startUnoserver(program, directory);
  for (const file of files) {
    const failed = await unoserver.call(file.path).then(
      () => false,
      () => true,
    );
    if (!failed) continue;
    refused.add(file);
    await unoserver.stop();
    unoserver = await startUnoserver(program, directory);
  }
  await unoserver.stop();
  return refused;
}
