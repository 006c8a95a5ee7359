import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { IdIssuer } from '../../../src/common/ids.ts';
import type { JobRecord, OutputRecord } from './job.ts';

/** Keeps finished jobs and their files on disk. */
export interface JobStore {
  /** Finished jobs of an earlier run; removes what an unfinished one left. */
  load(): Promise<JobRecord[]>;
  save(job: JobRecord): Promise<void>;
  remove(jobId: string): Promise<void>;
  /** Path of a result file; the job's folder exists afterwards. */
  createFile(jobId: string, fileId: string): Promise<string>;
  filePath(jobId: string, fileId: string): string;
  /** Size in bytes and hex SHA-256 of a result file. */
  describe(jobId: string, fileId: string): Promise<{ size: number; sha256: string }>;
}

/** The jobs that are known, and the difference between one that expired and one that never was. */
export class JobRegistry {
  readonly #jobs = new Map<string, JobRecord>();
  readonly #jobOfFile = new Map<string, string>();
  readonly #store: JobStore;
  readonly #ids: IdIssuer;
  readonly #clock: Clock;
  readonly #retentionMs: () => number;

  /** @param retentionMs the plan's result_ttl_minutes, for ids that the registry has forgotten */
  constructor(deps: { store: JobStore; ids: IdIssuer; clock: Clock; retentionMs: () => number }) {
    this.#store = deps.store;
    this.#ids = deps.ids;
    this.#clock = deps.clock;
    this.#retentionMs = deps.retentionMs;
  }

  /** Takes over the finished jobs of an earlier run (contract: a restart keeps them until they expire). */
  async load(): Promise<JobRecord[]> {
    for (const job of await this.#store.load()) this.add(job);
    await this.sweep();
    return [...this.#jobs.values()];
  }

  newId(prefix: 'job' | 'file'): string {
    const taken = prefix === 'job' ? this.#jobs : this.#jobOfFile;
    for (;;) {
      const id = this.#ids.issue(prefix, this.#clock());
      if (!taken.has(id)) return id;
    }
  }

  add(job: JobRecord): void {
    this.#jobs.set(job.id, job);
    for (const { fileId } of job.outputs) this.#jobOfFile.set(fileId, job.id);
  }

  /** @throws {AppError} `not_found` or `gone` */
  job(id: string): JobRecord {
    const job = this.#jobs.get(id);
    if (!job) throw this.#missing('job', id);
    if (this.#expired(job)) throw new AppError('gone');
    return job;
  }

  /** @throws {AppError} `not_found` or `gone` */
  file(id: string): { output: OutputRecord; path: string; expiresAt: number } {
    const jobId = this.#jobOfFile.get(id);
    if (jobId === undefined) throw this.#missing('file', id);
    const job = this.job(jobId);
    const output = job.outputs.find(({ fileId }) => fileId === id);
    if (!output || job.expiresAt === null) throw new AppError('not_found');
    return { output, path: this.#store.filePath(jobId, id), expiresAt: job.expiresAt };
  }

  /** Forgets and removes what is past its retention. */
  async sweep(): Promise<void> {
    for (const job of this.#jobs.values()) {
      if (!this.#expired(job)) continue;
      this.#jobs.delete(job.id);
      for (const { fileId } of job.outputs) this.#jobOfFile.delete(fileId);
      await this.#store.remove(job.id);
    }
  }

  #expired(job: JobRecord): boolean {
    return job.expiresAt !== null && job.expiresAt <= this.#clock();
  }

  /** An id of ours that is older than the retention belonged to something that expired. */
  #missing(prefix: 'job' | 'file', id: string): AppError {
    const issuedAt = this.#ids.issuedAt(prefix, id);
    const gone = issuedAt !== undefined && this.#clock() - issuedAt >= this.#retentionMs();
    return new AppError(gone ? 'gone' : 'not_found');
  }
}
