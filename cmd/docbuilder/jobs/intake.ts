import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { JobRecord } from './job.ts';
import type { JobService, Work } from './jobs.ts';
import type { EffectivePlan } from './limits.ts';

/** What every work request may say besides its work. */
export interface IntakeRequest {
  async: boolean;
  callbackUrl?: string | undefined;
  baseUrl: string;
}

interface Dependencies {
  jobs: JobService;
  plan: () => EffectivePlan;
  /** @throws {AppError} `url_not_allowed` */
  checkUrl: (url: string) => Promise<void>;
}

/** Takes work in, waits for it or not, as the request says (contract: DocBuilder endpoints). */
export class Intake {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /**
   * Whether the plan and the rules allow such a request at all; before any of its work is done.
   * @throws {AppError} `forbidden_feature`, `bad_request`, `url_not_allowed`
   */
  async check({ async, callbackUrl }: Pick<IntakeRequest, 'async' | 'callbackUrl'>): Promise<void> {
    if (callbackUrl === undefined) return;
    const { edition, limits } = this.#deps.plan();
    if (!limits.callback) throw new AppError('forbidden_feature', { feature: 'callback', edition });
    if (!async) throw badRequest({ path: '/callback_url', message: 'cần async = true' });
    await this.#deps.checkUrl(callbackUrl);
  }

  /**
   * Async: resolves with the queued job as soon as all that can be refused without fetching anything was looked at.
   * Sync: resolves with the finished job.
   * @param clientGone aborts when nobody waits for the answer any more: a sync job then ends, wherever it is
   * @throws {AppError} whatever the work was refused or failed for, `timeout` after sync_timeout_seconds
   */
  async accept(work: Work, request: IntakeRequest & { fetches: boolean }, clientGone: AbortSignal): Promise<JobRecord> {
    if (request.async) return this.#acceptAsync(work, request);
    const seconds = this.#deps.plan().limits.sync_timeout_seconds;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new AppError('timeout', { scope: 'sync', limit_seconds: seconds })),
      seconds * 1000,
    );
    // Nobody was told the job's id, so nobody can ask for what it would become.
    const drop = (): void => deadline.abort(new AppError('timeout', { scope: 'client_gone' }));
    if (clientGone.aborted) drop();
    clientGone.addEventListener('abort', drop, { once: true });
    try {
      await orDispose(work, async () => {
        await this.#deps.jobs.prepare(work, deadline.signal);
        deadline.signal.throwIfAborted();
      });
      const { job, ended } = await this.#deps.jobs.submit(work, { ...request, signal: deadline.signal });
      await ended;
      return job;
    } finally {
      clearTimeout(timer);
      clientGone.removeEventListener('abort', drop);
    }
  }

  async #acceptAsync(work: Work, request: IntakeRequest & { fetches: boolean }): Promise<JobRecord> {
    // What the caller sent along is looked at while the caller is still there; a fetch may take its time.
    const { jobs } = this.#deps;
    const never = new AbortController().signal;
    await orDispose(work, () => (request.fetches ? work.check?.() : jobs.prepare(work, never)));
    const { job } = await jobs.submit(work, request);
    return job;
  }
}

async function orDispose(work: Work, step: () => Promise<void> | undefined): Promise<void> {
  try {
    await step();
  } catch (error) {
    await work.dispose();
    throw error;
  }
}
