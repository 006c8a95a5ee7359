import type { Logger } from '../../../src/common/log.ts';
import { pause } from '../../../src/common/pause.ts';
import { ApiError } from './api-error.ts';

export interface WatchdogOptions {
  /** Rejects while the API server cannot be reached, within about 5 s. */
  probe(): Promise<void>;
  /** Called when the API server can be reached again. */
  onReachable(): void;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between probes (default 5,000), and after one that failed (1,000). */
  intervalMs?: number;
  failedMs?: number;
}

/** Tells when the API server can be reached again: watches on black-holed connections would notice nothing for half a minute. */
export function startWatchdog(options: WatchdogOptions): { stop(): void } {
  const { probe, onReachable, log, intervalMs = 5_000, failedMs = 1_000 } = options;
  const stopping = new AbortController();

  async function run(): Promise<void> {
    let failing = false;
    while (!stopping.signal.aborted) {
      const failure = await getFailure(probe);
      if (stopping.signal.aborted) return;
      if (failure !== undefined && !failing) log.warn({ err: failure }, 'the API server cannot be reached');
      if (failure === undefined && failing) {
        log.info('the API server can be reached again');
        onReachable();
      }
      failing = failure !== undefined;
      await pause(failing ? failedMs : intervalMs, stopping.signal);
    }
  }

  void run();
  return { stop: () => stopping.abort() };
}

async function getFailure(probe: () => Promise<void>): Promise<unknown> {
  try {
    await probe();
    return undefined;
  } catch (error) {
    // Some clusters let nobody ask.
    const refused = error instanceof ApiError && [401, 403, 404].includes(error.status);
    return refused ? undefined : error;
  }
}
