import type { Logger } from '../../../src/common/log.ts';
import { atMost, pause } from '../../../src/common/pause.ts';
import { type KubernetesObject, microTime, RESOURCES } from './api.ts';
import { hasStatus, UnreachableError } from './api-error.ts';
import type { Client } from './client.ts';

/** coordination.k8s.io/v1 `Lease`. */
export interface Lease extends KubernetesObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    /** MicroTime. */
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** Milliseconds. */
export interface LeaseTimings {
  /** Others wait for so long after the last renewal that they saw. */
  durationMs: number;
  /** Without a renewal for so long the leader gives up. */
  renewDeadlineMs: number;
  /** Between renewals; others look twice as often. */
  retryMs: number;
}

export interface ElectionOptions {
  /** Its time limit is well below the renew deadline. */
  client: Pick<Client, 'get' | 'create' | 'replace'>;
  namespace: string;
  /** Name of the Lease. */
  name: string;
  /** Identity of this process. */
  identity: string;
  onElected(): void;
  /** Another may lead from now on: the process must end at once. */
  onLost(): void;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Default 15, 10 and 2 s. */
  timings?: LeaseTimings;
}

/** Others wait for longer than a leader without a renewal goes on. */
export const DEFAULT_TIMINGS: LeaseTimings = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const RELEASE_MS = 2_000;
/** Random wait before an expired lease is taken. */
const SPREAD_MS = 200;

/**
 * Leader election on a Lease, as client-go does it: a lease has expired when its record has not changed for its duration by our own
 * clock. Those who wait look every second and when it expires, so that another leads 17 s after a leader's death at the latest.
 */
export class LeaderElection {
  readonly #options: ElectionOptions;
  readonly #timings: LeaseTimings;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** As last read or written. */
  #lease: Lease | undefined;
  #unchangedSince = 0;
  /** When the last renewal that succeeded was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #state: 'waiting' | 'leading' | 'lost' = 'waiting';
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#running = this.#run();
  }

  /** Returns true while nobody else may lead. */
  leading(): boolean {
    return this.#state === 'leading' && performance.now() < this.#renewedAt + this.#timings.durationMs;
  }

  /** Releases the lease, so that another can lead at once. Resolves within 2 s. */
  async stop(): Promise<void> {
    if (this.#state === 'lost') return;
    this.#state = 'lost';
    this.#stopping.abort();
    clearTimeout(this.#deadline);
    const releasing = this.#release().catch((error) =>
      this.#options.log.warn({ err: error }, 'cannot give the lease back'),
    );
    await atMost(RELEASE_MS, releasing);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const held = await this.#tryToHold();
      if (signal.aborted) return;
      if (held) this.#onHeld();
      else if (this.#lease && !this.#isHolder()) this.#onLost('taken by another');
      if (!signal.aborted) await pause(this.#untilNextTry(), signal);
    }
  }

  async #tryToHold(): Promise<boolean> {
    try {
      return await this.#hold();
    } catch (error) {
      // Another was faster, or the lease was deleted.
      if (hasStatus(error, 404, 409)) this.#lease = undefined;
      else if (!this.#stopping.signal.aborted) {
        this.#options.log.warn({ err: error }, 'cannot take or renew the lease');
      }
      return false;
    }
  }

  /** @returns whether the lease is held */
  async #hold(): Promise<boolean> {
    const { client, namespace, name, log } = this.#options;
    if (this.#state === 'leading' && this.#isHolder()) {
      try {
        return await this.#write();
      } catch (error) {
        // It may have been written although the answer was lost: then our version is outdated.
        if (!isDoubtful(error) || this.#stopping.signal.aborted) throw error;
        log.info({ err: error }, 'checking the lease after a renewal that may have failed');
      }
    }
    const found = await client.get<Lease>(RESOURCES.lease, namespace, name);
    if (found) this.#observe(found);
    else this.#lease = undefined;
    if (found && !this.#isHolder() && this.#remaining() > 0) return false;
    return this.#write();
  }

  /** Writes the lease as ours, unless it has changed since it was read. */
  async #write(): Promise<boolean> {
    const { client, namespace, name, identity } = this.#options;
    const sent = performance.now();
    const { apiVersion, kind } = RESOURCES.lease;
    const lease: Lease = this.#lease ?? { apiVersion, kind, metadata: { namespace, name } };
    const { holderIdentity, acquireTime, leaseTransitions = 0 } = lease.spec ?? {};
    const isSame = holderIdentity === identity;
    const spec = {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#timings.durationMs / 1000),
      acquireTime: (isSame && acquireTime) || microTime(Date.now()),
      renewTime: microTime(Date.now()),
      leaseTransitions: leaseTransitions + (isSame || lease.spec === undefined ? 0 : 1),
    };
    const { lease: resource } = RESOURCES;
    const next = { ...lease, spec };
    this.#observe(await (this.#lease ? client.replace(resource, next) : client.create(resource, next)));
    this.#renewedAt = sent;
    return true;
  }

  #observe(read: Lease): void {
    if (JSON.stringify(read.spec) !== JSON.stringify(this.#lease?.spec)) this.#unchangedSince = performance.now();
    this.#lease = read;
  }

  #isHolder(): boolean {
    return this.#lease?.spec?.holderIdentity === this.#options.identity;
  }

  /** Milliseconds until the lease expires. */
  #remaining(): number {
    const { holderIdentity, leaseDurationSeconds = 0 } = this.#lease?.spec ?? {};
    return holderIdentity ? this.#unchangedSince + leaseDurationSeconds * 1000 - performance.now() : 0;
  }

  #onHeld(): void {
    const { identity, log, onElected } = this.#options;
    clearTimeout(this.#deadline);
    const left = this.#renewedAt + this.#timings.renewDeadlineMs - performance.now();
    this.#deadline = setTimeout(() => this.#onLost('not renewed in time'), left);
    if (this.#state === 'leading') return;
    this.#state = 'leading';
    log.info({ identity }, 'leading');
    onElected();
  }

  #onLost(reason: string): void {
    if (this.#state !== 'leading' || this.#stopping.signal.aborted) return;
    this.#state = 'lost';
    this.#stopping.abort();
    this.#options.log.warn({ reason, holder: this.#lease?.spec?.holderIdentity }, 'not the leader any more');
    this.#options.onLost();
  }

  #untilNextTry(): number {
    const { retryMs } = this.#timings;
    if (this.#state === 'leading') return retryMs;
    const look = (retryMs / 2) * (0.8 + 0.4 * Math.random());
    const left = this.#remaining();
    return left > 0 ? Math.min(look, left + Math.random() * SPREAD_MS) : look;
  }

  async #release(): Promise<void> {
    await this.#running;
    if (!this.#isHolder() || !this.#lease) return;
    const now = microTime(Date.now());
    const given = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    await this.#options.client.replace(RESOURCES.lease, { ...this.#lease, spec: { ...this.#lease.spec, ...given } });
    this.#options.log.info({ identity: this.#options.identity }, 'gave the lease back');
  }
}

/** Returns whether a write may have been made although it failed. */
function isDoubtful(error: unknown): boolean {
  return error instanceof UnreachableError || hasStatus(error, 409);
}
