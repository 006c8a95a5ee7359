import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { ConditionType } from '../../../../cmd/controller/reconcile/conditions.ts';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { ReconcilerBench } from './reconciler-bench.ts';

const PAUSED = { 'svc.internal/paused': 'true' };

describe('an instance of which not everything is applied', () => {
  let bench: ReconcilerBench;
  beforeEach(() => {
    bench = new ReconcilerBench();
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
