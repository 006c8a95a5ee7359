import { runService } from '../../src/common/service.ts';
import { startController } from './app.ts';
import { loadConfig } from './config.ts';

await runService({ name: 'controller', load: loadConfig, start: (config, log) => startController(config, log) });
