import { expect } from 'chai';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/types.ts';
import { hashOf } from '../../../../cmd/controller/reconcile/hash.ts';
import { createOwnedCache, type OwnedCache } from '../../../../cmd/controller/reconcile/owned.ts';
import { ownershipTrouble } from '../../../../cmd/controller/reconcile/ownership.ts';

const OWNER = {
  apiVersion: 'svc.internal/v1',
  kind: 'SvcInstance',
  name: 'office',
  uid: 'instance-1',
  controller: true,
};

function object(kind: string, metadata: Partial<ObjectMeta>, more: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'office-gate', namespace: 'shop', uid: 'uid-1', ownerReferences: [OWNER], ...metadata },
    ...more,
  };
}

describe('the memory of what the controller made', () => {
  let cache: OwnedCache;
  beforeEach(() => {
    cache = createOwnedCache();
  });

  it('tells of what it sees for the first time, and not again once that has been agreed to', () => {
    const service = object('Service', { resourceVersion: '1' });
    expect(cache.seen(service)).to.deep.equal(['shop/office']);
    expect(cache.seen(service)).to.deep.equal(['shop/office']);
    cache.agree(service, 'wanted');
    expect(cache.seen(service)).to.deep.equal([]);
    expect(cache.seen(object('Service', { resourceVersion: '2', generation: 4, managedFields: [] }))).to.deep.equal([]);
  });

  it('tells of any change of what people decide about, foreign or not', () => {
    const service = object('Service', {});
    cache.agree(service, 'wanted');
    expect(cache.seen(object('Service', { labels: { theirs: '1' } }))).to.deep.equal(['shop/office']);
    cache.agree(service, 'wanted');
    expect(cache.seen({ ...service, spec: { ports: [] } } as KubernetesObject)).to.deep.equal(['shop/office']);
    expect(cache.find(service)?.agreed?.content).not.to.equal(cache.find(service)?.content);
  });

  it('lets the answer to its own write hide nothing that came after that write', () => {
    const written = object('Service', { resourceVersion: '5' }, { spec: { ports: [1] } });
    cache.seen(written);
    cache.seen(object('Service', { resourceVersion: '6' }, { spec: { ports: [2] } }));
    cache.agree(written, 'wanted');
    expect(cache.find(written)?.agreed?.content).not.to.equal(cache.find(written)?.content);

    const other = object('Service', { name: 'office-editor', uid: 'uid-2', resourceVersion: '7' });
    expect(cache.gone(other)).to.deep.equal(['shop/office']);
    cache.agree(other, 'wanted');
    expect(cache.find(other)).to.equal(undefined);
  });

  it('tells of the progress of Deployments and claims, not of other statuses', () => {
    const service = object('Service', {}, { status: { loadBalancer: {} } });
    cache.agree(service, 'wanted');
    expect(cache.seen(object('Service', {}, { status: { loadBalancer: { ingress: [] } } }))).to.deep.equal([]);
    const deployment = object('Deployment', {}, { spec: { replicas: 1 } });
    cache.agree(deployment, 'wanted');
    const ready = object('Deployment', {}, { spec: { replicas: 1 }, status: { readyReplicas: 1 } });
    expect(cache.seen(ready)).to.deep.equal(['shop/office']);
    expect(cache.seen(ready)).to.deep.equal([]);
  });

  it('tells of what a Gateway has against a route, once that is about its newest spec', () => {
    const route = (status: object) => object('HTTPRoute', { name: 'office-edge', generation: 2 }, { status });
    const parent = (condition: object) => ({
      parents: [{ parentRef: { name: 'shared' }, conditions: [{ type: 'Accepted', status: 'True' }, condition] }],
    });
    const accepted = route(parent({ type: 'ResolvedRefs', status: 'True' }));
    expect(cache.seen(accepted)).to.deep.equal(['shop/office']);
    expect(cache.find(accepted)?.edge).to.deep.equal({ taken: true });
    cache.agree(accepted, 'wanted');
    const old = { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', observedGeneration: 1 };
    expect(cache.seen(route(parent(old)))).to.deep.equal([]);
    expect(cache.seen(route(parent({ ...old, observedGeneration: 2, message: 'no Service' })))).to.deep.equal([
      'shop/office',
    ]);
    expect(cache.find(route({}))?.edge?.refusal).to.equal(
      'Gateway shared does not accept HTTPRoute office-edge: BackendNotFound: no Service.',
    );
    expect(cache.seen(route(parent({ ...old, status: 'True', observedGeneration: 2 })))).to.deep.equal(['shop/office']);
    expect(cache.find(route({}))?.edge).to.deep.equal({ taken: true });
  });

  it('is not misled by what was on its way before our own write', () => {
    const status = { observedGeneration: 1, updatedReplicas: 1, replicas: 1, availableReplicas: 1 };
    const at = (resourceVersion: string, generation: number) =>
      object('Deployment', { resourceVersion, generation }, { spec: { replicas: 1 }, status });
    cache.agree(at('100', 2), 'wanted');
    expect(cache.seen(at('99', 1))).to.deep.equal([]);
    expect(cache.find(at('100', 2))?.rollout?.complete, 'the new version runs').to.equal(false);
    expect(cache.seen(at('100', 2))).to.deep.equal([]);
    // From then on in any order: versions may be set back, when the API server is restored from a backup.
    expect(cache.seen(at('50', 1))).to.deep.equal(['shop/office']);
  });

  it('takes what it sees of an object that is just being written for that write, unless it is something else', () => {
    const service = object('Service', { resourceVersion: '1' });
    const others = object('Service', { resourceVersion: '2' }, { spec: { ports: [] } });
    const release = cache.hold(service);
    expect(cache.seen(service)).to.deep.equal([]);
    cache.agree(service, 'wanted');
    expect(release()).to.equal(false);

    const releaseAgain = cache.hold(service);
    expect(cache.seen(others)).to.deep.equal([]);
    cache.agree(service, 'wanted');
    expect(releaseAgain(), 'somebody has changed it after our write').to.equal(true);
    expect(cache.seen(others), 'nobody holds it any more').to.deep.equal(['shop/office']);
  });

  it('tells of the end of an object that is just being written, and of one that another instance takes', () => {
    const service = object('Service', { resourceVersion: '1' });
    cache.seen(service);
    cache.hold(service);
    const stolen = { ownerReferences: [{ ...OWNER, name: 'other' }], resourceVersion: '2' };
    expect(cache.seen(object('Service', stolen))).to.deep.equal(['shop/other']);
    expect(cache.gone(service)).to.deep.equal(['shop/other']);
  });

  it('takes the version of a Secret for its content, which it never sees', () => {
    cache.agree(object('Secret', { resourceVersion: '1' }), 'wanted');
    expect(cache.seen(object('Secret', { resourceVersion: '1' }))).to.deep.equal([]);
    expect(cache.seen(object('Secret', { resourceVersion: '2' }))).to.deep.equal(['shop/office']);
  });

  it('forgets what is gone, also by name and uid alone, but not the next of that name', () => {
    cache.agree(object('Service', {}), 'wanted');
    const gone = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'office-gate', namespace: 'shop', uid: 'uid-1' },
    };
    expect(cache.gone({ ...gone, metadata: { ...gone.metadata, uid: 'uid-0' } })).to.deep.equal([]);
    expect(cache.gone(gone)).to.deep.equal(['shop/office']);
    expect(cache.of('shop/office')).to.deep.equal([]);
    expect(cache.gone(gone)).to.deep.equal([]);
  });

  it('agrees again to what only was out of sight, as without the label that the watch goes by', () => {
    const service = object('Service', { resourceVersion: '1' });
    cache.agree(service, 'wanted');
    expect(cache.gone(service)).to.deep.equal(['shop/office']);
    const back = object('Service', { resourceVersion: '3' });
    expect(cache.seen(back)).to.deep.equal(['shop/office']);
    cache.agree(back, 'wanted');
    expect(cache.find(back)?.agreed?.content).to.equal(cache.find(back)?.content);
    expect(cache.seen(back)).to.deep.equal([]);
  });

  it('tells both instances when somebody changes the owner', () => {
    cache.agree(object('Service', {}), 'wanted');
    const stolen = object('Service', { ownerReferences: [{ ...OWNER, name: 'other' }] });
    expect(cache.seen(stolen)).to.deep.equal(['shop/other', 'shop/office']);
  });

  it('does not pass an agreement on to a successor of the same name', () => {
    cache.agree(object('Service', {}), 'wanted');
    expect(cache.seen(object('Service', { uid: 'uid-2' }))).to.deep.equal(['shop/office']);
    expect(cache.find(object('Service', {}))?.agreed).to.equal(undefined);
  });

  it('takes no object of others for its own', () => {
    const labels = { 'app.kubernetes.io/instance': 'office', 'app.kubernetes.io/managed-by': 'Helm' };
    expect(cache.seen(object('Secret', { ownerReferences: [], labels }))).to.deep.equal([]);
    expect(cache.size()).to.equal(0);
  });

  it('hashes equal values equally, whatever the order of their members', () => {
    expect(hashOf({ a: 1, b: { c: [1, 2], d: null } })).to.equal(hashOf({ b: { d: null, c: [1, 2] }, a: 1 }));
    expect(hashOf({ a: [1, 2] })).not.to.equal(hashOf({ a: [2, 1] }));
  });
});

