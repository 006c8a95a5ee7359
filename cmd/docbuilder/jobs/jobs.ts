import { randomUUID } from 'node:crypto';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { withContext } from '../../../src/common/context.ts';
import { AppError, badRequest, errorBody, toAppError } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import { startDeadline, withDeadline } from '../../../src/common/net/deadline.ts';
import { getContentType } from '../formats.ts';
import type { JobKind, JobRecord } from './job.ts';
import type { JobRegistry } from './job-registry.ts';
import { type JobStore, toStorageError } from './job-store.ts';
import type { EffectivePlan } from './limits.ts';
import { type JobQueue, stopping, type Ticket } from './queue.ts';
import type { NewFile, Resources, Run, Work } from './work.ts';

/** Sends a job's completion callback in the background. */
export interface CallbackSender {
  deliver(job: JobRecord): void;
}

/** The members of a work request that every kind of work has. */
export interface Submission {
  async: boolean;
  callbackUrl?: string | undefined;
  /** Public address for the job's links. */
  baseUrl: string;
  /** The work may have to fetch a source: an async job does so after it is accepted. */
  fetches: boolean;
  /** Aborts, with the job's error, when the client has gone. An accepted async job goes on. */
  clientGone: AbortSignal;
}

interface Dependencies {
  queue: JobQueue;
  registry: JobRegistry;
  store: JobStore;
  callbacks: CallbackSender;
  plan: () => EffectivePlan;
  /** @throws {AppError} `url_not_allowed` */
  checkUrl: (url: string) => Promise<void>;
  clock: Clock;
  log: Logger;
  audit: Audit;
}

/** Jobs from their acceptance to their end (contract: DocBuilder endpoints; States and transitions, DocBuilder job). */
export class JobService {
  readonly #deps: Dependencies;
  readonly #active = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Prepares work, waits for its turn, runs it, and releases its resources in any case. Resolves with the queued job if
   * it is async, once all checks that need no fetching have passed, else with the ended job.
   * @throws {AppError} the refusal of the work, `queue_full`, `timeout` after sync_timeout_seconds, `pool_unavailable`
   *   while the service stops
   */
  async accept(work: Work, resources: Resources, submission: Submission): Promise<JobRecord> {
    const seconds = this.#deps.plan().limits.sync_timeout_seconds;
    const late = () => new AppError('timeout', { scope: 'sync', limit_seconds: seconds });
    const waiting = submission.async ? undefined : startDeadline(seconds * 1000, late, submission.clientGone);
    try {
      const task = await this.#admit(work, resources, submission, waiting?.signal);
      const ended = withContext({ jobId: task.job.id }, () => this.#process(task));
      this.#inBackground(ended);
      if (waiting) await ended;
      return task.job;
    } finally {
      waiting?.end();
    }
  }

  /** Refuses new work, lets what runs finish, ends what waits. */
  async stop(): Promise<void> {
    this.#deps.queue.close();
    this.#stopping.abort(stopping());
    while (this.#active.size > 0) await Promise.all(this.#active);
    await this.#deps.registry.saveUnsaved();
  }

  /** Checks work and makes it a job. An async job that fetches is prepared later. */
  async #admit(work: Work, resources: Resources, submission: Submission, waiting?: AbortSignal): Promise<Task> {
    const accepting = waiting ?? submission.clientGone;
    const lost = new AbortController();
    const signal = waiting ?? lost.signal;
    try {
      await this.#checkCallback(submission);
      const later = submission.async && submission.fetches;
      if (later) await work.check?.();
      const run = later ? undefined : await this.#prepare(work, resources, accepting);
      accepting.throwIfAborted();
      const ticket = this.#deps.queue.reserve();
      const { registry, store, clock, audit } = this.#deps;
      const job = newJob(registry.newJobId(), work.kind, submission, clock());
      registry.add(job);
      // Nobody can ask for a sync job: its id comes with its result.
      if (submission.async) {
        const onLost = () => lost.abort(stopping());
        await store.add(job, onLost).catch((error) => {
          registry.forget(job);
          ticket.release();
          throw error;
        });
      }
      audit.record('job.accepted', { job: job.id, kind: job.kind, async: submission.async });
      return { job, work, resources, run, ticket, signal, urgent: !submission.async };
    } catch (error) {
      await this.#cleaned(resources.release());
      throw error;
    }
  }

  async #checkCallback({ async, callbackUrl }: Submission): Promise<void> {
    if (callbackUrl === undefined) return;
    const { edition, limits } = this.#deps.plan();
    if (!limits.callback) throw new AppError('forbidden_feature', { feature: 'callback', edition });
    if (!async) throw badRequest({ path: '/callback_url', message: 'cần async = true' });
    await this.#deps.checkUrl(callbackUrl);
  }

  /** Prepares work within its time. A stop aborts it. */
  async #prepare(work: Work, resources: Resources, signal: AbortSignal): Promise<Run> {
    this.#stopping.signal.throwIfAborted();
    const either = AbortSignal.any([signal, this.#stopping.signal]);
    return this.#inTime(either, (limited) => work.prepare(limited, resources.newPath));
  }

  /**
   * Does one step of a job, its preparation or its run, within the plan's job timeout. After an abort the error is the
   * signal's reason: streams have one error for every abort.
   */
  #inTime<T>(signal: AbortSignal, step: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const seconds = this.#deps.plan().limits.job_timeout_seconds;
    const late = () => new AppError('timeout', { scope: 'job', limit_seconds: seconds });
    return withDeadline(seconds * 1000, late, signal, async (limited) => {
      try {
        return await step(limited);
      } catch (error) {
        limited.throwIfAborted();
        throw error;
      }
    });
  }

