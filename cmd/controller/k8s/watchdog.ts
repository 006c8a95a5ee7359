import type { Logger } from '../../../src/common/log.ts';
import { pause } from '../../../src/common/pause.ts';
import { ApiError } from './api-error.ts';
import type { Reflector } from './reflector.ts';

export interface WatchdogOptions {
  /** Rejects while the API server cannot be reached; must end by itself, within about 5 s. As a rule `client.ready`. */
  probe(): Promise<void>;
  watches(): Iterable<Pick<Reflector, 'restart'>>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds from probe to probe while it works (default 5,000), and after one that failed (1,000). */
  intervalMs?: number;
  failedMs?: number;
}

/**
 * Restarts all watches as soon as the API server can be reached again after it could not: a connection that was
 * black-holed says nothing by itself, for minutes.
 */
export function startWatchdog(options: WatchdogOptions): { stop(): void } {
  const { probe, watches, log, intervalMs = 5_000, failedMs = 1_000 } = options;
  const stopping = new AbortController();
  let failing = false;

  async function look(): Promise<void> {
    const failure = await failureOf(probe);
    if (stopping.signal.aborted) return;
    if (failure !== undefined && !failing) log.warn({ err: failure }, 'the API server cannot be reached');
    if (failure === undefined && failing) {
      log.info('the API server can be reached again');
      for (const watch of watches()) watch.restart();
    }
    failing = failure !== undefined;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      await pause(failing ? failedMs : intervalMs, stopping.signal);
    }
  }

  void run();
  return { stop: () => stopping.abort() };
}

async function failureOf(probe: () => Promise<void>): Promise<unknown> {
  try {
    await probe();
    return undefined;
  } catch (error) {
    // An answer all the same: some clusters let nobody ask.
    const refused = error instanceof ApiError && [401, 403, 404].includes(error.status);
    return refused ? undefined : error;
  }
}
