import type { JobKind, OutputRecord } from './job.ts';

/**
 * One kind of job, as convert, script, template and extract make it. The job service calls `prepare` once, and what it
 * resolves to once for each turn that the job gets (see JobQueue).
 */
export interface Work {
  kind: JobKind;
  /** The part of `prepare` that fetches nothing, where there is more to it. */
  check?(): Promise<void>;
  /**
   * Fetches and inspects what the work needs; no worker is held meanwhile.
   * @param newPath gives paths for temporary files, which the job service removes when the job has ended
   */
  prepare(signal: AbortSignal, newPath: () => string): Promise<Run>;
}

/** The work itself, while the job holds one of the parallel places. */
export type Run = (signal: AbortSignal, newFile: () => Promise<NewFile>) => Promise<Produced>;

/** A place for one result file. */
export interface NewFile {
  fileId: string;
  path: string;
}

export interface Produced {
  outputs: Omit<OutputRecord, 'contentType' | 'size' | 'sha256'>[];
  /** Milliseconds inside the engine. */
  engineMs: number;
}

/** Resources that a request holds until the job that it becomes has ended: temporary files, and memory for its JSON. */
export interface Resources {
  /** A path for a temporary file, which `release` removes. */
  newPath(): string;
  release(): Promise<void>;
}
