import { KubeConfig } from '@kubernetes/client-node';
import { startController } from '../../cmd/controller/app.ts';
import { loadConfig } from '../../cmd/controller/config.ts';
import { runService } from '../../src/common/service.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromClusterAndUser(
  { name: 'proxy', server: process.env['TEST_API_SERVER'] ?? '', skipTLSVerify: true },
  { name: 'nobody' },
);

/** As cmd/controller/main.ts, but with a proxy that lets everybody in where the API server would be. */
await runService({
  name: 'controller',
  load: loadConfig,
  start: (config, log) => startController(config, log, { kubeConfig }),
});
