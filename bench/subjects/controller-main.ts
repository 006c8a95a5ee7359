import { startController } from '../../cmd/controller/app.ts';
import { loadConfig } from '../../cmd/controller/config.ts';
import { connect } from '../../cmd/controller/k8s/connect.ts';
import { runService } from '../../src/common/service.ts';

/** As cmd/controller/main.ts, in a pod whose service account is mounted at BENCH_SERVICE_ACCOUNT. */
await runService({
  name: 'controller',
  load: loadConfig,
  start: async (config, log) =>
    startController(config, log, {
      connection: await connect(process.env, { folder: process.env['BENCH_SERVICE_ACCOUNT'] ?? '' }),
    }),
});
