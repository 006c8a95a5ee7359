import { ConfigError, type Environment } from './config.ts';
import { createLogger, type Logger, type LogLevel } from './log.ts';
import { endEarly, onTermination } from './shutdown.ts';

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