  async #process({ job, work, resources, run: prepared, ticket, signal, urgent }: Task): Promise<void> {
    const submitted = performance.now();
    try {
      const run = prepared ?? (await this.#prepare(work, resources, signal));
      const turn = async (preempted: AbortSignal): Promise<void> => {
        job.status = 'running';
        job.startedAt = this.#deps.clock();
        job.timing.queueMs = performance.now() - submitted;
        this.#deps.store.noteProgress(job);
        try {
          await this.#run(job, run, AbortSignal.any([signal, preempted]));
        } catch (error) {
          if (preempted.aborted) await this.#putBack(job);
          throw error;
        }
      };
      await ticket.run(turn, { signal, urgent });
      await this.#finish(job, 'done');
    } catch (error) {
      await this.#fail(job, error);
    } finally {
      ticket.release();
      // A stop waits for it, the answer does not. No answer takes the result of an async job.
      this.#inBackground(this.#cleaned(resources.release()));
      if (!urgent) this.#inBackground(this.answered(job.id));
    }
  }

  /** Removes what an ended job holds for the answer to its request. */
  answered(jobId: string): Promise<void> {
    return this.#cleaned(this.#deps.store.release(jobId));
  }

  #cleaned(cleaning: Promise<void>): Promise<void> {
    return cleaning.catch((error) => this.#deps.log.warn({ err: error }, 'files of a job could not be removed'));
  }

  /** Lets a stop wait for `work`, which does not reject. */
  #inBackground(work: Promise<void>): void {
    this.#active.add(work);
    void work.finally(() => this.#active.delete(work));
  }

  /** Makes a running job that makes room for others a queued one. */
  async #putBack(job: JobRecord): Promise<void> {
    job.status = 'queued';
    job.startedAt = null;
    this.#deps.store.noteProgress(job);
    await this.#deps.store.discard(job.id);
  }

  async #run(job: JobRecord, run: Run, signal: AbortSignal): Promise<void> {
    const { store, registry } = this.#deps;
    let files = 0;
    const newFile = async (): Promise<NewFile> => {
      const fileId = registry.fileId(job.id, files++);
      return { fileId, path: await store.createFile(job.id, fileId) };
    };
    const produced = await this.#inTime(signal, (limited) => run(limited, newFile));
    job.timing.engineMs = produced.engineMs;
    job.outputs = await Promise.all(
      produced.outputs.map(async ({ encoding, ...output }) => ({
        ...output,
        contentType: getContentType(output.format, encoding),
        ...(await store.describe(job.id, output.fileId)),
      })),
    );
  }

  async #finish(job: JobRecord, status: 'done' | 'failed'): Promise<void> {
    const { registry, store, log, audit, callbacks } = this.#deps;
    const now = this.#stamp(job);
    Object.assign(job, await store.save({ ...job, status }));
    registry.forget(job);
    const facts = { kind: job.kind, status: job.status, code: job.error?.code ?? null, ms: now - job.createdAt };
    log.info({ ...facts, engine_ms: Math.round(job.timing.engineMs) }, 'job finished');
    audit.record('job.finished', facts);
    callbacks.deliver(job);
  }

  /** Sets the times of a job that ends now. */
  #stamp(job: JobRecord): number {
    const now = this.#deps.clock();
    job.finishedAt = now;
    job.expiresAt = now + this.#deps.plan().limits.result_ttl_minutes * 60_000;
    return now;
  }

  async #fail(job: JobRecord, thrown: unknown): Promise<void> {
    const error = toAppError(toStorageError(thrown));
    if (error.code === 'internal') this.#deps.log.error({ err: error.cause }, 'job failed unexpectedly');
    else this.#deps.log.debug({ code: error.code, err: error.cause }, 'job failed');
    job.outputs = [];
    job.error = errorBody(error.code, error.detail);
    job.retryAfter = error.retryAfter;
    try {
      await this.#deps.store.discard(job.id);
      await this.#finish(job, 'failed');
    } catch (cause) {
      // On a full disk the job still ends.
      this.#deps.log.error({ err: cause }, 'a failed job could not be kept');
      this.#stamp(job);
      job.status = 'failed';
      this.#deps.registry.holdUnsaved(job);
      this.#deps.callbacks.deliver(job);
    }
  }
}

/** An accepted job. */
interface Task {
  job: JobRecord;
  work: Work;
  resources: Resources;
  /** Undefined until it is prepared. */
  run: Run | undefined;
  ticket: Ticket;
  /** Ends the job at any step, with the signal's reason. */
  signal: AbortSignal;
  urgent: boolean;
}

function newJob(id: string, kind: JobKind, { baseUrl, callbackUrl }: Submission, now: number): JobRecord {
  const delivery = { deliveryId: randomUUID(), state: 'pending', attempts: 0, lastStatus: null } as const;
  return {
    id,
    kind,
    status: 'queued',
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
    outputs: [],
    error: null,
    callback: callbackUrl === undefined ? null : { url: callbackUrl, ...delivery, nextAttemptAt: now },
    baseUrl,
    timing: { queueMs: 0, engineMs: 0 },
  };
}
