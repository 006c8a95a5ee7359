import type { Encoding } from '../formats.ts';
import type { JobKind, OutputRecord } from './job.ts';

/** One kind of job. The job service calls `prepare` once, and the run that it returns once for each turn of the job. */
export interface Work {
  kind: JobKind;
  /** The checks of `prepare` that fetch nothing. */
  check?(): Promise<void>;
  /**
   * Fetches and inspects the sources, without a worker.
   * @param newPath returns paths for temporary files; the job service removes them when the job has ended
   */
  prepare(signal: AbortSignal, newPath: () => string): Promise<Run>;
}

/** The work itself; the job holds one of the parallel places. */
export type Run = (signal: AbortSignal, newFile: () => Promise<NewFile>) => Promise<Produced>;

/** A place for one result file. */
export interface NewFile {
  fileId: string;
  path: string;
}

export interface Produced {
  outputs: (Omit<OutputRecord, 'contentType' | 'size' | 'sha256'> & { encoding?: Encoding | undefined })[];
  /** Milliseconds inside the engine. */
  engineMs: number;
}

/** Temporary files, and memory for JSON, that a request holds until its job has ended. */
export interface Resources {
  newPath(): string;
  release(): Promise<void>;
}
