import { expect } from 'chai';
import { RESOURCES, resourceOf } from '../../../cmd/controller/k8s/resources.ts';
import { startOffice, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('an instance that is deleted', function () {
  this.timeout(60_000);
  let cluster: TestCluster;

  before(async function () {
    cluster = await startOffice(this);
  });
  after(() => cluster?.close());

  it('is gone at once: nothing holds it, and nothing is written for it any more', async () => {
    const { uid = '', finalizers } = (await cluster.get('office')).metadata as { uid?: string; finalizers?: string[] };
    expect(finalizers).to.equal(undefined);
    await cluster.client.remove(RESOURCES.svcInstance, cluster.namespace, 'office', uid);
    await until('the controller has forgotten it', async () => (await cluster.figures()).instances === 0 || undefined);
    const { writes } = await cluster.figures();
    const [first] = (await cluster.objects()).values();
    if (!first) throw new Error('no object');
    // As the garbage collector would.
    await cluster.client.remove(resourceOf(first), cluster.namespace, first.metadata.name, first.metadata.uid ?? '');
    await until('that was seen', async () => {
      await cluster.idle();
      return (await cluster.figures()).owned === (await cluster.objects()).size || undefined;
    });
    expect((await cluster.figures()).writes).to.deep.equal(writes);
  });

  it('names itself as the owner of all that goes with it', async () => {
    for (const [name, { metadata }] of await cluster.objects()) {
      const [owner, ...others] = metadata.ownerReferences ?? [];
      expect(owner, name).to.include({
        kind: 'SvcInstance',
        name: 'office',
        controller: true,
        blockOwnerDeletion: false,
      });
      expect(others).to.deep.equal([]);
    }
  });

  it('makes room for another of its name, which waits until the old objects are gone', async () => {
    const old = await cluster.objects();
    const { metadata } = await cluster.apply('office');
    const { status } = await cluster.settled('office');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).to.include({
      status: 'False',
      reason: 'Deleting',
    });
    expect([...(await cluster.objects()).values()].map(({ metadata: { uid } }) => uid)).to.deep.equal(
      [...old.values()].map(({ metadata: { uid } }) => uid),
    );
    for (const object of old.values()) {
      const { name, uid = '' } = object.metadata;
      if (object.kind === 'PersistentVolumeClaim') {
        const free = { ...object, metadata: { ...object.metadata, finalizers: [] } };
        await cluster.client.replace(RESOURCES.persistentVolumeClaim, free);
      }
      await cluster.client.remove(resourceOf(object), cluster.namespace, name, uid);
    }
    await until('all are made anew', async () => {
      const objects = [...(await cluster.objects()).values()];
      const own = objects.filter(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid === metadata.uid);
      return own.length > old.size || undefined;
    });
  });
});
