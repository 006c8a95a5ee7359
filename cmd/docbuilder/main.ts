import { runService } from '../../src/common/service.ts';
import { startDocbuilder } from './app.ts';
import { loadConfig } from './config.ts';

await runService({ name: 'docbuilder', load: loadConfig, start: (config, log) => startDocbuilder(config, log) });
