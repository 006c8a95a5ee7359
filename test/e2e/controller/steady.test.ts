import { expect } from 'chai';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import { type Figures, startTestCluster, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('the controller writes nothing', function () {
  this.timeout(60_000);
  let cluster: TestCluster;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController();
    for (const name of ['one', 'two']) await cluster.apply(name);
    await until('both are made', async () => (await idle(cluster)).done >= 2 || undefined);
    await cluster.completeDeployments();
    for (const name of ['one', 'two']) await cluster.settled(name, isReady);
    await idle(cluster);
  });
  after(() => cluster?.close());

  /** Writes from now on, as the API server counts them: versions of everything there is. */
  async function versions(): Promise<Record<string, string | undefined>> {
    const objects = await cluster.objects();
    for (const name of ['one', 'two']) objects.set(`SvcInstance/${name}`, await cluster.get(name));
    return Object.fromEntries([...objects].map(([name, { metadata }]) => [name, metadata.resourceVersion]));
  }

  it('when it starts anew and all is as it should be', async () => {
    await cluster.stopController();
    const before = await versions();
    await cluster.startController();
    await until('both are looked at', async () => (await idle(cluster)).done >= 2 || undefined);
    expect((await cluster.figures()).writes).to.deep.equal({});
    expect(await versions()).to.deep.equal(before);
  });

  it('when others change what is theirs', async () => {
    const { done } = await idle(cluster);
    const live = await cluster.object(RESOURCES.deployment, 'one-gate');
    if (!live) throw new Error('no Deployment');
    await cluster.client.replace(RESOURCES.deployment, {
      ...live,
      metadata: { ...live.metadata, labels: { ...live.metadata.labels, theirs: 'yes' } },
    });
    await until('it is looked at', async () => (await idle(cluster)).done > done || undefined);
    expect((await cluster.figures()).writes).to.deep.equal({});
  });

  it('but the answer when it is asked to reconcile', async () => {
    await cluster.apply('one', {}, { 'svc.internal/reconcile-at': 'now' });
    await cluster.settled('one', ({ status }) => status?.lastHandledReconcileAt === 'now');
    expect((await cluster.figures()).writes).to.deep.equal({ 'SvcInstance status': 1 });
  });
});

function isReady({ status }: Awaited<ReturnType<TestCluster['get']>>): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** The figures of the queue once it has nothing to do. */
async function idle(cluster: TestCluster): Promise<Figures['queue']> {
  return until('the queue is empty', async () => {
    const { queue } = await cluster.figures();
    return queue.waiting + queue.running === 0 ? queue : undefined;
  });
}
