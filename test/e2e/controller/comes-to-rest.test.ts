import { expect } from 'chai';
import { type Controller, startController } from '../../../cmd/controller/app.ts';
import { loadConfig } from '../../../cmd/controller/config.ts';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

/** How long nothing must change. */
const REST_MS = 2_000;

describe('two controllers that look after the same instance and want something else', function () {
  this.timeout(90_000);
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

  it('write less and less often', async () => {
    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.completeDeployments();
    const config = loadConfig({ ...cluster.environment, SVC_CONTROLLER_GATE_IMAGE: 'svc/gate:other' });
    const kubeConfig = readKubeConfig(cluster.server.kubeconfig);
    second = await startController(config, testLogger(), { kubeConfig, lookAgainMs: 60_000 });
    let before = '';
    await until(
      'nothing changes any more',
      async () => {
        const { metadata } = await cluster.get('office');
        const now = JSON.stringify([metadata.resourceVersion, await cluster.versions()]);
        if (now === before) return true;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
        return undefined;
      },
      60_000,
    );
    const gate = await cluster.object(RESOURCES.deployment, 'office-gate');
    expect(gate?.metadata.generation, 'writes of both').to.be.within(3, 80);
  });
});
