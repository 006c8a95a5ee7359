import { runService } from '../../src/common/service.ts';
import { startGate } from './app.ts';
import { loadConfig } from './config.ts';

await runService({ name: 'gate', load: loadConfig, start: (config, log) => startGate(config, log) });
