import { expect } from 'chai';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { ownershipTrouble } from '../../../../cmd/controller/reconcile/ownership.ts';

const OWNER = {
  apiVersion: 'svc.internal/v1',
  kind: 'SvcInstance',
  name: 'office',
  uid: 'instance-1',
  controller: true,
};
const OTHERS = [{ ...OWNER, name: 'other' }];

function object(kind: string, metadata: Partial<ObjectMeta>, more: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'office-gate', namespace: 'shop', uid: 'uid-1', ownerReferences: [OWNER], ...metadata },
    ...more,
  };
}

const service = (resourceVersion: string, metadata: Partial<ObjectMeta> = {}) =>
  object('Service', { resourceVersion, ...metadata });

describe('the objects that the controller made', () => {
  let owned: OwnedObjects;
  beforeEach(() => {
    owned = new OwnedObjects();
  });

  it('concern their instance until they are as they were applied, and again with each change', () => {
    expect(owned.observe(service('1'))).to.deep.equal(['shop/office']);
    expect(owned.isApplied(service('1'), 'digest')).to.equal(false);
    owned.recordApply(service('2'), 'digest');
    expect(owned.isApplied(service('2'), 'digest')).to.equal(true);
    expect(owned.isApplied(service('2'), 'another')).to.equal(false);
    expect(owned.observe(service('2'))).to.deep.equal([]);
    expect(owned.observe(service('3'))).to.deep.equal(['shop/office']);
    expect(owned.isApplied(service('3'), 'digest')).to.equal(false);
    owned.recordApply(service('3'), 'digest');
    owned.forgetApplies('shop/office');
    expect(owned.isApplied(service('3'), 'digest')).to.equal(false);
  });

  it('are not hidden by the answer to an apply when they have changed or gone since', () => {
    owned.observe(service('6'));
    owned.recordApply(service('5'), 'digest');
    expect(owned.isApplied(service('6'), 'digest')).to.equal(false);
    expect(owned.remove(service('7'))).to.deep.equal(['shop/office']);
    owned.recordApply(service('5'), 'digest');
    expect(owned.find(service('5'))).to.equal(undefined);
  });

  it('are not what a watch that lags behind our own apply shows', () => {
    const status = { observedGeneration: 1, updatedReplicas: 1, replicas: 1, availableReplicas: 1 };
    const at = (resourceVersion: string, generation: number) =>
      object('Deployment', { resourceVersion, generation }, { spec: { replicas: 1 }, status });
    owned.recordApply(at('100', 2), 'digest');
    expect(owned.observe(at('99', 1))).to.deep.equal([]);
    expect(owned.find(at('100', 2))?.rollout?.complete, 'the new version runs').to.equal(false);
    expect(owned.observe(at('100', 2))).to.deep.equal([]);
    // From then on in any order: versions are set back when etcd is restored from a backup.
    expect(owned.observe(at('50', 1))).to.deep.equal(['shop/office']);
  });

  it('concern nobody while their instance is held, which is told in the end whether any is not as applied', () => {
    owned.hold('shop/office');
    expect(owned.observe(service('2'))).to.deep.equal([]);
    owned.recordApply(service('2'), 'digest');
    expect(owned.release('shop/office')).to.equal(false);
    owned.hold('shop/office');
    expect(owned.observe(service('3'))).to.deep.equal([]);
    expect(owned.release('shop/office')).to.equal(true);
    owned.hold('shop/office');
    expect(owned.remove(service('4')), 'one that is deleted').to.deep.equal(['shop/office']);
  });

  it('concern both instances when somebody changes the owner', () => {
    owned.recordApply(service('1'), 'digest');
    owned.hold('shop/office');
    expect(owned.observe(service('2', { ownerReferences: OTHERS }))).to.deep.equal(['shop/other', 'shop/office']);
  });

  it('are forgotten when they are gone, also by name and uid alone, but not the next of that name', () => {
    owned.recordApply(service('1'), 'digest');
    const gone = (uid: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'office-gate', namespace: 'shop', uid },
    });
    expect(owned.remove(gone('uid-0'))).to.deep.equal([]);
    expect(owned.remove(gone('uid-1'))).to.deep.equal(['shop/office']);
    expect([owned.size, owned.of('shop/office').length]).to.deep.equal([0, 0]);
    owned.observe(service('3'));
    owned.recordApply(service('3'), 'digest');
    expect(owned.isApplied(service('3'), 'digest'), 'back in sight').to.equal(true);
    owned.observe(service('9', { uid: 'uid-2' }));
    expect(owned.find(service('9'))?.applied, 'a successor').to.equal(undefined);
  });

  it('are none of others, whatever labels those have', () => {
    const labels = { 'app.kubernetes.io/instance': 'office', 'app.kubernetes.io/managed-by': 'Helm' };
    expect(owned.observe(object('Secret', { ownerReferences: [], labels }))).to.deep.equal([]);
    expect(owned.size).to.equal(0);
  });

  it('tell what a Gateway has against a route, once that is about its newest spec', () => {
    const edgeOf = (condition: object) => {
      const conditions = [{ type: 'Accepted', status: 'True' }, condition];
      const status = { parents: [{ parentRef: { name: 'shared' }, conditions }] };
      const route = object('HTTPRoute', { name: 'office-edge', generation: 2 }, { status });
      owned.observe(route);
      return owned.find(route)?.edge;
    };
    const failed = { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', message: 'no Service' };
    expect(edgeOf({ type: 'ResolvedRefs', status: 'True' })).to.deep.equal({ taken: true });
    expect(edgeOf({ ...failed, observedGeneration: 1 })).to.deep.equal({ taken: true });
    expect(edgeOf({ ...failed, observedGeneration: 2 })).to.deep.equal({
      taken: false,
      refusal: 'Gateway shared does not accept HTTPRoute office-edge: BackendNotFound: no Service.',
    });
  });
});

