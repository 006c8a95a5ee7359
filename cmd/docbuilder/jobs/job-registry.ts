import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import type { IdIssuer } from './ids.ts';
import { isExpired, type JobRecord, type OutputRecord } from './job.ts';
import type { JobStore, ReadResult } from './job-store.ts';

interface Dependencies {
  store: JobStore;
  ids: IdIssuer;
  clock: Clock;
  /** The plan's result_ttl_minutes in milliseconds. */
  retentionMs: () => number;
}

/** Ended jobs whose record found no place on the disk; more are forgotten, the eldest first. */
const MOST_UNKEPT = 10_000;

/**
 * The jobs that are known, and the difference between one that expired and one that never was. Memory holds only what
 * has not ended; everything else is in the store and found by its id.
 */
export class JobRegistry {
  readonly #active = new Map<string, JobRecord>();
  /** Ended, and not on the disk yet. */
  readonly #unkept = new Map<string, JobRecord>();
  /** Ids that were made while the jobs of an earlier run are still looked through. */
  #made: Set<string> | undefined = new Set();
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Takes over from an earlier run (contract: a restart keeps finished jobs until they expire): removes what never
   * ended there and what has expired. May take its time beside new work, which it leaves alone. Called once.
   * @returns the jobs whose callback is still to be delivered
   */
  async load(): Promise<JobRecord[]> {
    try {
      return await this.#deps.store.takeOver((id) => this.#made?.has(id) ?? false);
    } finally {
      this.#made = undefined;
    }
  }

  newJobId(): string {
    const id = this.#deps.ids.issue('job', this.#deps.clock());
    this.#made?.add(id);
    return id;
  }

  /** @param index of the file in its job */
  fileId(jobId: string, index: number): string {
    return this.#deps.ids.sibling(jobId, 'file', index);
  }

  /** Knows a job from its submission on. */
  add(job: JobRecord): void {
    this.#active.set(job.id, job);
  }

  /** Forgets a job of which the store tells from now on, or whose submission was refused after all. */
  forget(job: JobRecord): void {
    this.#active.delete(job.id);
  }

  /** Knows an ended job whose record could not be kept (a full disk, say) until it can be, or expires. */
  keepLater(job: JobRecord): void {
    this.#active.delete(job.id);
    this.#unkept.set(job.id, job);
    const [eldest] = this.#unkept.keys();
    if (this.#unkept.size > MOST_UNKEPT && eldest !== undefined) this.#unkept.delete(eldest);
  }

  /** Tries again to keep what could not be kept. */
  async keepNow(): Promise<void> {
    for (const [id, job] of this.#unkept) {
      try {
        if (!this.#expired(job)) await this.#deps.store.save(job);
        this.#unkept.delete(id);
      } catch {
        // The others would find no place either.
        return;
      }
    }
  }

  /** @throws {AppError} `not_found` or `gone` */
  async job(id: string): Promise<JobRecord> {
    const issuedAt = this.#deps.ids.issuedAt('job', id);
    if (issuedAt === undefined) throw new AppError('not_found');
    const active = this.#active.get(id);
    // The store goes first: a replica that stood still may run a job of which others have told the end.
    const job = this.#unkept.get(id) ?? (await this.#deps.store.read(id)) ?? active;
    if (!job) throw this.#missing(issuedAt);
    if (this.#expired(job)) throw new AppError('gone');
    return job;
  }

  /** @throws {AppError} `not_found` or `gone` */
  async file(id: string): Promise<{ output: OutputRecord; read: ReadResult }> {
    if (this.#deps.ids.issuedAt('file', id) === undefined) throw new AppError('not_found');
    const job = await this.job(this.#deps.ids.sibling(id, 'job'));
    const output = job.outputs.find(({ fileId }) => fileId === id);
    if (!output) throw new AppError('not_found');
    return { output, read: this.#deps.store.content(job.id, output) };
  }

  /** Removes what is past its retention, and keeps what could not be kept before. */
  async sweep(): Promise<void> {
    await this.keepNow();
    await this.#deps.store.sweep((id) => this.#active.has(id));
  }

  #expired(job: JobRecord): boolean {
    return isExpired(job, this.#deps.clock());
  }

  /** An id of ours that is older than the retention belonged to something that expired. */
  #missing(issuedAt: number): AppError {
    return new AppError(this.#deps.clock() - issuedAt >= this.#deps.retentionMs() ? 'gone' : 'not_found');
  }
}
