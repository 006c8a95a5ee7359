import { ConfigError, type Environment } from './config.ts';
import { createLogger, type Logger, type LogLevel } from './log.ts';

interface Service<Config> {
  name: string;
  /** @throws {ConfigError} */
  load: (environment: Environment) => Config;
  start: (config: Config, log: Logger) => Promise<{ stop(): Promise<void> }>;
}

/**
 * Runs a service as this process. Exit code 2 is for a wrong configuration, 1 for an unexpected error. The first SIGTERM
 * or SIGINT stops the service and exits with 0, at once while it starts; a second one exits with 1.
 */
export async function runService<Config extends { readonly logLevel: LogLevel }>({
  name,
  load,
  start,
}: Service<Config>): Promise<void> {
  const config = configuration(name, load);
  const log = createLogger({ service: name, level: config.logLevel });
  const fail = (error: unknown, message: string): never => {
    log.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => fail(error, 'unexpected error, ending'));
  let service: Awaited<ReturnType<typeof start>> | undefined;
  let isStopping = false;
  // From the beginning: without a handler process 1 of a container ignores these signals.
  const terminate = (signal: NodeJS.Signals): void => {
    if (!service) {
      log.info({ signal }, 'stopped while starting');
      process.exit(0);
    }
    if (isStopping) {
      log.warn({ signal }, 'second signal: ending at once');
      process.exit(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping: finishing what runs');
    service.stop().then(
      () => process.exit(0),
      (error) => fail(error, 'stopping failed'),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, terminate);
  service = await start(config, log).catch((error) =>
    error instanceof ConfigError ? refuse(log, error) : fail(error, 'cannot start'),
  );
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
