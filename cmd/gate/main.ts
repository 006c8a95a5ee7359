import { runService } from '../../src/common/service.ts';
import { loadConfig } from './config.ts';

await runService({
  name: 'gate',
  load: loadConfig,
  // Most code is loaded here, after the signal handlers are installed.
  start: async (config, log) => (await import('./app.ts')).startGate(config, log),
});
