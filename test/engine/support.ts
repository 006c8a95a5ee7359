import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { createEngine, type EngineSettings } from '../../cmd/docbuilder/engine/engine.ts';
import type {
  EngineFailure,
  EngineOutput,
  EngineResult,
  ImageOptions,
  OutputOptions,
} from '../../cmd/docbuilder/engine/task.ts';
import type { ImageFormat, SourceFormat, TargetFormat } from '../../cmd/docbuilder/formats.ts';
import type { SourceOptions } from '../../cmd/docbuilder/source/sources.ts';
import { findDescendants, readProcess } from '../../scripts/support/processes.ts';
import { runEnding } from '../support/at-end.ts';
import { silentLogger, testLogger } from '../support/logs.ts';
import { useStarted } from '../support/use-started.ts';

export interface Made {
  path: string;
  pages: number;
  result: EngineResult;
  bytes: Buffer;
  text: string;
}

type Wanted = { to: TargetFormat; options?: OutputOptions } | { to: ImageFormat; image: ImageOptions };

interface TaskOptions {
  source?: SourceOptions;
  signal?: AbortSignal;
  maxOutputBytes?: number;
  stem?: string;
}

/** A real engine with a folder of its own; `dispose` stops it and removes the folder. */
export type Bench = Awaited<ReturnType<typeof createBench>>;

export const MiB = 1024 * 1024;

