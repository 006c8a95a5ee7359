import { randomUUID } from 'node:crypto';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { withContext } from '../../../src/common/context.ts';
import { AppError, errorBody, toAppError } from '../../../src/common/errors.ts';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import type { Logger } from '../../../src/common/log.ts';
import { startDeadline } from '../../../src/common/net/deadline.ts';
import { contentTypeOf } from '../formats.ts';
import type { JobKind, JobRecord, OutputRecord } from './job.ts';
import type { JobRegistry, JobStore } from './job-registry.ts';
import type { EffectiveLimits } from './limits.ts';
import { type JobQueue, stopping, type Ticket } from './queue.ts';

/** Sends a job's completion callback in the background; tells of each change of `job.callback` through `changed`. */
export interface CallbackSender {
  deliver(job: JobRecord, changed: () => Promise<void>): void;
}

/** A place for one result file. */
export interface NewFile {
  fileId: string;
  path: string;
}

/** What a kind of job does. All that is the same for every kind is the job service's. */
export interface Work {
  kind: JobKind;
  /** What of `prepare` fetches nothing, where that is only a part of it: it is then done while the caller is still there. */
  check?(): Promise<void>;
  /** What needs no worker yet (a download, say). */
  prepare(signal: AbortSignal): Promise<void>;
  /** The work itself, while the job holds one of the parallel places. */
  run(signal: AbortSignal, newFile: () => Promise<NewFile>): Promise<Produced>;
  /** Removes the work's temporary files; called once, whatever happened. */
  dispose(): Promise<void>;
}

export interface Produced {
  outputs: Omit<OutputRecord, 'contentType' | 'size' | 'sha256'>[];
  /** Milliseconds inside the engine. */
  engineMs: number;
}

export interface Submission {
  /** Public address for the job's links. */
  baseUrl: string;
  callbackUrl?: string | undefined;
  /** Ends the job wherever it is, for the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface Dependencies {
  queue: JobQueue;
  registry: JobRegistry;
  store: JobStore;
  callbacks: CallbackSender;
  limits: () => EffectiveLimits;
  clock: Clock;
  log: Logger;
  audit: Audit;
}

/** Jobs from submission to their end (contract: States and transitions, DocBuilder job). */
export class JobService {
  readonly #deps: Dependencies;
  readonly #active = new Set<Promise<void>>();
  /** Ends what is done for jobs before they wait for their turn. */
  readonly #preparing = new Set<AbortController>();
  #stopped = false;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Accepts a job.
   * @returns the job, and a promise of its end that never rejects: how it ended is in the job
   * @throws {AppError} `queue_full`, or `pool_unavailable` while the service stops; the work is then disposed of
   */
  async submit(work: Work, submission: Submission): Promise<{ job: JobRecord; ended: Promise<void> }> {
    let ticket: Ticket;
    try {
      ticket = this.#deps.queue.reserve();
    } catch (error) {
      await work.dispose();
      throw error;
    }
    const job = this.#newJob(work.kind, submission);
    this.#deps.registry.add(job);
    const ended = withContext({ jobId: job.id }, () => this.#process(job, work, ticket, submission.signal));
    this.#background(ended);
    return { job, ended };
  }

  /**
   * What work needs before it waits for its turn. A stop ends it: a download must not hold that up.
   * @throws {AppError} whatever the work is refused for, `pool_unavailable` while the service stops; the signal's reason
   */
  async prepare(work: Work, signal: AbortSignal): Promise<void> {
    if (this.#stopped) throw stopping();
    const preparing = new AbortController();
    this.#preparing.add(preparing);
    try {
      await under((either) => work.prepare(either), [signal, preparing.signal]);
    } finally {
      this.#preparing.delete(preparing);
    }
  }

  /** Goes on with callbacks that an earlier run had not delivered. */
  resume(jobs: readonly JobRecord[]): void {
    for (const job of jobs) this.#callBack(job);
  }

  /** Refuses new work, lets what runs finish, ends what waits. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const closed = this.#deps.queue.close();
    for (const preparing of this.#preparing) preparing.abort(stopping());
    await closed;
    while (this.#active.size > 0) await Promise.all(this.#active);
    await this.#deps.registry.keepNow();
  }

  #newJob(kind: JobKind, { baseUrl, callbackUrl }: Submission): JobRecord {
    const now = this.#deps.clock();
    return {
      id: this.#deps.registry.newJobId(),
      kind,
      status: 'queued',
      createdAt: now,
      startedAt: null,
      finishedAt: null,
      expiresAt: null,
      outputs: [],
      error: null,
      callback:
        callbackUrl === undefined
          ? null
          : {
              url: callbackUrl,
              deliveryId: randomUUID(),
              state: 'pending',
              attempts: 0,
              lastStatus: null,
              nextAttemptAt: now,
            },
      baseUrl,
      timing: { queueMs: 0, engineMs: 0 },
    };
  }

  async #process(job: JobRecord, work: Work, ticket: Ticket, cancel: AbortSignal | undefined): Promise<void> {
    const never = new AbortController().signal;
    const signal = cancel ?? never;
    const submitted = performance.now();
    try {
      await this.prepare(work, signal);
      const run = async (yielded: AbortSignal): Promise<void> => {
        job.status = 'running';
        job.startedAt = this.#deps.clock();
        job.timing.queueMs = performance.now() - submitted;
        try {
          await this.#run(job, work, AbortSignal.any([signal, yielded]));
        } catch (error) {
          if (yielded.aborted) await this.#putBack(job);
          throw error;
        }
      };
      await ticket.run(run, { signal, urgent: cancel !== undefined });
      await this.#finish(job, 'done');
    } catch (error) {
      await this.#fail(job, error);
    } finally {
      ticket.release();
      // Nobody waits for the cleaning but a stop.
      this.#background(
        work.dispose().catch((error) => this.#deps.log.warn({ err: error }, 'temporary files could not be removed')),
      );
    }
  }

  /** What a stop waits for. */
  #background(work: Promise<void>): void {
    this.#active.add(work);
    void work.finally(() => this.#active.delete(work));
  }

  /** Makes a job that has to make room for others one that waits. */
  async #putBack(job: JobRecord): Promise<void> {
    job.status = 'queued';
    job.startedAt = null;
    await this.#deps.store.remove(job.id);
  }

  /** Runs the work under the plan's job timeout. */
  async #run(job: JobRecord, work: Work, signal: AbortSignal): Promise<void> {
    const seconds = this.#deps.limits().job_timeout_seconds;
    const late = () => new AppError('timeout', { scope: 'job', limit_seconds: seconds });
    const deadline = startDeadline(seconds * 1000, late, signal);
    try {
      const { store, registry } = this.#deps;
      let files = 0;
      const newFile = async (): Promise<NewFile> => {
        const fileId = registry.fileId(job.id, files++);
        return { fileId, path: await store.createFile(job.id, fileId) };
      };
      const produced = await under((limited) => work.run(limited, newFile), [deadline.signal]);
      job.timing.engineMs = produced.engineMs;
      job.outputs = await Promise.all(
        produced.outputs.map(async (output) => ({
          ...output,
          contentType: contentTypeOf(output.format),
          ...(await store.describe(job.id, output.fileId)),
        })),
      );
    } finally {
      deadline.end();
    }
  }

