import { expect } from 'chai';
import type { Controller } from '../../../cmd/controller/app.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('controllers of one namespace', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  const running: Controller[] = [];

  before(async function () {
    cluster = await startTestCluster(this);
  });
  after(async () => {
    for (const controller of running) await controller.stop();
    await cluster?.close();
  });

  async function start(identity: string, lease: string): Promise<Controller> {
    const controller = await cluster.startController(
      {},
      {
        SVC_CONTROLLER_LEADER_ELECTION: '1',
        SVC_CONTROLLER_LEASE_NAMESPACE: cluster.namespace,
        SVC_CONTROLLER_LEASE_NAME: lease,
        SVC_CONTROLLER_IDENTITY: identity,
      },
    );
    running.push(controller);
    return controller;
  }

  async function buildFigures({ address }: Controller): Promise<{ leading: boolean; waits_for: string | null }> {
    const answer = await fetch(`http://127.0.0.1:${address.port}/status`);
    return (await answer.json()) as { leading: boolean; waits_for: string | null };
  }

  const leads = (controller: Controller) =>
    until('it leads', async () => (await buildFigures(controller)).leading || undefined);

  it('wait for one another by the name of their Lease, and for no others', async () => {
    await leads(await start('one', 'first-controller'));
    const waiting = await start('two', 'first-controller');
    await leads(await start('three', 'second-controller'));
    await until('it has read all', async () => (await buildFigures(waiting)).waits_for === null || undefined);
    expect((await buildFigures(waiting)).leading).to.equal(false);
  });
});
