import type { Logger } from '../../../src/common/log.ts';
import { atMost, pause } from '../../../src/common/pause.ts';
import { ApiError, UnreachableError } from './api-error.ts';
import { heldBy, type Lease, newLease, released } from './lease-record.ts';
import { RESOURCES } from './resources.ts';
import type { Client } from './types.ts';

/** Milliseconds. */
export interface LeaseTimings {
  /** How long others wait after the last renewal that they saw. */
  durationMs: number;
  /** Without a renewal for that long, the leader gives up. */
  renewDeadlineMs: number;
  /** From renewal to renewal; others look twice as often. */
  retryMs: number;
}

export interface ElectionOptions {
  /** One with a time limit well below the renew deadline. */
  client: Client;
  namespace: string;
  /** Of the Lease. */
  name: string;
  /** Of this process: unique, also against its own predecessor in the same pod. */
  identity: string;
  onElected(): void;
  /** Another may lead from now on: the process must end at once. Not called after `stop`. */
  onLost(): void;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Default 15, 10 and 2 s. */
  timings?: LeaseTimings;
  /** Monotonic milliseconds. */
  now?: () => number;
}

export interface Election {
  /** True while nobody else may lead. */
  leading(): boolean;
  /** Gives the lease back where it is held, so that another can lead at once. Resolves within 2 s. */
  stop(): Promise<void>;
}

const DEFAULT_TIMINGS: LeaseTimings = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const RELEASE_MS = 2_000;
/** So that not all that wait take an expired lease in the same moment. */
const SPREAD_MS = 200;

/**
 * Leader election on a coordination.k8s.io/v1 Lease, as client-go does it: the holder's clock is never trusted, a lease
 * has expired when its record has not changed for its duration by our own clock. Those who wait look every second and
 * in the moment of expiry, so that 17 s after the death of a leader at the latest another one works.
 */
export function electLeader(options: ElectionOptions): Election {
  const { client, namespace, name, identity, log } = options;
  const { timings = DEFAULT_TIMINGS, now = () => performance.now() } = options;
  const stopping = new AbortController();
  /** As last read or written, and since when it has been as it is. */
  let lease: Lease | undefined;
  let unchangedSince = 0;
  /** When the last renewal that succeeded was sent; others count from later on. */
  let renewedAt = Number.NEGATIVE_INFINITY;
  let state: 'waiting' | 'leading' | 'lost' = 'waiting';
  let giveUp: NodeJS.Timeout | undefined;

  function observe(read: Lease): void {
    if (JSON.stringify(read.spec) !== JSON.stringify(lease?.spec)) unchangedSince = now();
    lease = read;
  }

  const isOurs = (): boolean => lease?.spec?.holderIdentity === identity;

  /** Milliseconds until the holder's time is up. */
  function remaining(): number {
    const { holderIdentity, leaseDurationSeconds = 0 } = lease?.spec ?? {};
    return holderIdentity ? unchangedSince + leaseDurationSeconds * 1000 - now() : 0;
  }

  /** Takes or renews the lease. @returns whether it is ours */
  async function hold(): Promise<boolean> {
    if (state === 'leading' && isOurs()) {
      try {
        return await write();
      } catch (error) {
        // It may have been written although the answer is late or lost: then our version is outdated.
        if (!isDoubtful(error) || stopping.signal.aborted) throw error;
        log.info({ err: error }, 'checking the lease after a renewal that may have failed');
      }
    }
    const found = await client.get<Lease>(RESOURCES.lease, namespace, name);
    if (found) observe(found);
    else lease = undefined;
    if (found && !isOurs() && remaining() > 0) return false;
    return write();
  }

  /** Writes the lease as ours, where it is still as it was last seen. */
  async function write(): Promise<boolean> {
    const sent = now();
    const next = heldBy(lease ?? newLease(namespace, name), identity, timings.durationMs, Date.now());
    observe(await (lease ? client.replace(RESOURCES.lease, next) : client.create(RESOURCES.lease, next)));
    renewedAt = sent;
    return true;
  }

  async function tryToHold(): Promise<{ ours: boolean; retryAfterMs: number }> {
    try {
      return { ours: await hold(), retryAfterMs: 0 };
    } catch (error) {
      const refused = error instanceof ApiError ? error : undefined;
      // Somebody was faster, which is how it should be; or took it away. The next try looks again.
      if (refused?.status === 409 || refused?.status === 404) lease = undefined;
      else if (!stopping.signal.aborted) log.warn({ err: error }, 'cannot take or renew the lease');
      return { ours: false, retryAfterMs: (refused?.retryAfter ?? 0) * 1000 };
    }
  }

  function lose(reason: string): void {
    if (state !== 'leading' || stopping.signal.aborted) return;
    state = 'lost';
    stopping.abort();
    log.warn({ reason, holder: lease?.spec?.holderIdentity }, 'not the leader any more');
    options.onLost();
  }

  function held(): void {
    clearTimeout(giveUp);
    giveUp = setTimeout(() => lose('not renewed in time'), renewedAt + timings.renewDeadlineMs - now());
    if (state === 'leading') return;
    state = 'leading';
    log.info({ identity }, 'leading');
    options.onElected();
  }

  function untilNextTry(retryAfterMs: number): number {
    if (state === 'leading') return Math.min(Math.max(timings.retryMs, retryAfterMs), 2 * timings.retryMs);
    const look = Math.max((timings.retryMs / 2) * (0.8 + 0.4 * Math.random()), retryAfterMs);
    const left = remaining();
    return left > 0 ? Math.min(look, left + Math.random() * SPREAD_MS) : look;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { ours, retryAfterMs } = await tryToHold();
      if (stopping.signal.aborted) return;
      if (ours) held();
      else if (lease && !isOurs()) lose('taken by another');
      if (!stopping.signal.aborted) await pause(untilNextTry(retryAfterMs), stopping.signal);
    }
  }

  async function release(): Promise<void> {
    await running;
    if (!isOurs() || !lease) return;
    await client.replace(RESOURCES.lease, released(lease, Date.now()));
    log.info({ identity }, 'gave the lease back');
  }

  async function stop(): Promise<void> {
    if (state === 'lost') return;
    state = 'lost';
    stopping.abort();
    clearTimeout(giveUp);
    const releasing = release().catch((error) => log.warn({ err: error }, 'cannot give the lease back'));
    await atMost(RELEASE_MS, releasing);
  }

  const running = run();
  return { leading: () => state === 'leading' && now() < renewedAt + timings.durationMs, stop };
}

/** Whether a write may have been made, or another one before it, although it was not confirmed. */
function isDoubtful(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof ApiError && error.status === 409);
}
