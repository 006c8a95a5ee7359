import type { Logger } from './log.ts';

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
  process.on('SIGTERM', terminate);
  process.on('SIGINT', terminate);
}
