import type { DocbuilderStatus } from '../../../src/common/generated/wire.ts';
import type { Encoding, FlatFormat, ImageFormat, TargetFormat } from '../formats.ts';
import type { EngineSource } from '../source/sources.ts';

/** Settings of a target; each member only if the target supports it (see convert/options.ts). */
export interface OutputOptions {
  /** Page range such as `1-3,5`; PDF only. */
  pages?: string;
  /** PDF/A-2b; PDF only. */
  pdfa?: boolean;
  /** Highest resolution of pictures in dots per inch; PDF only. */
  imageResolution?: number;
  /** Field separator of a csv target. One character. */
  delimiter?: string;
  /** Character set of a csv or txt target. */
  encoding?: Encoding;
}

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

/** One document, opened once, and all that is made of it. Paths are absolute; the engine only reads `input`. */
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
  /** Milliseconds inside the engine, for Server-Timing and the bench. */
  loadMs: number;
  /** The time for all outputs together. */
  storeMs: number;
}

/**
 * Why the engine could not do a task. `password`: missing or wrong; `corrupt`: cannot be opened;
 * `damaged_part`: a part of the package cannot be read; `other_format`: it is of another family; `crashed`: the
 * document took down two workers; `memory`: it needed more than a worker may have; `output_limit`: the result is
 * over `maxOutputBytes`; `too_many_rows`, `too_many_columns`, `too_long_cells`: a target has no room for all of a
 * sheet; `page_range`: the document has none of the pages asked for; `disk_full`: no space for the result; `no_worker`:
 * no worker could be started.
 */
export type EngineFailureReason =
  | 'password'
  | 'corrupt'
  | 'damaged_part'
  | 'other_format'
  | 'crashed'
  | 'memory'
  | 'output_limit'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'too_long_cells'
  | 'page_range'
  | 'disk_full'
  | 'no_worker';

/** A failure of `Engine.run`. Its message is for the log. */
export class EngineFailure extends Error {
  readonly reason: EngineFailureReason;

  constructor(reason: EngineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineFailure';
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
  /** Changes the number of workers. A job on a worker that is to go ends first. */
  resize(workers: number): void;
  /** Ends all workers and removes what they left on disk. */
  stop(): Promise<void>;
}