  async #finish(job: JobRecord, status: 'done' | 'failed'): Promise<void> {
    const { registry, store, log, audit } = this.#deps;
    const now = this.#stamp(job);
    const finished: JobRecord = { ...job, status };
    await store.save(finished);
    job.status = status;
    registry.settle(job);
    const facts = { kind: job.kind, status, code: job.error?.code ?? null, ms: now - job.createdAt };
    log.info({ ...facts, engine_ms: Math.round(job.timing.engineMs) }, 'job finished');
    audit.record('job.finished', facts);
    if (job.callback) this.#callBack(job);
  }

  /** Says that a job ends now. */
  #stamp(job: JobRecord): number {
    const now = this.#deps.clock();
    job.finishedAt = now;
    job.expiresAt = now + this.#deps.limits().result_ttl_minutes * 60_000;
    return now;
  }

  async #fail(job: JobRecord, thrown: unknown): Promise<void> {
    const error = toAppError(orDiskFull(thrown));
    if (error.code === 'internal') this.#deps.log.error({ err: error.cause }, 'job failed unexpectedly');
    else this.#deps.log.debug({ code: error.code, err: error.cause }, 'job failed');
    job.outputs = [];
    job.error = errorBody(error.code, error.detail);
    job.retryAfter = error.retryAfter;
    try {
      await this.#deps.store.remove(job.id);
      await this.#finish(job, 'failed');
    } catch (cause) {
      // Nothing can be kept (a full disk, say); the job still ends.
      this.#stamp(job);
      this.#deps.log.error({ err: cause }, 'a failed job could not be kept');
      job.status = 'failed';
      this.#deps.registry.keepLater(job);
      if (job.callback) this.#callBack(job);
    }
  }

  #callBack(job: JobRecord): void {
    this.#deps.callbacks.deliver(job, () => this.#deps.store.save(job));
  }
}

/** A step of a job under signals. One that fails after an abort failed of it: streams call every abort the same. */
async function under<T>(step: (signal: AbortSignal) => Promise<T>, signals: AbortSignal[]): Promise<T> {
  const signal = AbortSignal.any(signals);
  try {
    return await step(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