describe('an object with a name of ours', () => {
  const APPLIED = { 'svc.internal/applied': 'true' };
  const deleting = { deletionTimestamp: '2026-11-21T12:00:00Z' };
  const CASES: [what: string, kind: string, metadata: Partial<ObjectMeta>, trouble: object | undefined][] = [
    ['is ours by its owner', 'Service', {}, undefined],
    ['is ours without one, by what was applied', 'Service', { ownerReferences: [], annotations: APPLIED }, undefined],
    ['of nobody is not taken', 'Service', { ownerReferences: [] }, { reason: 'NameTaken', stalled: true }],
    [
      'of somebody else is not taken',
      'Service',
      { ownerReferences: [{ ...OWNER, kind: 'Chart', uid: 'u' }], annotations: APPLIED },
      {
        reason: 'NameTaken',
        stalled: true,
        message:
          'Service office-gate exists already and belongs to Chart office: delete or rename it, or give the SvcInstance another name.',
      },
    ],
    ['is waited for while it goes', 'Service', deleting, { reason: 'Deleting', stalled: false }],
    [
      'of the former instance is waited for',
      'Service',
      { ownerReferences: [{ ...OWNER, uid: 'instance-0' }] },
      { reason: 'Deleting', stalled: false },
    ],
    [
      'takes a person when it is a claim: it goes with its pod, which nobody ends',
      'PersistentVolumeClaim',
      deleting,
      {
        reason: 'Deleting',
        stalled: true,
        message:
          'PersistentVolumeClaim office-gate is being deleted: it is lost, with all its data, as soon as its pod ends. ' +
          'Save the data first, then end the pod: a new, empty claim will be created.',
      },
    ],
  ];
  for (const [what, kind, metadata, trouble] of CASES) {
    it(what, () => {
      const found = ownershipTrouble(object(kind, metadata), { name: 'office', uid: 'instance-1' });
      if (trouble) expect(found).to.include(trouble);
      else expect(found).to.equal(undefined);
    });
  }
});
