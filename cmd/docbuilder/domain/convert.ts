import { AppError } from '../../../src/common/errors.ts';
import type { ConvertOptions } from '../../../src/common/generated/wire.ts';
import { engineError } from './engine-errors.ts';
import { stemOf } from './filename.ts';
import { canConvert, contentTypeOf, isTargetFormat, type SourceFormat, type TargetFormat } from './formats.ts';
import type { Work } from './jobs.ts';
import { engineOptions, pairDetail } from './options.ts';
import type { Encoding, Engine, EngineOptions } from './ports.ts';

/** What a source file was found to be. */
export interface Inspection {
  format: SourceFormat;
  encrypted: boolean;
  /** csv and txt only. */
  text?: { encoding: Encoding; delimiter?: string };
}

export interface InspectOptions {
  filename?: string;
  from?: string;
  encoding?: Encoding;
  delimiter?: string;
  hasPassword: boolean;
}

/** Looks into source files. */
export interface Inspector {
  /** @throws {AppError} `corrupt_source`, `unsupported_format`, `password_required`, `file_too_large` */
  inspect(path: string, options: InspectOptions): Promise<Inspection>;
  /** Writes a text file's content as UTF-8; on demand without the line `sep=;` that Excel puts before csv. */
  transcode(path: string, target: string, from: Encoding, options?: { dropSeparatorLine?: boolean }): Promise<void>;
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
  remove(path: string): Promise<void>;
}

/** Fetches sources through the outbound door. */
export interface Downloader {
  /** @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large` */
  download(url: string, maxBytes: number, signal: AbortSignal): Promise<SourceFile>;
}

export interface ConvertRequest {
  source: SourceFile | { url: string };
  to: string;
  from?: string | undefined;
  options: ConvertOptions;
}

interface Dependencies {
  engine: Engine;
  inspector: Inspector;
  downloader: Downloader;
  scratch: Scratch;
  maxFileBytes: () => number;
}

/** A source that is ready for the engine. */
interface Prepared {
  path: string;
  stem: string;
  from: SourceFormat;
  to: TargetFormat;
  options: EngineOptions;
}

/**
 * `POST /v1/convert` as a kind of job: fetch, look into the source, check the pair and the options, hand it to the
 * engine. Everything that can be refused is refused in `prepare`, before a worker is asked.
 */
export function convertWork(request: ConvertRequest, deps: Dependencies): Work {
  const temporary: string[] = 'path' in request.source ? [request.source.path] : [];
  let prepared: Promise<Prepared> | undefined;

  async function prepare(signal: AbortSignal): Promise<Prepared> {
    const target = targetOf(request.to);
    const source = await fetchSource(signal);
    const { password, encoding, delimiter } = request.options;
    const inspection = await deps.inspector.inspect(source.path, {
      hasPassword: password !== undefined,
      ...(source.filename !== undefined && { filename: source.filename }),
      ...(request.from !== undefined && { from: request.from }),
      ...(encoding !== undefined && { encoding }),
      ...(delimiter !== undefined && { delimiter }),
    });
    if (!canConvert(inspection.format, target)) {
      throw new AppError('unsupported_format', pairDetail(inspection.format, target));
    }
    const options = engineOptions(request.options, inspection.format, target);
    const found = inspection.text?.delimiter;
    return {
      path: await asUtf8(source.path, inspection),
      stem: stemOf(source.filename),
      from: inspection.format,
      to: target,
      options: { ...(found !== undefined && { delimiter: found }), ...options },
    };
  }

  async function fetchSource(signal: AbortSignal): Promise<SourceFile> {
    if ('path' in request.source) return request.source;
    const source = await deps.downloader.download(request.source.url, deps.maxFileBytes(), signal);
    temporary.push(source.path);
    return source;
  }

  /** The engine reads text as UTF-8 only. */
  async function asUtf8(path: string, { format, text }: Inspection): Promise<string> {
    if (!text) return path;
    const converted = deps.scratch.newPath();
    temporary.push(converted);
    await deps.inspector.transcode(path, converted, text.encoding, { dropSeparatorLine: format === 'csv' });
    return converted;
  }

  return {
    kind: 'convert',
    prepare: async (signal) => {
      prepared ??= prepare(signal);
      await prepared;
    },
    run: async (signal, newFile) => {
      const { path, stem, from, to, options } = await (prepared ?? prepare(signal));
      const { fileId, path: output } = await newFile();
      const result = await deps.engine
        .run(
          { kind: 'convert', input: path, from, output, to, stem, options, maxOutputBytes: deps.maxFileBytes() },
          signal,
        )
        .catch((error) => {
          throw engineError(error, deps.maxFileBytes());
        });
      return {
        outputs: [
          {
            fileId,
            filename: `${stem}.${to}`,
            format: to,
            contentType: contentTypeOf(to),
            pages: result.pages,
          },
        ],
        engineMs: result.loadMs + result.storeMs,
      };
    },
    dispose: async () => {
      await Promise.all(temporary.map((path) => deps.scratch.remove(path)));
    },
  };
}

function targetOf(to: string): TargetFormat {
  const name = to.toLowerCase();
  if (!isTargetFormat(name)) throw new AppError('unsupported_format', { to });
  return name;
}
