import { expect } from 'chai';
import { type Controller, startController } from '../../../cmd/controller/app.ts';
import { loadConfig } from '../../../cmd/controller/config.ts';
import { RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import type { Environment } from '../../../src/common/config.ts';
import { useTestCluster } from '../../support/controller.ts';
import { readKubeConfig } from '../../support/kubeconfig.ts';
import { testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

/** How long nothing must change: longer than the first waits of a controller that repairs again and again. */
const REST_MS = 2_000;

describe('several controllers of one namespace', function () {
  this.timeout(90_000);
  let running: Controller[] = [];
  const cluster = useTestCluster(async () => undefined);
  afterEach(async () => {
    for (const controller of running) await controller.stop();
    running = [];
  });

  async function start(environment: Environment): Promise<Controller> {
    const kubeConfig = readKubeConfig(cluster.server.kubeconfig);
    const config = loadConfig({ ...cluster.environment, ...environment });
    const controller = await startController(config, testLogger(), { kubeConfig, lookAgainMs: 60_000 });
    running.push(controller);
    return controller;
  }

  const candidate = (identity: string, lease: string) =>
    start({
      SVC_CONTROLLER_LEADER_ELECTION: '1',
      SVC_CONTROLLER_LEASE_NAMESPACE: cluster.namespace,
      SVC_CONTROLLER_LEASE_NAME: lease,
      SVC_CONTROLLER_IDENTITY: identity,
    });

  async function status({ address }: Controller): Promise<{ leading: boolean; waits_for: string | null }> {
    const answer = await fetch(`http://127.0.0.1:${address.port}/status`);
    return (await answer.json()) as { leading: boolean; waits_for: string | null };
  }

  const leads = (controller: Controller) =>
    until('it leads', async () => (await status(controller)).leading || undefined);

  it('wait for one another by the name of their Lease, and for no others', async () => {
    await leads(await candidate('one', 'first-controller'));
    const waiting = await candidate('two', 'first-controller');
    await leads(await candidate('three', 'second-controller'));
    await until('it has read all', async () => (await status(waiting)).waits_for === null || undefined);
    expect((await status(waiting)).leading).to.equal(false);
  });

  it('write less and less often when each wants something else of the same instance', async () => {
    await start({});
    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.completeDeployments();
    await start({ SVC_CONTROLLER_GATE_IMAGE: 'svc/gate:other' });
    let before = '';
    const rests = async () => {
      const { metadata } = await cluster.get('office');
      const now = JSON.stringify([metadata.resourceVersion, await cluster.versions()]);
      if (now === before) return true;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      return undefined;
    };
    await until('nothing changes any more', rests, 60_000);
    const gate = await cluster.object(RESOURCES.deployment, 'office-gate');
    expect(gate?.metadata.generation, 'writes of both').to.be.within(3, 80);
  });
});
