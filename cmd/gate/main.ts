import { runService } from '../../src/common/service.ts';
import { loadConfig } from './config.ts';

await runService({
  name: 'gate',
  load: loadConfig,
  // Most of it is loaded here, when the process can be told to end.
  start: async (config, log) => (await import('./app.ts')).startGate(config, log),
});
