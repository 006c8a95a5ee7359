import type { Clock } from '../../../../src/common/clock.ts';
import type { Logger } from '../../../../src/common/log.ts';
import type { IdIssuer } from '../../jobs/ids.ts';
import type { JobRecord, OutputRecord } from '../../jobs/job.ts';
import { isStorageUnavailable, type JobStore, type ReadResult, storageUnavailable } from '../../jobs/job-store.ts';
import { createJobFiles } from '../folder-jobs.ts';
import type { JobRows } from './job-rows.ts';
import type { Results } from './results.ts';

/** Age at which an object without a row is removed: more than any retention and any time in a queue. */
const LEFT_OVER_MS = 48 * 3_600_000;
/** Age at which a job has been accepted or refused. */
const ANSWERED_MS = 60_000;

interface Dependencies {
  rows: JobRows;
  results: Results;
  /** Returns whether the database has answered lately. */
  isConnected: () => boolean;
  ids: IdIssuer;
  clock: Clock;
  /** The plan's result_ttl_minutes in milliseconds. */
  retentionMs: () => number;
  log: Logger;
}

/** An ended job that is not written yet. */
interface Unsaved {
  job: JobRecord;
  underWay: boolean;
  /** It could not be written. */
  isHeld: boolean;
}

/**
 * Stores the jobs of several replicas: a row each, and results as objects. Results are files of this replica until they
 * are uploaded. A job that ends while database or object store are away stays here until they are back.
 */
export class SharedJobs implements JobStore {
  readonly #deps: Dependencies;
  readonly #files: ReturnType<typeof createJobFiles>;
  readonly createFile: JobStore['createFile'];
  readonly describe: JobStore['describe'];
  readonly discard: JobStore['discard'];
  /** Jobs that were given a row, until all of them is done, and what ends each where another replica has given it up. */
  readonly #added = new Map<string, () => void>();
  readonly #changed = new Set<JobRecord>();
  readonly #unsaved = new Map<string, Unsaved>();
  /** Ended jobs whose answer still reads their files. */
  readonly #answering = new Set<string>();
  /** Taken over jobs without a pending callback; their end is still to be written. */
  readonly #settled = new Set<JobRecord>();
  /** No answer came to the last takeover: its jobs may be this replica's. */
  #isUnsure = false;
  /** Why the last job that ended could not be written. */
  #failure: unknown;

