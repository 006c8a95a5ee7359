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

/** Most ended jobs in memory for want of room on the disk; the eldest go first. */
const MAX_UNSAVED = 10_000;

/** Finds jobs by their id, and tells expired ones from unknown ones. Memory holds only jobs that the store does not. */
export class JobRegistry {
  readonly #active = new Map<string, JobRecord>();
  /** Ended jobs that are not on the disk yet. */
  readonly #unsaved = new Map<string, JobRecord>();
  /** Ids made while `load` runs. */
  #made: Set<string> | undefined = new Set();
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Takes over from an earlier run (contract: a restart keeps finished jobs until they expire): removes jobs that had
   * not ended, and expired ones. New work may run meanwhile. Called once.
   * @returns the jobs with a pending callback
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

  add(job: JobRecord): void {
    this.#active.set(job.id, job);
  }

  /** Forgets a job that the store has, or that was refused. */
  forget(job: JobRecord): void {
    this.#active.delete(job.id);
  }

  /** Holds an ended job that cannot be stored (a full disk, say) until it can be, or expires. */
  holdUnsaved(job: JobRecord): void {
    this.#active.delete(job.id);
    this.#unsaved.set(job.id, job);
    const [eldest] = this.#unsaved.keys();
    if (this.#unsaved.size > MAX_UNSAVED && eldest !== undefined) this.#unsaved.delete(eldest);
  }

  /** Stores what could not be stored before. */
  async saveUnsaved(): Promise<void> {
    for (const [id, job] of this.#unsaved) {
      try {
        if (!this.#expired(job)) await this.#deps.store.save(job);
        this.#unsaved.delete(id);
      } catch {
        // The others would find no room either.
        return;
      }
    }
  }

  /** @throws {AppError} `not_found` or `gone` */
  async job(id: string): Promise<JobRecord> {
    const { ids, store, clock, retentionMs } = this.#deps;
    const issuedAt = ids.issuedAt('job', id);
    if (issuedAt === undefined) throw new AppError('not_found');
    const active = this.#active.get(id);
    // What belongs to its end is there before that is stored.
    const unended = active && { ...active, finishedAt: null, expiresAt: null, outputs: [], error: null };
    const stored = this.#unsaved.get(id) ?? (await store.read(id));
    // Another replica may have failed a job that still runs here. Until its end, a stored job may be out of date.
    const job = unended && (stored?.finishedAt ?? null) === null ? unended : stored;
    if (job && !this.#expired(job)) return job;
    throw new AppError(job || clock() - issuedAt >= retentionMs() ? 'gone' : 'not_found');
  }

  /** @throws {AppError} `not_found` or `gone` */
  async file(id: string): Promise<{ output: OutputRecord; read: ReadResult }> {
    const { ids, store } = this.#deps;
    if (ids.issuedAt('file', id) === undefined) throw new AppError('not_found');
    const job = await this.job(ids.sibling(id, 'job'));
    const output = job.outputs.find(({ fileId }) => fileId === id);
    if (!output) throw new AppError('not_found');
    return { output, read: store.content(job.id, output) };
  }

  /** Removes expired jobs, and stores what could not be stored before. */
  async sweep(): Promise<void> {
    await this.saveUnsaved();
    await this.#deps.store.sweep((id) => this.#active.has(id));
  }

  #expired(job: JobRecord): boolean {
    return isExpired(job, this.#deps.clock());
  }
}
