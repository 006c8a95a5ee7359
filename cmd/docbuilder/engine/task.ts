import type { ConvertOptions, DocbuilderStatus } from '../../../src/common/generated/wire.ts';
import type { Encoding, FlatFormat, ImageFormat, TargetFormat } from '../formats.ts';
import type { EngineSource } from '../source/sources.ts';

/** Options of a target, such as it supports (convert/convert.ts). */
export type OutputOptions = Omit<ConvertOptions, 'password' | 'encoding'> & { encoding?: Encoding };

/** A picture of one page, sheet page or slide. */
export interface ImageOptions {
  /** Counted from 1. */
  page: number;
  /** The picture is as large as fits into this box, in pixels, with the page's proportions. */
  width: number;
  height: number;
}

/** One file that the engine makes of a document; it creates `path`. */
export type EngineOutput =
  | { path: string; to: TargetFormat | FlatFormat; options: OutputOptions }
  | { path: string; to: ImageFormat; image: ImageOptions };

/** One document, loaded once, and all outputs made of it. Paths are absolute; the engine only reads `input`. */
export interface EngineTask extends EngineSource {
  /** Computes all formulas: a document that was just made has no results yet. */
  calculate?: boolean;
  outputs: readonly [EngineOutput, ...EngineOutput[]];
  /** A larger result is refused. */
  maxOutputBytes: number;
}

export interface EngineResult {
  /** For each output, in order: pages of a PDF or text document, sheets, or slides; 1 for a picture. */
  pages: number[];
  /** Milliseconds inside LibreOffice; `storeMs` is that of all outputs together. */
  loadMs: number;
  storeMs: number;
}

export type EngineFailureReason =
  /** Missing or wrong. */
  | 'password'
  | 'corrupt'
  | 'damaged_part'
  /** The document is of another family than its format. */
  | 'other_format'
  /** Two workers died of the document. */
  | 'crashed'
  | 'memory'
  | 'output_limit'
  /** A target has no room for all of a sheet. */
  | 'too_many_rows'
  | 'too_many_columns'
  | 'too_long_cells'
  /** The document has none of the pages asked for. */
  | 'page_range'
  | 'disk_full'
  | 'no_worker';

/** A failure of `Engine.run`. Its message is for the log. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly reason: EngineFailureReason;

  constructor(reason: EngineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export type SandboxKind = DocbuilderStatus['sandbox'];
export type EngineStatus = Pick<DocbuilderStatus, 'core' | 'sandbox' | 'workers'>;

/** Turns documents into documents. */
export interface Engine {
  /**
   * Runs one task on a worker of its own.
   * @param signal kills the worker, which is replaced; the promise then rejects with the signal's reason
   * @throws {EngineFailure}
   */
  run(task: EngineTask, signal: AbortSignal): Promise<EngineResult>;
  status(): EngineStatus;
  /** Changes the number of workers; a running job ends before its worker does. */
  resize(workers: number): void;
  /** Ends all workers and removes what they left on disk. */
  stop(): Promise<void>;
}
