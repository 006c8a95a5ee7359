import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError, UnreachableError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { ConditionType } from '../../../../cmd/controller/reconcile/conditions.ts';
import { getId } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
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

  it('says nothing of a licence, nor that it did what it was asked, while it is paused', async () => {
    const asked = { 'svc.internal/reconcile-at': 'now' };
    bench.change({ ...PAUSED, ...asked }, { license: { secretName: 'svc-license' } });
    await bench.reconcile();
    expect(bench.condition('LicenseValid')).to.include({ status: 'Unknown', reason: 'Paused' });
    expect(bench.told).to.deep.equal(['Paused', 'Asked']);
    bench.change(asked);
    await bench.reconcile();
    expect(bench.condition('LicenseValid')).to.include({ status: 'False', reason: 'SecretNotFound' });
    expect(bench.office().status).to.include({ lastHandledReconcileAt: 'now' });
    bench.change({ ...PAUSED, 'svc.internal/reconcile-at': 'later' }, { license: undefined });
    await bench.reconcile();
    expect(bench.condition('LicenseValid')).to.include({ status: 'False', reason: 'SecretNotFound' });
    expect(bench.office().status).to.include({ lastHandledReconcileAt: 'now' });
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

  it('does not fail when the instance is deleted before its status is written', async () => {
    bench.server.admit = (object) => {
      bench.server.remove('SvcInstance', 'office');
      return object;
    };
    expect(await bench.reconcile()).to.be.a('number');
    expect(bench.server.find('SvcInstance', 'office')).to.equal(undefined);
  });

  it('takes nothing back that was let go when the instance was deleted meanwhile, as with --cascade=orphan', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    bench.change({}, { logLevel: 'Debug' });
    bench.server.admit = (object) => {
      // The third stage is still to come.
      const budget = bench.server.find('PodDisruptionBudget', 'office-gate');
      if (object.kind !== 'Deployment' || !budget) return object;
      bench.beginDeletion();
      bench.owned.observe(bench.server.put({ ...budget, metadata: { ...budget.metadata, ownerReferences: [] } }));
      return object;
    };
    await bench.reconcile().catch(() => undefined);
    expect(bench.server.asked()).to.include('apply Deployment/office-gate');
    expect(bench.server.find('PodDisruptionBudget', 'office-gate')?.metadata.ownerReferences).to.deep.equal([]);
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

  it('applies again what somebody else has changed, later each time, and nothing that it has applied before', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    const front = () =>
      bench.server.find<KubernetesObject & { spec: { replicas: number } }>('Deployment', 'office-front');
    for (let time = 0; time < 20; time += 1) {
      const { spec, ...rest } = front() ?? ({} as never);
      bench.owned.observe(bench.server.put({ ...rest, spec: { ...spec, replicas: 7 } }));
      bench.server.asked();
      await bench.reconcile();
      expect(bench.server.asked().filter((request) => request.startsWith('apply'))).to.deep.equal([
        'apply Deployment/office-front',
      ]);
      expect(front()?.spec.replicas).to.equal(2);
    }
    const id = getId(front() as KubernetesObject);
    expect(bench.repairs.delayMs(id)).to.be.greaterThan(2_000);
    bench.now += 600_000;
    bench.repairs.count(id);
    expect(bench.repairs.delayMs(id)).to.be.lessThan(2);
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

  it('gives out the licence of a spec that cannot be turned into objects, and of the rest says what is there', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    const { images, docbuilder } = bench.office().status ?? {};
    const { spec } = bench.office();
    bench.settings = { ...bench.settings, licenseKeys: '{"keys":[ ]}' };
    bench.change(
      { 'svc.internal/reconcile-at': 'now' },
      {
        images: { ...spec.images, gate: 'svc/gate:never' },
        docbuilder: { ...spec.docbuilder, workers: 7 },
        editor: { ...spec.editor, extraParams: ['--o:user_interface.mode=\u0007'] },
      },
    );
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ status: 'False', reason: 'InvalidSpec' });
    expect(bench.server.find('ConfigMap', 'office-license-keys')).to.deep.include({
      data: { 'keys.json': '{"keys":[ ]}' },
    });
    expect(bench.office().status).to.deep.include({ appliedGeneration: 1, images, docbuilder });
    expect(bench.office().status).not.to.have.property('lastHandledReconcileAt');
  });

  it('says of a spec of which a part was refused what there is: images, version, sizes and the edge', async () => {
    await bench.reconcile();
    bench.runAll();
    await bench.reconcile();
    const { status: before = {}, spec } = bench.office();
    expect(bench.condition('EdgeReady')?.message).to.equal('The edge leads https://office.example to the front.');
    bench.settings = { ...bench.settings, version: '1.1.0' };
    bench.change(
      {},
      {
        host: 'other.example',
        images: { ...spec.images, gate: 'svc/gate:never', front: 'svc/front:new' },
        docbuilder: { ...spec.docbuilder, workers: 7 },
      },
    );
    const refuse = (...names: string[]) => {
      bench.server.admit = (object) => {
        if (!names.includes(`${object.kind}/${object.metadata.name}`)) return object;
        throw new ApiError(`PATCH ${object.metadata.name}`, { status: 403, message: 'a policy' });
      };
    };
    refuse('Deployment/office-gate');
    await bench.reconcile();
    expect(bench.condition('Ready')).to.include({ reason: 'Refused' });
    expect(bench.office().status).to.deep.include({
      ...{ baseUrl: before.baseUrl, version: before.version, images: { ...before.images, front: 'svc/front:new' } },
    });
    expect(bench.office().status?.docbuilder).to.include({ workers: 7 });
    expect(bench.condition('EdgeReady')?.message).to.equal('The edge leads https://office.example to the front.');
    bench.change({}, { docbuilder: { ...spec.docbuilder, workers: 9 } });
    refuse('ConfigMap/office-docbuilder');
    await bench.reconcile();
    expect(bench.office().status?.docbuilder).to.include({ workers: 7 });
    refuse();
    await bench.reconcile();
    expect(bench.office().status).to.deep.include({ baseUrl: 'https://other.example', version: '1.1.0' });
    expect(bench.condition('EdgeReady')?.message).to.equal('The edge leads https://other.example to the front.');
    const { metadata } = bench.office();
    bench.change(PAUSED, { host: 'third.example' });
    await bench.reconcile();
    const message = 'The edge leads https://other.example to the front.';
    for (const [type, about] of Object.entries({ EdgeReady: { message }, LicenseValid: { reason: 'NoLicense' } })) {
      const before = { ...about, observedGeneration: metadata.generation };
      expect(bench.condition(type as ConditionType)).to.include(before);
    }
  });

  it('says nothing of a licence whose Secret is of somebody else, and leaves that alone', async () => {
    const key = generateEd25519('2026');
    const claims = { sub: 'Company', conns: 500, features: ['api_full'] };
    const [iat, exp] = [bench.now / 1000, bench.now / 1000 + 86_400_000];
    const token = Buffer.from(await signEdDsa({ ...claims, iat, exp }, key)).toString('base64');
    bench.settings = { ...bench.settings, licenseKeys: JSON.stringify({ keys: [toPublic(key)] }) };
    const secret = (name: string) =>
      ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'documents' }, data: { token } }) as never;
    const theirs = bench.server.put<KubernetesObject>(secret('office-license'));
    bench.server.put(secret('svc-license'));
    bench.change({}, { license: { secretName: 'svc-license' } });
    const taken = /^Secret office-license exists already and was made by somebody else: [^.]*\.$/;
    await bench.reconcile();
    expect(bench.condition('Ready')?.message).to.match(taken);
    expect(bench.condition('LicenseValid')).to.include({ status: 'Unknown', reason: 'NotDelivered' });
    expect(bench.office().status).not.to.have.any.keys('edition', 'license', 'plan');
    expect(bench.server.find('Secret', 'office-license')).to.deep.equal(theirs);
    bench.server.remove('Secret', 'office-license');
    await bench.reconcile();
    bench.server.put({ ...theirs, metadata: { ...theirs.metadata, labels: { theirs: 'yes' } } });
    bench.change({}, { license: undefined });
    await bench.reconcile();
    expect(bench.condition('Ready')?.message).to.match(taken);
    expect(bench.condition('LicenseValid')).to.include({ status: 'True', reason: 'Valid' });
    expect(bench.office().status).to.include({ edition: 'Enterprise' });
  });
});
