import { expect } from 'chai';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import { isTrue, startTestCluster, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('the controller writes nothing', function () {
  this.timeout(60_000);
  let cluster: TestCluster;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController();
    for (const name of ['one', 'two']) await cluster.apply(name);
    await until('both are made', async () => (await cluster.idle()).done >= 2 || undefined);
    await cluster.completeDeployments();
    for (const name of ['one', 'two']) await cluster.settled(name, isTrue('Ready'));
    await cluster.idle();
  });
  after(() => cluster?.close());

  /** Writes from now on, as the API server counts them: versions of everything there is. */
  async function versions(): Promise<Record<string, string | undefined>> {
    const found = await cluster.versions();
    for (const name of ['one', 'two'])
      found[`SvcInstance/${name}`] = (await cluster.get(name)).metadata.resourceVersion;
    return found;
  }

  it('when it starts anew and all is as it should be', async () => {
    await cluster.stopController();
    const before = await versions();
    await cluster.startController();
    await until('both are looked at', async () => (await cluster.idle()).done >= 2 || undefined);
    expect((await cluster.figures()).writes).to.deep.equal({});
    expect(await versions()).to.deep.equal(before);
  });

  it('when others change what is theirs', async () => {
    const { done } = await cluster.idle();
    const live = await cluster.object(RESOURCES.deployment, 'one-gate');
    if (!live) throw new Error('no Deployment');
    await cluster.client.replace(RESOURCES.deployment, {
      ...live,
      metadata: { ...live.metadata, labels: { ...live.metadata.labels, theirs: 'yes' } },
    });
    await until('it is looked at', async () => (await cluster.idle()).done > done || undefined);
    expect((await cluster.figures()).writes).to.deep.equal({});
  });

  it('but the answer when it is asked to reconcile', async () => {
    await cluster.apply('one', {}, { 'svc.internal/reconcile-at': 'now' });
    await cluster.settled('one', ({ status }) => status?.lastHandledReconcileAt === 'now');
    expect((await cluster.figures()).writes).to.deep.equal({ 'SvcInstance status': 1 });
  });
});
