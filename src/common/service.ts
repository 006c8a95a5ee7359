import { ConfigError, type Environment } from './config.ts';
import { createLogger, type Logger, type LogLevel } from './log.ts';

/** Signals that ask a process to end. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

interface Service<Config> {
  name: string;
  /** @throws {ConfigError} */
  load: (environment: Environment) => Config;
  start: (config: Config, log: Logger) => Promise<{ stop(): Promise<void> }>;
}

/** Runs a service as this process: exit code 2 for a wrong configuration, 1 for anything unexpected. */
export async function runService<Config extends { readonly logLevel: LogLevel }>({
  name,
  load,
  start,
}: Service<Config>): Promise<void> {
  const config = configuration(name, load);
  const log = createLogger({ service: name, level: config.logLevel });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected error, ending');
    process.exit(1);
  });
  const hasStarted = endEarly(log);
  const service = await start(config, log).catch((error) => {
    // Some mistakes are only found by trying.
    if (error instanceof ConfigError) refuse(log, error);
    log.fatal({ err: error }, 'cannot start');
    process.exit(1);
  });
  hasStarted();
  onTermination(log, () => service.stop());
}

function configuration<Config>(service: string, load: Service<Config>['load']): Config {
  try {
    return load(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuse(createLogger({ service, level: 'info' }), error);
  }
}

function refuse(log: Logger, { mistakes }: ConfigError): never {
  log.fatal({ mistakes }, 'the configuration is wrong');
  process.exit(2);
}

/**
 * Ends the process at once, with 0, when it is asked to before it has started: as process 1 of a container it would not
 * hear of it at all, and be waited for until it is killed. @returns takes that back, for `onTermination`
 */
function endEarly(log: Logger): () => void {
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
function onTermination(log: Logger, stop: () => Promise<void>): void {
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
