import { expect } from 'chai';
import { getKey, type KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError, UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import { ReconcilerBench } from './reconciler-bench.ts';

const PAUSED = { 'svc.internal/paused': 'true' };

describe('the reconciler of an instance', () => {
  let bench: ReconcilerBench;
  beforeEach(() => {
    bench = new ReconcilerBench();
  });

  it('stays ready when it is paused, but takes a spec that was refused for no applied one', async () => {
    await bench.reconcile();
    bench.runAll();
    bench.change(PAUSED);
    await bench.reconcile();
    expect(bench.condition('Ready')?.status).to.equal('True');
    bench.change({}, { host: 'gate' });
    bench.server.admit = () => {
      throw new ApiError('PATCH /x', { status: 403, reason: 'Forbidden', message: 'a policy' });
    };
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ reason: 'Refused', observedGeneration: 2 });
    bench.change(PAUSED);
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ status: 'False', reason: 'Paused' });
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ status: 'False', reason: 'Paused' });
  });

  it('tells of a write that is never answered, but not of one that a stop has cut off', async () => {
    const late = new UnreachableError('PATCH /x', 'ETIMEDOUT', 'no answer within 12000 ms');
    const stopping = new AbortController();
    bench.server.admit = () => {
      stopping.abort();
      throw late;
    };
    await bench.reconcile(10, stopping.signal).catch(() => undefined);
    expect(bench.condition('Ready')).to.equal(undefined);
    await bench.reconcile(9).catch(() => undefined);
    expect(bench.condition('Ready')).to.equal(undefined);
    expect(await bench.reconcile(10).catch((error: Error) => error)).to.equal(late);
    expect(bench.condition('Ready')).to.include({ status: 'False', reason: 'ApiServerFails' });
    expect(bench.condition('Ready')?.message).to.include('no answer within 12000 ms');
  });

  for (const how of ['gone', 'on its way out'])
    it(`does not fail, and looks no more, when an object is refused while the instance is ${how}`, async () => {
      bench.server.admit = ({ kind }) => {
        if (how === 'gone') bench.server.remove('SvcInstance', 'office');
        else bench.beginDeletion();
        throw new ApiError(`PATCH ${kind}`, { status: 409, reason: 'Conflict' });
      };
      expect(await bench.reconcile()).to.equal(undefined);
      bench.server.asked();
      expect(await bench.reconcile()).to.equal(undefined);
      expect(bench.server.asked()).to.deep.equal(['get SvcInstance/office']);
    });

  it('takes nothing back that was let go when the instance was deleted meanwhile, as with --cascade=orphan', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    bench.change({}, { logLevel: 'Debug' });
    bench.server.admit = (object) => {
      // The third stage is still to come.
      const budget = bench.server.find('PodDisruptionBudget', 'office-front');
      if (object.kind !== 'Deployment' || !budget) return object;
      bench.beginDeletion();
      bench.owned.observe(bench.server.put({ ...budget, metadata: { ...budget.metadata, ownerReferences: [] } }));
      return object;
    };
    await bench.reconcile().catch(() => undefined);
    expect(bench.server.asked()).to.include('apply Deployment/office-gate');
    expect(bench.server.find('PodDisruptionBudget', 'office-front')?.metadata.ownerReferences).to.deep.equal([]);
  });

  it('asks nothing about one that is gone: with a namespace goes the right to read in it', async () => {
    bench.server.asked();
    bench.instances.delete(getKey(bench.office()));
    expect(await bench.reconcile()).to.equal(undefined);
    expect(bench.server.asked()).to.deep.equal([]);
  });

  it('says that another instance has its host already, until that is over', async () => {
    const { metadata, spec } = bench.office();
    const older = { ...metadata, namespace: 'elsewhere', creationTimestamp: '2026-01-01T00:00:00Z' };
    const younger = { ...older, namespace: 'later', creationTimestamp: '2026-12-01T00:00:00Z' };
    bench.server.put({ ...bench.office(), metadata: { ...metadata, creationTimestamp: '2026-06-01T00:00:00Z' } });
    bench.instances.observe(bench.office());
    for (const other of [older, younger]) bench.instances.observe({ ...bench.office(), metadata: other });
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({
      reason: 'AvailableWithRemarks',
      message:
        `All components are available. The older SvcInstance elsewhere/office has the same host ${spec.host}, ` +
        'and edges route it there: change one of the two.',
    });
    const changed = { ...older, generation: 2, resourceVersion: '999' };
    bench.instances.observe({
      ...bench.office(),
      metadata: changed,
      spec: { ...spec, ingress: { ...spec.ingress, gating: 'None' } },
    });
    await bench.reconcile();
    expect(bench.condition('Ready')?.reason).to.equal('AllAvailable');
  });

  it('looks ever later, up to a minute, at what does not start, and soon again at what is new', async () => {
    const looks = async (times: number) => {
      const found: (number | undefined)[] = [];
      for (let time = 0; time < times; time += 1) found.push(await bench.reconcile());
      return found;
    };
    expect(await looks(8)).to.deep.equal([10_000, 15_000, 22_500, 33_750, 50_625, 60_000, 60_000, 60_000]);
    bench.change({}, { logLevel: 'Debug' });
    expect(await looks(2)).to.deep.equal([10_000, 15_000]);
    bench.runAll('Deployment');
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ reason: 'IngressClassNotFound' });
    expect(await bench.reconcile(), 'without an edge').to.be.a('number');
    bench.runAll();
    expect(await looks(2)).to.deep.equal([undefined, undefined]);
  });

  it('says why pods are refused now, which the condition of their Deployment does not: it keeps the first reason', async () => {
    const refusal = (reason: string) => `pods "office-editor-7d9f-x2" is forbidden: ${reason}`;
    const event = (name: string, replicaSet: string, note: string, seconds: number) =>
      bench.server.put({
        ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name, namespace: 'documents' }, note },
        ...{ regarding: { kind: 'ReplicaSet', name: replicaSet }, deprecatedLastTimestamp: new Date(seconds * 1000) },
      } as KubernetesObject);
    await bench.reconcile();
    const failed = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: refusal('maximum cpu') };
    const deployment = bench.server.find('Deployment', 'office-editor');
    bench.owned.observe({ ...deployment, status: { conditions: [failed] } } as KubernetesObject);
    await bench.reconcile();
    expect(bench.condition('EditorAvailable')?.message).to.include('maximum cpu');
    event('one', 'office-editor-1', `Error creating: ${refusal('violates PodSecurity')}`, 1);
    event('two', 'office-editor-2', `(combined from similar events): Error creating: ${refusal('exceeded quota')}`, 2);
    event('three', 'office-editor-x-3', `Error creating: ${refusal('of another instance')}`, 3);
    await bench.reconcile();
    expect(bench.condition('EditorAvailable')?.message).to.match(/^The editor cannot start: exceeded quota\. Set /);
  });

  it('tells troubles of several objects in the same order, whichever is refused first', async () => {
    const messages: (string | undefined)[] = [];
    for (const slow of ['office-gate', 'office-front', 'office-editor']) {
      bench.server.admit = async (object) => {
        if (object.kind !== 'Service') return object;
        await new Promise((resolve) => setTimeout(resolve, object.metadata.name === slow ? 20 : 0));
        throw new ApiError(`PATCH ${object.metadata.name}`, { status: 403, message: 'exceeded quota' });
      };
      await bench.reconcile();
      messages.push(bench.condition('Ready')?.message);
    }
    expect(messages[0]).to.match(/office-gate: .*office-docbuilder: .*office-editor: .*office-front: /);
    expect(new Set(messages).size).to.equal(1);
  });

  it('says that it did what it was asked only when it has looked', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    bench.server.remove('Secret', 'office-secrets');
    bench.change({ 'svc.internal/reconcile-at': 'now' }, { secrets: { secretName: 'given' } });
    await bench.reconcile();
    expect(bench.condition('Ready')?.reason).to.equal('SecretNotFound');
    expect(bench.office().status).not.to.have.property('lastHandledReconcileAt');
    const labels = { 'svc.internal/instance': 'office' };
    bench.server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'given', namespace: 'documents', labels } });
    bench.server.asked();
    await bench.reconcile();
    expect(bench.office().status).to.include({ lastHandledReconcileAt: 'now' });
    expect(bench.server.asked()).to.include('apply Deployment/office-front');
  });
});
