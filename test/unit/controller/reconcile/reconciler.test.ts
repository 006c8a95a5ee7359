import { expect } from 'chai';
import { getKey, type KubernetesObject, RESOURCES } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError, UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import { type Condition, type ConditionType, findCondition } from '../../../../cmd/controller/reconcile/conditions.ts';
import { Instances, type SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { getId, OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { RepairLimiter } from '../../../../cmd/controller/reconcile/queue.ts';
import { InstanceReconciler } from '../../../../cmd/controller/reconcile/reconciler.ts';
import { testLogger } from '../../../support/logs.ts';
import { situationOf } from '../desired/situation.ts';
import { type MemoryClient, memoryClient } from './memory-client.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const PAUSED = { 'svc.internal/paused': 'true' };

describe('the reconciler of an instance', () => {
  let server: MemoryClient;
  let owned: OwnedObjects;
  let repairs: RepairLimiter;
  let instances: Instances;
  /** Reasons of events. */
  let told: string[];
  let now: number;
  let reconcile: (failures?: number, signal?: AbortSignal) => Promise<number | undefined>;

  beforeEach(() => {
    server = memoryClient();
    now = NOW;
    start();
    const { metadata, spec } = situationOf().instance;
    const { apiVersion, kind } = RESOURCES.svcInstance;
    server.put({ apiVersion, kind, metadata, spec } as SvcInstance);
  });

  /** A controller that knows nothing yet. */
  function start(): void {
    owned = new OwnedObjects();
    repairs = new RepairLimiter(() => now);
    instances = new Instances();
    told = [];
    const reconciler = new InstanceReconciler({
      ...{ client: server.client, owned, repairs, instances, settings: () => situationOf().settings },
      events: { record: (_, { reason }) => void told.push(reason) },
      audit: { record: () => undefined },
      clock: () => now,
      random: (size) => new Uint8Array(size).fill(0x5a),
      log: testLogger(),
    });
    const key = getKey(situationOf().instance);
    reconcile = (failures = 0, signal = new AbortController().signal) => reconciler.reconcile(key, signal, failures);
  }

  function beginDeletion(): void {
    server.put({ ...office(), metadata: { ...office().metadata, deletionTimestamp: '2026-11-21T12:00:00Z' } });
  }

  function office(): SvcInstance {
    const found = server.find<SvcInstance>('SvcInstance', 'office');
    if (!found) throw new Error('no instance');
    return found;
  }

  /** As somebody else changes the instance. */
  function change(annotations: Record<string, string>, spec: object = {}): void {
    const { metadata, ...rest } = office();
    const generation = (metadata.generation ?? 0) + (Object.keys(spec).length > 0 ? 1 : 0);
    server.put({ ...rest, metadata: { ...metadata, generation, annotations }, spec: { ...rest.spec, ...spec } });
  }

  const condition = (type: ConditionType): Condition | undefined =>
    findCondition(office().status?.conditions ?? [], type);

  /** Plays controller-manager, edge and the watches; @param only for objects of this kind */
  function runAll(only?: string): void {
    for (const object of server.all().filter(({ kind }) => kind !== 'SvcInstance' && kind === (only ?? kind))) {
      if (object.kind === 'Deployment') owned.observe(server.put(running(object)));
      else owned.observe(object.kind === 'Ingress' ? server.put(taken(object)) : object);
    }
  }

  it('stays ready when it is paused, but takes a spec that was refused for no applied one', async () => {
    await reconcile();
    runAll();
    change(PAUSED);
    await reconcile();
    expect(condition('Ready')?.status).to.equal('True');
    change({}, { host: 'gate' });
    server.admit = () => {
      throw new ApiError('PATCH /x', { status: 403, reason: 'Forbidden', message: 'a policy' });
    };
    await reconcile();
    expect(condition('Ready')).to.include({ reason: 'Refused', observedGeneration: 2 });
    change(PAUSED);
    await reconcile();
    expect(condition('Ready')).to.include({ status: 'False', reason: 'Paused' });
    await reconcile();
    expect(condition('Ready')).to.include({ status: 'False', reason: 'Paused' });
  });

  it('says nothing of a licence, nor that it did what it was asked, while it is paused', async () => {
    const asked = { 'svc.internal/reconcile-at': 'now' };
    change({ ...PAUSED, ...asked }, { license: { secretName: 'svc-license' } });
    await reconcile();
    expect(condition('LicenseValid')).to.include({ status: 'Unknown', reason: 'Paused' });
    expect(told).to.deep.equal(['Paused', 'Asked']);
    change(asked);
    await reconcile();
    expect(condition('LicenseValid')).to.include({ status: 'False', reason: 'SecretNotFound' });
    expect(office().status).to.include({ lastHandledReconcileAt: 'now' });
    change({ ...PAUSED, 'svc.internal/reconcile-at': 'later' }, { license: undefined });
    await reconcile();
    expect(condition('LicenseValid')).to.include({ status: 'False', reason: 'SecretNotFound' });
    expect(office().status).to.include({ lastHandledReconcileAt: 'now' });
  });

  it('tells of a write that is never answered, but not of one that a stop has cut off', async () => {
    const late = new UnreachableError('PATCH /x', 'ETIMEDOUT', 'no answer within 12000 ms');
    const stopping = new AbortController();
    server.admit = () => {
      stopping.abort();
      throw late;
    };
    await reconcile(10, stopping.signal).catch(() => undefined);
    expect(condition('Ready')).to.equal(undefined);
    await reconcile(9).catch(() => undefined);
    expect(condition('Ready')).to.equal(undefined);
    expect(await reconcile(10).catch((error: Error) => error)).to.equal(late);
    expect(condition('Ready')).to.include({ status: 'False', reason: 'ApiServerFails' });
    expect(condition('Ready')?.message).to.include('no answer within 12000 ms');
  });

  for (const how of ['gone', 'on its way out'])
    it(`does not fail, and looks no more, when an object is refused while the instance is ${how}`, async () => {
      server.admit = ({ kind }) => {
        if (how === 'gone') server.remove('SvcInstance', 'office');
        else beginDeletion();
        throw new ApiError(`PATCH ${kind}`, { status: 409, reason: 'Conflict' });
      };
      expect(await reconcile()).to.equal(undefined);
      server.asked();
      expect(await reconcile()).to.equal(undefined);
      expect(server.asked()).to.deep.equal(['get SvcInstance/office']);
    });

  it('does not fail when the instance is deleted before its status is written', async () => {
    server.admit = (object) => {
      server.remove('SvcInstance', 'office');
      return object;
    };
    expect(await reconcile()).to.be.a('number');
    expect(server.find('SvcInstance', 'office')).to.equal(undefined);
  });

  it('takes nothing back that was let go when the instance was deleted meanwhile, as with --cascade=orphan', async () => {
    await reconcile();
    runAll();
    await reconcile();
    change({}, { logLevel: 'Debug' });
    server.admit = (object) => {
      // The third stage is still to come.
      const budget = server.find('PodDisruptionBudget', 'office-gate');
      if (object.kind !== 'Deployment' || !budget) return object;
      beginDeletion();
      owned.observe(server.put({ ...budget, metadata: { ...budget.metadata, ownerReferences: [] } }));
      return object;
    };
    await reconcile().catch(() => undefined);
    expect(server.asked()).to.include('apply Deployment/office-gate');
    expect(server.find('PodDisruptionBudget', 'office-gate')?.metadata.ownerReferences).to.deep.equal([]);
  });

  it('says that another instance has its host already, until that is over', async () => {
    const { metadata, spec } = office();
    const older = { ...metadata, namespace: 'elsewhere', creationTimestamp: '2026-01-01T00:00:00Z' };
    const younger = { ...older, namespace: 'later', creationTimestamp: '2026-12-01T00:00:00Z' };
    server.put({ ...office(), metadata: { ...metadata, creationTimestamp: '2026-06-01T00:00:00Z' } });
    instances.observe(office());
    for (const other of [older, younger]) instances.observe({ ...office(), metadata: other });
    await reconcile();
    runAll();
    await reconcile();
    expect(condition('Ready')).to.include({
      reason: 'AvailableWithRemarks',
      message:
        `All components are available. The older SvcInstance elsewhere/office has the same host ${spec.host}, ` +
        'and edges route it there: change one of the two.',
    });
    const changed = { ...older, generation: 2, resourceVersion: '999' };
    instances.observe({
      ...office(),
      metadata: changed,
      spec: { ...spec, ingress: { ...spec.ingress, gating: 'None' } },
    });
    await reconcile();
    expect(condition('Ready')?.reason).to.equal('AllAvailable');
  });

  it('looks ever later, up to a minute, at what does not start, and soon again at what is new', async () => {
    const looks = async (times: number) => {
      const found: (number | undefined)[] = [];
      for (let time = 0; time < times; time += 1) found.push(await reconcile());
      return found;
    };
    expect(await looks(8)).to.deep.equal([10_000, 15_000, 22_500, 33_750, 50_625, 60_000, 60_000, 60_000]);
    change({}, { logLevel: 'Debug' });
    expect(await looks(2)).to.deep.equal([10_000, 15_000]);
    runAll('Deployment');
    await reconcile();
    expect(condition('Ready')).to.include({ reason: 'IngressClassNotFound' });
    expect(await reconcile(), 'without an edge').to.be.a('number');
    runAll();
    expect(await looks(2)).to.deep.equal([undefined, undefined]);
  });

  it('tells troubles of several objects in the same order, whichever is refused first', async () => {
    const messages: (string | undefined)[] = [];
    for (const slow of ['office-gate', 'office-front', 'office-editor']) {
      server.admit = async (object) => {
        if (object.kind !== 'Service') return object;
        await new Promise((resolve) => setTimeout(resolve, object.metadata.name === slow ? 20 : 0));
        throw new ApiError(`PATCH ${object.metadata.name}`, { status: 403, message: 'exceeded quota' });
      };
      await reconcile();
      messages.push(condition('Ready')?.message);
    }
    expect(messages[0]).to.match(/office-gate: .*office-docbuilder: .*office-editor: .*office-front: /);
    expect(new Set(messages).size).to.equal(1);
  });

  it('applies again what somebody else has changed, later each time, and nothing that it has applied before', async () => {
    await reconcile();
    runAll();
    await reconcile();
    const front = () => server.find<KubernetesObject & { spec: { replicas: number } }>('Deployment', 'office-front');
    for (let time = 0; time < 20; time += 1) {
      const { spec, ...rest } = front() ?? ({} as never);
      owned.observe(server.put({ ...rest, spec: { ...spec, replicas: 7 } }));
      server.asked();
      await reconcile();
      expect(server.asked().filter((request) => request.startsWith('apply'))).to.deep.equal([
        'apply Deployment/office-front',
      ]);
      expect(front()?.spec.replicas).to.equal(2);
    }
    const id = getId(front() as KubernetesObject);
    expect(repairs.delayMs(id)).to.be.greaterThan(2_000);
    now += 600_000;
    repairs.count(id);
    expect(repairs.delayMs(id)).to.be.lessThan(2);
  });

  it('says that it did what it was asked only when it has looked', async () => {
    await reconcile();
    runAll();
    await reconcile();
    server.remove('Secret', 'office-secrets');
    change({ 'svc.internal/reconcile-at': 'now' }, { secrets: { secretName: 'given' } });
    await reconcile();
    expect(condition('Ready')?.reason).to.equal('SecretNotFound');
    expect(office().status).not.to.have.property('lastHandledReconcileAt');
    const labels = { 'svc.internal/instance': 'office' };
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'given', namespace: 'documents', labels } });
    server.asked();
    await reconcile();
    expect(office().status).to.include({ lastHandledReconcileAt: 'now' });
    expect(server.asked()).to.include('apply Deployment/office-front');
  });
});

function running(deployment: KubernetesObject): KubernetesObject {
  const { replicas = 1 } = (deployment as KubernetesObject & { spec: { replicas?: number } }).spec;
  const conditions = [{ type: 'Available', status: 'True' }];
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  return { ...deployment, status: { ...counts, conditions } } as KubernetesObject;
}

function taken(ingress: KubernetesObject): KubernetesObject {
  return { ...ingress, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } } as KubernetesObject;
}
