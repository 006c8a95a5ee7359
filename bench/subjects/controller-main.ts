import { startController } from '../../cmd/controller/app.ts';
import { loadConfig } from '../../cmd/controller/config.ts';
import { loadKubeConfig } from '../../cmd/controller/k8s/kube-config.ts';
import { runService } from '../../src/common/service.ts';

/** cmd/controller/main.ts in a pod whose root folder is BENCH_ROOT. */
await runService({
  name: 'controller',
  load: loadConfig,
  start: async (config, log) =>
    startController(config, log, {
      kubeConfig: loadKubeConfig(process.env['BENCH_ROOT'] ?? ''),
    }),
});
