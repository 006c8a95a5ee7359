import type { Logger } from '../../../src/common/log.ts';
import { repeat } from '../../../src/common/repeat.ts';
import type { Lease } from './ports.ts';

const RENEW_MS = 1_000;
/** The time from the last renewal on for which this gate leads: the lease itself is longer by what a stop may take. */
const LEAD_MS = 8_000;

/** The work that one gate at a time does. */
export interface Duty {
  start(): void;
  /** Resolves when nothing of it goes on; absent where nothing ever does by itself. */
  stop?(): Promise<void> | void;
}

export interface LeadershipOptions {
  /** Undefined: there is no other gate. */
  lease: Lease | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
  renewMs?: number;
  leadMs?: number;
}

/**
 * Decides whether this gate leads, and runs its duties meanwhile. A gate that cannot renew the lease stops before it
 * ends, by a monotonic clock, so that two never lead.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #duties: readonly Duty[];
  /** By the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY;
  #isOnDuty = false;
  #changing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #stopRenewing = (): void => {};

  constructor(options: LeadershipOptions, duties: readonly Duty[]) {
    this.#options = options;
    this.#duties = duties;
  }

  leads(): boolean {
    return this.#isOnDuty && performance.now() < this.#until;
  }

  /** Resolves once it is known whether this gate leads. */
  async start(): Promise<void> {
    const { lease, renewMs = RENEW_MS } = this.#options;
    if (!lease) {
      this.#until = Number.POSITIVE_INFINITY;
      await this.#change(true);
      return;
    }
    const renew = (): Promise<void> => {
      this.#renewing = this.#renew(lease);
      return this.#renewing;
    };
    await renew();
    this.#stopRenewing = repeat(renewMs, renew);
  }

  /** Ends the duties, and lets another gate lead at once. */
  async stop(): Promise<void> {
    this.#stopRenewing();
    // One that is under way would begin to lead after this.
    await this.#renewing;
    await this.#end();
    await this.#options.lease?.release().catch(() => {});
  }

  async #renew(lease: Lease): Promise<void> {
    const { log, leadMs = LEAD_MS } = this.#options;
    const asked = performance.now();
    try {
      const isHeld = await lease.renew();
      const left = asked + leadMs - performance.now();
      // An answer that comes too late is none.
      if (!isHeld || left <= 0) return await this.#end();
      this.#until = asked + leadMs;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#end(), left);
      await this.#change(true);
    } catch (error) {
      log.warn({ err: error }, 'the lease of the leader could not be renewed');
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#until = Number.NEGATIVE_INFINITY;
    await this.#change(false);
  }

  /** Starts or stops the duties, one change after the other. */
  #change(isOnDuty: boolean): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      if (this.#isOnDuty === isOnDuty) return;
      this.#isOnDuty = isOnDuty;
      this.#options.log.info({}, isOnDuty ? 'this gate leads' : 'this gate leads no more');
      if (isOnDuty) for (const duty of this.#duties) duty.start();
      else await Promise.all(this.#duties.map((duty) => duty.stop?.()));
    });
    return this.#changing;
  }
}
