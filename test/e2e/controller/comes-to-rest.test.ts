import { expect } from 'chai';
import { type Controller, startController } from '../../../cmd/controller/app.ts';
import { loadConfig } from '../../../cmd/controller/config.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

/** How long nothing must change. */
const REST_MS = 1_000;

describe('two controllers that look after the same instance and want something else', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let second: Controller | undefined;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController();
  });
  after(async () => {
    await second?.stop();
    await cluster?.close();
  });

  it('come to rest', async () => {
    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.completeDeployments();
    const config = loadConfig({ ...cluster.environment, SVC_CONTROLLER_GATE_IMAGE: 'svc/gate:other' });
    second = await startController(config, testLogger(), {
      kubeConfig: readKubeConfig(cluster.server.kubeconfig),
      lookAgainMs: 300,
    });
    const state = async () => {
      const { metadata } = await cluster.get('office');
      return JSON.stringify([metadata.resourceVersion, await cluster.versions()]);
    };
    let before = '';
    await until(
      'nothing changes any more',
      async () => {
        const now = await state();
        if (now === before) return true;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        return undefined;
      },
      30_000,
    );
    const { writes } = await cluster.figures();
    expect(writes['Deployment apply']).to.be.lessThan(30);
    expect(writes['SvcInstance status']).to.be.lessThan(60);
  });
});
