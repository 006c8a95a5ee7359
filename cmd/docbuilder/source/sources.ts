import type { Generation, SourceEncoding, SourceFormat } from '../formats.ts';
import { assertFitsSheet } from './csv.ts';
import type { Downloader } from './downloader.ts';
import { parseStem } from './filename.ts';
import type { Inspection } from './inspect/inspect.ts';
import { sourceName } from './source-name.ts';
import type { SourceThreads } from './source-threads.ts';

/** A file that a request brought along or that was fetched for it. */
export interface SourceFile {
  path: string;
  filename?: string | undefined;
}

export interface SourceDependencies {
  downloader: Downloader;
  threads: Pick<SourceThreads, 'inspect' | 'transcode'>;
  maxFileBytes: () => number;
}

/** The place of a source and what the caller says about it. */
export interface SourceRequest {
  source: SourceFile | { url: string };
  from?: string | undefined;
  password?: string | undefined;
  encoding?: SourceEncoding | undefined;
  delimiter?: string | undefined;
  /** The longest text in a cell of the target, where that is less than the engine's. */
  cellLetters?: number | undefined;
}

/** Settings with which the engine reads a source. */
export interface SourceOptions {
  /** Opens a protected source. */
  password?: string;
  encrypted?: boolean;
  /** Only for a binary source older than Office 97. */
  generation?: Generation;
  /** Field separator of a csv source. One character. */
  delimiter?: string;
}

/** The part of an engine's task that the source decides. Text is in UTF-8. */
export interface EngineSource {
  input: string;
  from: SourceFormat;
  /** Base name without extension under which the document knows itself (sheet name of a csv, file-name fields). */
  stem: string;
  source: SourceOptions;
}

/** A source that is at hand and was inspected, and what the engine needs of it. */
export interface OpenSource {
  file: SourceFile;
  inspection: Inspection;
  task: EngineSource;
}

/** A job's source. `newPath` gives paths for its temporary files. */
export interface Source {
  /** Checks what needs no fetching. @throws {AppError} `url_not_allowed` */
  check(): Promise<void>;
  /**
   * Fetches the source where it must be fetched, inspects it, and converts text to UTF-8.
   * @param accept refuses what is of no use
   * @throws {AppError} whatever is wrong with it
   */
  open(signal: AbortSignal, newPath: () => string, accept?: (inspection: Inspection) => void): Promise<OpenSource>;
}

/**
 * The steps that all work on a source file begins with.
 * @throws {AppError} `unsupported_format` for a `from` that is no format
 */
export function createSource(
  request: SourceRequest,
  { downloader, threads, maxFileBytes }: SourceDependencies,
): Source {
  const { source, from, password, encoding, delimiter } = request;
  sourceName(from, undefined);

  return {
    check: async () => {
      if ('url' in source) await downloader.check(source.url);
    },
    async open(signal, newPath, accept) {
      const file = 'url' in source ? await downloader.download(source.url, newPath(), maxFileBytes(), signal) : source;
      const { path, filename } = file;
      const options = { from, filename, encoding, delimiter, hasPassword: password !== undefined };
      const inspection = await threads.inspect(path, options, signal);
      accept?.(inspection);
      const { format, text, encrypted, generation } = inspection;
      const known = { from: format, stem: parseStem(filename) };
      if (!text) {
        const settings = { ...(encrypted && { encrypted }), ...(generation && { generation }) };
        const opening = { ...settings, ...(password !== undefined && { password }) };
        return { file, inspection, task: { ...known, input: path, source: opening } };
      }
      const input = newPath();
      const size = await threads.transcode({ path, target: input, ...text }, signal);
      if (size) assertFitsSheet(size, maxFileBytes(), request.cellLetters);
      const separated = text.delimiter === undefined ? {} : { delimiter: text.delimiter };
      return { file, inspection, task: { ...known, input, source: separated } };
    },
  };
}
