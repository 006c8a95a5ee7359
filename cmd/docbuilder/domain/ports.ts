import type { SourceFormat, TargetFormat } from './formats.ts';

/** Character sets that text and csv files are read and written in. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1258', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What a target may be told; each member only where the target knows it (see domain/options.ts). */
export interface EngineOptions {
  /** Opens a protected source. */
  password?: string;
  /** Page range such as `1-3,5`; PDF only. */
  pages?: string;
  /** PDF/A-2b; PDF only. */
  pdfa?: boolean;
  /** Highest resolution of pictures in dots per inch; PDF only. */
  imageResolution?: number;
  /** Field separator of a csv source or, when the source is none, of a csv target. One character. */
  delimiter?: string;
  /** Character set of a csv or txt target. A source arrives at the engine as UTF-8. */
  encoding?: Encoding;
}

/** One conversion. Paths are absolute; the engine only reads `input` and creates `output`. */
export interface ConvertTask {
  kind: 'convert';
  input: string;
  from: SourceFormat;
  output: string;
  to: TargetFormat;
  /** Base name without extension under which the document knows itself (sheet name of a csv, file-name fields). */
  stem: string;
  options: EngineOptions;
  /** More than this and the result is refused. */
  maxOutputBytes: number;
}

export interface ConvertResult {
  /** Pages of a PDF or text document, sheets, or slides. */
  pages: number;
  /** Milliseconds inside the engine, for Server-Timing and the bench. */
  loadMs: number;
  storeMs: number;
}

/**
 * Why the engine could not do a task. `password`: missing or wrong; `corrupt`: cannot be opened; `crashed`: the
 * document took down two workers; `memory`: it needed more than a worker may have; `output_limit`: the result is
 * over `maxOutputBytes`; `page_range`: the document has none of the pages asked for; `disk_full`: no space for the result; `no_worker`: no worker could be started.
 */
export type EngineFailureReason =
  | 'password'
  | 'corrupt'
  | 'crashed'
  | 'memory'
  | 'output_limit'
  | 'page_range'
  | 'disk_full'
  | 'no_worker';

export class EngineFailure extends Error {
  readonly reason: EngineFailureReason;

  constructor(reason: EngineFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineFailure';
    this.reason = reason;
  }
}

export type SandboxKind = 'namespaces' | 'landlock' | 'off';

export interface EngineStatus {
  core: { name: string; version: string; source: string };
  sandbox: SandboxKind;
  /** `restarts` counts workers replaced since start-up, for whatever reason. */
  workers: { total: number; idle: number; busy: number; restarts: number };
}

/** Whatever turns documents into documents. */
export interface Engine {
  /**
   * Runs one task on a worker of its own.
   * @param signal aborting it kills the worker, which is replaced; the promise then rejects with the signal's reason
   * @throws {EngineFailure}
   */
  run(task: ConvertTask, signal: AbortSignal): Promise<ConvertResult>;
  status(): EngineStatus;
  /** Ends all workers and removes what they left on disk. */
  stop(): Promise<void>;
}
