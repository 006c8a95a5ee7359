import { runService } from '../../src/common/service.ts';
import { loadConfig } from './config.ts';

await runService({
  name: 'controller',
  load: loadConfig,
  // Most of it is loaded here, when the process can be told to end.
  start: async (config, log) => (await import('./app.ts')).startController(config, log),
});