describe('an object with a name of ours', () => {
  const ask = (metadata: Partial<ObjectMeta>) =>
    ownershipTrouble(object('Service', metadata), { name: 'office', uid: 'instance-1' });
  const APPLIED = { 'svc.internal/applied-hash': 'x' };

  it('is ours by its owner, or when it lost that, by what we wrote on it', () => {
    expect(ask({})).to.equal(undefined);
    expect(ask({ ownerReferences: [], annotations: APPLIED })).to.equal(undefined);
  });

  it('is never taken over from somebody else', () => {
    expect(ask({ ownerReferences: [] })).to.include({ reason: 'NameTaken', stalled: true });
    expect(ask({ ownerReferences: [{ ...OWNER, kind: 'Chart', uid: 'u' }], annotations: APPLIED })).to.deep.include({
      reason: 'NameTaken',
      message:
        'Service office-gate exists already and belongs to Chart office: delete or rename it, or give the SvcInstance another name.',
    });
  });

  it('is waited for while it goes', () => {
    expect(ask({ deletionTimestamp: '2026-11-21T12:00:00Z' })).to.include({ reason: 'Deleting', stalled: false });
    expect(ask({ ownerReferences: [{ ...OWNER, uid: 'instance-0' }] })).to.include({
      reason: 'Deleting',
      stalled: false,
    });
  });

  it('takes a person when it is a claim: it goes with its pod, which nobody ends, and takes the documents along', () => {
    const claim = object('PersistentVolumeClaim', { deletionTimestamp: '2026-11-21T12:00:00Z' });
    expect(ownershipTrouble(claim, { name: 'office', uid: 'instance-1' })).to.deep.equal({
      reason: 'Deleting',
      stalled: true,
      message:
        'PersistentVolumeClaim office-gate is being deleted: it is lost, with all its data, as soon as its pod ends. ' +
        'Save the data first, then end the pod: a new, empty claim will be created.',
    });
  });
});
