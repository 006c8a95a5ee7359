import { expect } from 'chai';
import { isTrue, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('the controller changes nothing', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(async (cluster) => {
    await cluster.startController();
    for (const name of ['one', 'two']) await cluster.apply(name);
    await until('both are made', async () => (await cluster.idle()).done >= 2 || undefined);
    await cluster.completeDeployments();
    for (const name of ['one', 'two']) await cluster.settled(name, isTrue('Ready'));
    // The API server itself changes a claim with the first update after its creation.
    await startAnew();
  });

  /** The versions of everything there is: an apply that changes nothing leaves them as they are. */
  async function versions(): Promise<Record<string, string | undefined>> {
    const found = await cluster.versions();
    for (const name of ['one', 'two'])
      found[`SvcInstance/${name}`] = (await cluster.get(name)).metadata.resourceVersion;
    return found;
  }

  /** Names of what has another version than before. */
  async function changedSince(before: Record<string, string | undefined>): Promise<string[]> {
    const now = await versions();
    return Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name]);
  }

  /** Requests for Deployments so far, by verb, as the API server counts them. */
  async function requests(): Promise<Record<string, number>> {
    const metrics = await cluster.server.kubectl(['get', '--raw', '/metrics']);
    const counts: Record<string, number> = { GET: 0, APPLY: 0 };
    for (const [, labels = '', count] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\d+)$/gm)) {
      const verb = /verb="(\w+)"/.exec(labels)?.[1] ?? '';
      if (verb in counts && labels.includes('resource="deployments"'))
        counts[verb] = (counts[verb] ?? 0) + Number(count);
    }
    return counts;
  }

  async function startAnew(happens: () => Promise<unknown> = async () => undefined): Promise<void> {
    await cluster.stopController();
    await happens();
    await cluster.startController();
    await until('both are looked at', async () => (await cluster.idle()).done >= 2 || undefined);
  }

  it('when it starts anew and all is as it should be: it applies each object once and reads none', async () => {
    const [before, counted] = [await versions(), await requests()];
    await startAnew();
    expect(await changedSince(before)).to.deep.equal([]);
    const now = await requests();
    expect(now['GET']).to.equal(counted['GET']);
    expect(now['APPLY']).to.equal((counted['APPLY'] ?? 0) + 8);
  });

  it('when others change what is theirs', async () => {
    const before = await versions();
    const { done } = await cluster.idle();
    await cluster.server.kubectl(['label', 'deployment', 'one-gate', 'theirs=yes', '-n', cluster.namespace]);
    await until('it is looked at', async () => (await cluster.idle()).done > done || undefined);
    expect(await changedSince(before)).to.deep.equal(['Deployment/one-gate']);
  });

  it('but what somebody changes of its own, and says so at that object alone', async () => {
    await cluster.server.kubectl(['scale', 'deployment/one-front', '--replicas=7', '-n', cluster.namespace]);
    const all = ['get', 'events.v1.events.k8s.io', '--field-selector=reason=Repaired', '-n', cluster.namespace];
    const names = ['-o', 'jsonpath={range .items[*]}{.regarding.kind}/{.regarding.name}: {.note}{end}'];
    const told = await until('it is told', async () => (await cluster.server.kubectl([...all, ...names])) || undefined);
    expect(told).to.match(
      /^Deployment\/one-front: .* as SvcInstance one wants it again: change the spec of that instead\.$/,
    );
  });

  it('but the answer when it is asked to reconcile', async () => {
    const before = await versions();
    await cluster.apply('one', {}, { 'svc.internal/reconcile-at': 'now' });
    await cluster.settled('one', ({ status }) => status?.lastHandledReconcileAt === 'now');
    await cluster.idle();
    expect(await changedSince(before)).to.deep.equal(['SvcInstance/one']);
  });

  it('but what was altered while there was none', async () => {
    const before = await versions();
    const scale = ['scale', 'deployment/two-front', '--replicas=7', '-n', cluster.namespace];
    await startAnew(() => cluster.server.kubectl(scale));
    const get = ['get', 'deployment/two-front', '-o', 'jsonpath={.spec.replicas}', '-n', cluster.namespace];
    await until('it is repaired', async () => (await cluster.server.kubectl(get)) === '2' || undefined);
    expect((await changedSince(before)).filter((name) => !name.startsWith('SvcInstance'))).to.deep.equal([
      'Deployment/two-front',
    ]);
  });
});
