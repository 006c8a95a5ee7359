import { ConfigError } from '../../src/common/config.ts';
import { createLogger } from '../../src/common/log.ts';
import { onTermination } from '../../src/common/shutdown.ts';
import { startDocbuilder } from './app.ts';
import { type Config, loadConfig } from './config.ts';

function configuration(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    createLogger({ service: 'docbuilder', level: 'info' }).fatal(
      { mistakes: error.mistakes },
      'the configuration is wrong',
    );
    process.exit(2);
  }
}

const config = configuration();
const log = createLogger({ service: 'docbuilder', level: config.logLevel });
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'unexpected error, ending');
  process.exit(1);
});

const docbuilder = await startDocbuilder(config, log).catch((error) => {
  log.fatal({ err: error }, 'cannot start');
  process.exit(1);
});
onTermination(log, docbuilder.stop);