  /** @param directory for results that are not uploaded yet */
  constructor(directory: string, deps: Dependencies) {
    this.#deps = deps;
    this.#files = createJobFiles(directory);
    ({ create: this.createFile, describe: this.describe, remove: this.discard } = this.#files);
  }

  assertReady(): void {
    if (this.#failure !== undefined || !this.#deps.isConnected()) throw storageUnavailable();
  }

  async add(job: JobRecord, onLost: () => void): Promise<void> {
    await this.#deps.rows.add(job);
    this.#added.set(job.id, onLost);
  }

  noteProgress(job: JobRecord): void {
    this.#changed.add(job);
  }

  async save(job: JobRecord): Promise<JobRecord> {
    this.#answering.add(job.id);
    this.#unsaved.set(job.id, { job, underWay: false, isHeld: false });
    return (await this.#write(job.id)) ?? job;
  }

  async update(job: JobRecord): Promise<void> {
    await this.#deps.rows.update(job);
  }

  async ownsCallback(job: JobRecord): Promise<boolean> {
    if (this.#unsaved.has(job.id)) throw storageUnavailable();
    return this.#deps.rows.isOwn(job.id);
  }

  async release(jobId: string): Promise<void> {
    this.#answering.delete(jobId);
    if (!this.#unsaved.has(jobId)) await this.#forget(jobId);
  }

  async read(jobId: string): Promise<JobRecord | undefined> {
    const unsaved = this.#unsaved.get(jobId);
    // Before its results are stored, other replicas do not find them.
    return unsaved?.isHeld ? unsaved.job : this.#deps.rows.read(jobId);
  }

  content(jobId: string, { fileId, sha256 }: OutputRecord): ReadResult {
    if (this.#unsaved.has(jobId) || this.#answering.has(jobId)) return this.#files.read(jobId, fileId);
    return this.#deps.results.read({ jobId, fileId }, sha256);
  }

  async takeOver(): Promise<JobRecord[]> {
    const now = this.#deps.clock();
    const again = this.#isUnsure;
    this.#isUnsure = true;
    const jobs = await this.#deps.rows.takeOver(now, now + this.#deps.retentionMs(), again);
    this.#isUnsure = false;
    if (jobs.length > 0) this.#deps.log.warn({ jobs: jobs.length }, 'jobs of another replica were taken over');
    const isPending = ({ callback }: JobRecord) => callback?.state === 'pending';
    for (const job of jobs) if (!isPending(job)) this.#settled.add(job);
    return jobs.filter(isPending);
  }

  /** Ends the jobs that others have given up while this replica was away: nobody would get their results. */
  async endLost(): Promise<void> {
    const added = [...this.#added];
    const open = await this.#deps.rows.open();
    for (const [id, onLost] of added) if (!open.has(id)) onLost();
  }

  /** Writes changes, and what could not be written before. @throws when the database is away */
  async flush(): Promise<void> {
    for (const job of this.#settled) {
      await this.#deps.rows.update(job);
      this.#settled.delete(job);
    }
    for (const job of this.#changed) {
      // First: it may change again while it is written.
      this.#changed.delete(job);
      // `save` writes an ended one.
      if (job.finishedAt !== null) continue;
      await this.#deps.rows.noteProgress(job).catch((error) => {
        this.#changed.add(job);
        throw error;
      });
    }
    for (const [id, { underWay }] of this.#unsaved) {
      if (underWay) continue;
      await this.#write(id).catch((error) => this.#deps.log.error({ err: error, job: id }, 'a result is lost'));
      // The others would fail as well.
      if (isStorageUnavailable(this.#failure)) return;
    }
  }

  /** Removes expired jobs. Replicas share that work. */
  async sweep(): Promise<void> {
    const { rows, results, clock } = this.#deps;
    for (;;) {
      const expired = await rows.claimExpired(clock());
      if (expired.length === 0) break;
      await results.remove(expired.flatMap(({ id, outputs }) => outputs.map(({ fileId }) => ({ jobId: id, fileId }))));
      await rows.remove(expired.map(({ id }) => id));
    }
    await this.#removeRefused();
    await this.#removeLeftOver();
  }

  /** Removes rows of jobs that were refused since no answer came to their insertion. It may take place long afterwards. */
  async #removeRefused(): Promise<void> {
    const { rows, ids, clock } = this.#deps;
    const added = new Set(this.#added.keys());
    const isRefused = (id: string) => !added.has(id) && clock() - ids.getTime(id) > ANSWERED_MS;
    const refused = [...(await rows.open())].filter(isRefused);
    if (refused.length > 0) await rows.remove(refused);
  }

  /** Removes results whose replica was killed before their job had a row. */
  async #removeLeftOver(): Promise<void> {
    const { rows, results, ids, clock } = this.#deps;
    const isOld = (jobId: string) => clock() - (ids.issuedAt('job', jobId) ?? Number.POSITIVE_INFINITY) > LEFT_OVER_MS;
    const old = (await results.oldest()).filter(({ jobId }) => isOld(jobId));
    if (old.length === 0) return;
    const known = await rows.known(old.map(({ jobId }) => jobId));
    await results.remove(old.filter(({ jobId }) => !known.has(jobId)));
  }

  /** Writes an ended job. @returns the stored job; undefined when the store is away @throws when its files cannot be read */
  async #write(id: string): Promise<JobRecord | undefined> {
    const unsaved = this.#unsaved.get(id);
    if (!unsaved) return undefined;
    unsaved.underWay = true;
    const { job } = unsaved;
    const { rows, results, log } = this.#deps;
    const files = job.outputs.map(({ fileId, size, sha256 }) => {
      return { jobId: id, fileId, size, sha256, path: this.#files.path(id, fileId) };
    });
    try {
      for (const file of files) await results.put(file);
      const isEnd = await rows.end(job, this.#added.has(id));
      const kept = isEnd ? job : await rows.read(id);
      // It was ended before: as failed, or with these results, where no answer came to an earlier attempt.
      if (!isEnd && !kept?.outputs.length) await results.remove(files);
      await this.#written(id);
      return kept;
    } catch (error) {
      if ('syscall' in (error as Error)) {
        await this.#written(id);
        throw error;
      }
      unsaved.isHeld = true;
      if (this.#failure === undefined)
        log.error({ err: error, job: id }, 'a job that ended waits for database and object store');
      this.#failure = error;
      return undefined;
    } finally {
      unsaved.underWay = false;
    }
  }

  async #written(id: string): Promise<void> {
    this.#unsaved.delete(id);
    this.#failure = undefined;
    if (!this.#answering.has(id)) await this.#forget(id);
  }

  #forget(id: string): Promise<void> {
    this.#added.delete(id);
    return this.#files.remove(id);
  }
}
