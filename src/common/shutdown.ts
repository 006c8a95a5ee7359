import type { Logger } from './log.ts';

/** Signals that ask a process to end. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process at once, with 0, when it is asked to before it has started: as process 1 of a container it would not
 * hear of it at all, and be waited for until it is killed. @returns takes that back, for `onTermination`
 */
export function endEarly(log: Logger): () => void {
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopped while starting');
    process.exit(0);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

/**
 * Ends the process in good order: the first SIGTERM or SIGINT runs `stop` and exits 0 (1 if it fails), a second one
 * exits at once.
 * @param stop refuses new work, finishes what runs, releases everything
 */
export function onTermination(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const terminate = (signal: NodeJS.Signals): void => {
    if (stopping) {
      log.warn({ signal }, 'second signal: ending at once');
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'stopping: finishing what runs');
    stop().then(
      () => process.exit(0),
      (error) => {
        log.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, terminate);
}
