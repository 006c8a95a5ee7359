import { expect } from 'chai';
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

  /** Objects that were read one by one, by kind, as the API server counts since its start. */
  async function reads(): Promise<Record<string, number>> {
    const metrics = await cluster.server.kubectl(['get', '--raw', '/metrics']);
    const counts: Record<string, number> = { deployments: 0, services: 0, networkpolicies: 0 };
    for (const [, labels = '', count] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)) {
      const resource = /resource="(\w+)"/.exec(labels)?.[1] ?? '';
      if (resource in counts && labels.includes('verb="GET"'))
        counts[resource] = (counts[resource] ?? 0) + Number(count);
    }
    return counts;
  }

  /** Starts it anew after something has happened without it. */
  async function startAnew(happens: () => Promise<unknown> = async () => undefined): Promise<Record<string, number>> {
    await cluster.stopController();
    await happens();
    const before = await reads();
    await cluster.startController();
    await until('both are looked at', async () => (await cluster.idle()).done >= 2 || undefined);
    const after = await reads();
    return Object.fromEntries(Object.entries(after).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]));
  }

  it('when it starts anew and all is as it should be, nor does it read any of its objects by itself', async () => {
    const before = await versions();
    expect(await startAnew()).to.deep.equal({ deployments: 0, services: 0, networkpolicies: 0 });
    expect((await cluster.figures()).writes).to.deep.equal({});
    expect(await versions()).to.deep.equal(before);
  });

  it('when others change what is theirs', async () => {
    const { done } = await cluster.idle();
    await cluster.server.kubectl(['label', 'deployment', 'one-gate', 'theirs=yes', '-n', cluster.namespace]);
    await until('it is looked at', async () => (await cluster.idle()).done > done || undefined);
    expect((await cluster.figures()).writes).to.deep.equal({});
  });

  it('but the answer when it is asked to reconcile', async () => {
    await cluster.apply('one', {}, { 'svc.internal/reconcile-at': 'now' });
    await cluster.settled('one', ({ status }) => status?.lastHandledReconcileAt === 'now');
    expect((await cluster.figures()).writes).to.deep.equal({ 'SvcInstance status': 1 });
  });

  it('but what was altered while there was none: then it reads what that instance has', async () => {
    const scale = ['scale', 'deployment/two-front', '--replicas=7', '-n', cluster.namespace];
    const found = await startAnew(() => cluster.server.kubectl(scale));
    expect((await cluster.figures()).writes).to.include({ 'Deployment apply': 1 });
    expect(found).to.deep.equal({ deployments: 4, services: 7, networkpolicies: 5 });
  });
});