export async function createBench(overrides: Partial<EngineSettings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-engine-'));
  const workDir = overrides.workDir ?? join(folder, 'work');
  const others = new Set(officePids());
  let count = 0;
  const engine = await createEngine({
    workers: 1,
    maxJobs: 200,
    maxAgeMinutes: 60,
    memoryMb: 1024,
    jobTimeoutSeconds: 60,
    sandbox: 'auto',
    log: silentLogger(),
    ...overrides,
    workDir,
  });
  /** Writes a source and makes several outputs of it in one task. */
  const make = async (
    content: string | Buffer,
    from: SourceFormat,
    [first, ...others]: readonly [Wanted, ...Wanted[]],
    options: TaskOptions = {},
  ): Promise<[Made, ...Made[]]> => {
    const { signal = AbortSignal.timeout(30_000), maxOutputBytes = 20 * MiB, stem = 'tài liệu', source = {} } = options;
    const name = String(count++);
    const input = join(folder, `${name}.source`);
    await writeFile(input, content, { mode: 0o600 });
    const output = (wanted: Wanted, index: number): EngineOutput => {
      const path = join(folder, `${name}.result-${index}`);
      return 'image' in wanted ? { ...wanted, path } : { options: {}, ...wanted, path };
    };
    const outputs = [output(first, 0), ...others.map((wanted, index) => output(wanted, index + 1))] as const;
    const result = await engine.run({ input, from, stem, source, outputs, maxOutputBytes }, signal);
    const made = ({ path }: EngineOutput, index: number): Made => {
      const bytes = readFileSync(path);
      return { path, pages: result.pages[index] as number, result, bytes, text: bytes.toString('utf8') };
    };
    return [made(outputs[0], 0), ...outputs.slice(1).map((item, index) => made(item, index + 1))];
  };
  return {
    ...{ engine, folder, workDir, make },
    /** How many workers have been replaced. */
    restarts: () => engine.status().workers.restarts,
    /** Process ids of its LibreOffice, those of spares included. */
    pids: () => officePids().filter((pid) => !others.has(pid)),
    /** Writes a source and converts it. A `delimiter` is the source's where that is a csv, else the target's. */
    async convert(
      content: string | Buffer,
      from: SourceFormat,
      to: TargetFormat,
      options: SourceOptions & OutputOptions & TaskOptions = {},
    ): Promise<Made> {
      const { signal, maxOutputBytes, stem, password, encrypted, delimiter, ...rest } = options;
      const separator = delimiter === undefined ? {} : { delimiter };
      const source = {
        ...(password !== undefined && { password }),
        ...(encrypted && { encrypted }),
        ...(from === 'csv' && separator),
      };
      const wanted = { to, options: { ...rest, ...(from !== 'csv' && separator) } };
      const task = {
        ...{ source, ...(signal && { signal }), ...(stem !== undefined && { stem }) },
        ...(maxOutputBytes !== undefined && { maxOutputBytes }),
      };
      return (await make(content, from, [wanted], task))[0];
    },
    async dispose() {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let shared: Promise<Bench> | undefined;

/** The engine of all suites and services that leave it as it was; it stops after the last test of the run. */
export function sharedBench(): Promise<Bench> {
  // After 200 jobs a worker would be replaced in the middle of whichever test came to that number.
  shared ??= createBench({ memoryMb: 2048, maxJobs: 100_000, log: testLogger() }).then((bench) => {
    runEnding.at(() => bench.dispose());
    return bench;
  });
  return shared;
}

/** The same for the suite around the call, or one of its own with these settings. */
export function useBench(own?: Partial<EngineSettings>): Bench {
  return own
    ? useStarted(
        () => createBench(own),
        ({ dispose }) => dispose(),
      )
    : useStarted(sharedBench);
}

/** Process ids of LibreOffice below this process. */
export function officePids(): number[] {
  return findDescendants(process.pid).filter((pid) => readProcess(pid, 'comm').startsWith('soffice'));
}

/** The text of a PDF. */
export function pdfText(path: string, ...options: string[]): string {
  return execFileSync('pdftotext', [...options, '-enc', 'UTF-8', path, '-'], { encoding: 'utf8' });
}

/** Where the lines of a page of a PDF are, in points. */
export function pdfLines(path: string, page: number): { top: number; right: number; bottom: number }[] {
  const xml = pdfText(path, '-f', `${page}`, '-l', `${page}`, '-bbox-layout');
  const lines = xml.matchAll(/<line xMin="[\d.]+" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)"/g);
  return [...lines].map(([, top, right, bottom]) => ({
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
  }));
}

/** The text of an entry of a zip file. @throws where there is none */
export function zipEntry(zip: Uint8Array, name: string): string {
  const entry = unzipSync(zip, { filter: (file) => file.name === name })[name];
  if (!entry) throw new Error(`no entry ${name}`);
  return strFromU8(entry);
}

/** Returns the failure that work ends in. */
export function findFailure(work: Promise<unknown>): Promise<EngineFailure> {
  return work.then(
    () => expect.fail('it should have failed'),
    (error) => error,
  );
}

export { skip } from '../support/skip.ts';

export const isRoot = process.getuid?.() === 0;

// ---- Small documents --------------------------------------------------------------------------------------
const NAMES = ['office', 'text', 'table', 'presentation', 'style', 'script'];
const NAMESPACES = [
  ...NAMES.map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`),
  'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
  'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
  'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
  'xmlns:xlink="http://www.w3.org/1999/xlink"',
  'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"',
  'xmlns:ooo="http://openoffice.org/2004/office"',
].join(' ');

function flat(type: 'text' | 'spreadsheet' | 'presentation', body: string, head = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${type}">
${head}<office:body><office:${type}>${body}</office:${type}></office:body></office:document>`;
}

export const fodt = (body: string, head?: string) => flat('text', body, head);
export const fods = (rows: string, head?: string) =>
  flat('spreadsheet', `<table:table table:name="Bảng 1">${rows}</table:table>`, head);
export const fodp = (pages: string) => flat('presentation', pages, MASTER);

export const MASTER_NAME = 'M';

/** Without a master page all pages but the first are lost. */
const MASTER =
  '<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="28cm" ' +
  'fo:page-height="21cm"/></style:page-layout></office:automatic-styles><office:master-styles>' +
  '<style:master-page style:name="M" style:page-layout-name="L"/></office:master-styles>';

export const paragraph = (text: string) => `<text:p>${text}</text:p>`;
export const row = (...cells: (number | string)[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
export const formula = (text: string) => `<table:table-cell table:formula="of:=${text}" office:value-type="float"/>`;
export const slide = (text: string) =>
  `<draw:page draw:name="${text}" draw:master-page-name="M"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="12cm" svg:height="3cm">` +
  `<draw:text-box>${paragraph(text)}</draw:text-box></draw:frame></draw:page>`;

function cell(value: number | string): string {
  return typeof value === 'number'
    ? `<table:table-cell office:value-type="float" office:value="${value}"/>`
    : `<table:table-cell office:value-type="string">${paragraph(value)}</table:table-cell>`;
}

export const textTable = (text: string) =>
  `<table:table table:name="T"><table:table-column/>${row(text)}</table:table>`;

/** A spreadsheet that needs more memory than a worker may have. */
export function hungrySheet(): string {
  const cells =
    '<table:table-cell table:number-columns-repeated="200" office:value-type="string"><text:p>x</text:p></table:table-cell>';
  const distinct = Array.from(
    { length: 40 },
    (_, index) => `<table:table-row table:number-rows-repeated="20000">${cells}</table:table-row>${row(index)}`,
  );
  return fods(distinct.join(''));
}
