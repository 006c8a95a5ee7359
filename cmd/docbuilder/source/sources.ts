import type { Generation, SourceFormat } from '../formats.ts';
import type { EngineTask, SourceEncoding } from '../ports.ts';
import { assertFitsSheet, CsvSize } from './csv/csv-size.ts';
import { stemOf } from './filename.ts';
import type { Macros } from './inspect/packages.ts';
import { sourceName } from './source-name.ts';

/** What a source file was found to be. */
export interface Inspection {
  format: SourceFormat;
  encrypted: boolean;
  /** Of a binary document older than Office 97. */
  generation?: Generation;
  /** What a template may not have (contract: macro_not_allowed); null for encrypted and binary formats. */
  macros: Macros | null;
  /** csv and txt only. */
  text?: { encoding: SourceEncoding; delimiter?: string };
}

export interface InspectOptions {
  filename?: string | undefined;
  from?: string | undefined;
  encoding?: SourceEncoding | undefined;
  delimiter?: string | undefined;
  hasPassword: boolean;
  /** Ends it; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Looks into source files. */
export interface Inspector {
  /** @throws {AppError} `corrupt_source`, `unsupported_format`, `password_required`, `file_too_large` */
  inspect(path: string, options: InspectOptions): Promise<Inspection>;
  /**
   * Writes a text file's content as UTF-8; csv without the line `sep=;` that Excel puts before it.
   * @param options.csv where the file is csv: told what is in it
   */
  transcode(
    path: string,
    target: string,
    from: SourceEncoding,
    options?: { csv?: CsvSize; signal?: AbortSignal },
  ): Promise<void>;
}

/** A file that a request brought along or that was fetched for it. */
export interface SourceFile {
  path: string;
  filename?: string | undefined;
}

/** Temporary files. */
export interface Scratch {
  /** A path that no file has yet. */
  newPath(): string;
  read(path: string): Promise<Buffer>;
  /** Creates a file of text that is made while it is written. @throws {AppError} `file_too_large` above `maxBytes` */
  write(path: string, pieces: Iterable<string>, maxBytes: number, signal: AbortSignal): Promise<void>;
  /** Bytes of a file. */
  size(path: string): Promise<number>;
  remove(path: string): Promise<void>;
}

/** Fetches sources through the outbound door. */
export interface Downloader {
  /** Whether the rules allow the address, without connecting. @throws {AppError} `url_not_allowed` */
  check(url: string): Promise<void>;
  /** @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large` */
  download(url: string, maxBytes: number, signal: AbortSignal): Promise<SourceFile>;
}

export interface SourceDependencies {
  inspector: Inspector;
  downloader: Downloader;
  scratch: Scratch;
  maxFileBytes: () => number;
}

/** Where a source is and what the caller says about it. */
export interface SourceRequest {
  source: SourceFile | { url: string };
  from?: string | undefined;
  password?: string | undefined;
  encoding?: SourceEncoding | undefined;
  delimiter?: string | undefined;
  /** What a cell has room for in what is made of it, where that is less than the engine has. */
  cellLetters?: number | undefined;
}

/** A source that is at hand and was looked into. */
export interface OpenSource {
  file: SourceFile;
  inspection: Inspection;
}

/** The part of an engine's task that the source decides. */
export type SourceTask = Pick<EngineTask, 'input' | 'from' | 'stem' | 'source'>;

/** A job's source, with the temporary files that it needs. */
export interface Source {
  /** What can be said without fetching anything. @throws {AppError} `url_not_allowed` */
  check(): Promise<void>;
  /** Fetches the source where it must be fetched, and looks into it. @throws {AppError} whatever is wrong with it */
  open(signal: AbortSignal): Promise<OpenSource>;
  /** Settings of the source for the engine: text reaches it as UTF-8, everything else unchanged. */
  task(opened: OpenSource, signal: AbortSignal): Promise<SourceTask>;
  /** A path for a file of the job's own, removed with the rest. */
  newPath(): string;
  dispose(): Promise<void>;
}

/**
 * What all work on a source file begins and ends with.
 * @throws {AppError} `unsupported_format` for a `from` that is no format
 */
export function createSource(request: SourceRequest, deps: SourceDependencies): Source {
  sourceName(request.from, undefined);
  const temporary: string[] = 'path' in request.source ? [request.source.path] : [];

  async function fetchFile(signal: AbortSignal): Promise<SourceFile> {
    if ('path' in request.source) return request.source;
    const file = await deps.downloader.download(request.source.url, deps.maxFileBytes(), signal);
    temporary.push(file.path);
    return file;
  }

  function newPath(): string {
    const path = deps.scratch.newPath();
    temporary.push(path);
    return path;
  }

  return {
    newPath,
    check: async () => {
      if ('url' in request.source) await deps.downloader.check(request.source.url);
    },
    async open(signal) {
      const file = await fetchFile(signal);
      const { from, password, encoding, delimiter } = request;
      const inspection = await deps.inspector.inspect(file.path, {
        ...{ from, encoding, delimiter, signal },
        filename: file.filename,
        hasPassword: password !== undefined,
      });
      return { file, inspection };
    },
    async task({ file, inspection: { format, text, encrypted, generation } }, signal) {
      const { password } = request;
      const known = { from: format, stem: stemOf(file.filename) };
      const own = { ...(encrypted && { encrypted }), ...(generation && { generation }) };
      if (!text) return { ...known, input: file.path, source: { ...own, ...(password !== undefined && { password }) } };
      const input = newPath();
      const csv = format === 'csv' ? new CsvSize(text.delimiter ?? ',') : undefined;
      await deps.inspector.transcode(file.path, input, text.encoding, { ...(csv && { csv }), signal });
      if (csv) assertFitsSheet(csv, deps.maxFileBytes(), request.cellLetters);
      return { ...known, input, source: { ...(text.delimiter !== undefined && { delimiter: text.delimiter }) } };
    },
    dispose: async () => {
      await Promise.all(temporary.map((path) => deps.scratch.remove(path)));
    },
  };
}
