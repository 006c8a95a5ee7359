import type { Generation, SourceEncoding, SourceFormat } from '../formats.ts';
import { assertFitsSheet } from './csv.ts';
import type { Downloader } from './downloader.ts';
import { parseStem } from './filename.ts';
import type { Inspection } from './inspect/inspect.ts';
import { sourceName } from './source-name.ts';
import type { SourceThreads } from './source-threads.ts';

/** A file that was uploaded or downloaded. */
export interface SourceFile {
  path: string;
  filename?: string | undefined;
}

export interface SourceDependencies {
  downloader: Downloader;
  threads: Pick<SourceThreads, 'inspect' | 'transcode'>;
  maxFileBytes: () => number;
}

/** A source and its options in the request. */
export interface SourceRequest {
  source: SourceFile | { url: string };
  from?: string | undefined;
  password?: string | undefined;
  encoding?: SourceEncoding | undefined;
  delimiter?: string | undefined;
  /** The longest text of a cell in the target, where that is less than LibreOffice's. */
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

/** The part of an engine's task that is about the source. Text is in UTF-8. */
export interface EngineSource {
  input: string;
  from: SourceFormat;
  /** The document's name in file-name fields, and the name of the sheet that csv becomes (parseStem). */
  stem: string;
  source: SourceOptions;
}

/** A source that was fetched and inspected. */
export interface OpenSource {
  file: SourceFile;
  inspection: Inspection;
  task: EngineSource;
}

/** A job's source. */
export interface Source {
  /** Checks what can be checked without fetching. @throws {AppError} `url_not_allowed` */
  check(): Promise<void>;
  /**
   * Fetches the source where it has a URL, inspects it, and converts text to UTF-8.
   * @param newPath returns paths for temporary files
   * @param accept throws for a source that the job cannot use
   * @throws {AppError} as `Downloader.download`, `inspect`, `transcode` and `assertFitsSheet` do
   */
  open(signal: AbortSignal, newPath: () => string, accept?: (inspection: Inspection) => void): Promise<OpenSource>;
}

/** Creates the source of a request. @throws {AppError} `unsupported_format` for a `from` that is no format */
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
      const task = { from: format, stem: parseStem(filename) };
      if (!text) {
        const settings = {
          ...(encrypted && { encrypted }),
          ...(generation && { generation }),
          ...(password !== undefined && { password }),
        };
        return { file, inspection, task: { ...task, input: path, source: settings } };
      }
      const input = newPath();
      const size = await threads.transcode({ path, target: input, ...text }, signal);
      if (size) assertFitsSheet(size, maxFileBytes(), request.cellLetters);
      const settings = text.delimiter === undefined ? {} : { delimiter: text.delimiter };
      return { file, inspection, task: { ...task, input, source: settings } };
    },
  };
}
