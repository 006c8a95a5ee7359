import { expect } from 'chai';
import { findResource, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { startOffice, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('an instance that is deleted', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(startOffice);

  it('is gone at once: nothing holds it, and nothing is written for it any more', async () => {
    const { uid = '', finalizers } = (await cluster.get('office')).metadata as { uid?: string; finalizers?: string[] };
    expect(finalizers).to.equal(undefined);
    await cluster.client.remove(RESOURCES.svcInstance, cluster.namespace, 'office', uid);
    await until('the controller has forgotten it', async () => (await cluster.figures()).instances === 0 || undefined);
    // Work that was under way when it was deleted still ends.
    await cluster.idle();
    const [first] = (await cluster.objects()).values();
    if (!first) throw new Error('no object');
    // The garbage collector would do so.
    await cluster.client.remove(findResource(first), cluster.namespace, first.metadata.name, first.metadata.uid ?? '');
    await until('that was seen', async () => {
      await cluster.idle();
      return (await cluster.figures()).owned === (await cluster.objects()).size || undefined;
    });
    expect([...(await cluster.objects()).keys()]).not.to.include(`${first.kind}/${first.metadata.name}`);
  });

  it('makes room for another of its name, which waits until the old objects are gone, and has its documents, in a class where they had none', async () => {
    const all = await cluster.objects();
    const claims = [...all.values()].filter(({ kind }) => kind === 'PersistentVolumeClaim');
    const old = new Map([...all].filter(([, { kind }]) => kind !== 'PersistentVolumeClaim'));
    const { metadata } = await cluster.apply('office', { storage: { className: 'fast' } });
    await cluster.settled('office');
    expect(await cluster.condition('office', 'Ready')).to.include({ status: 'False', reason: 'Deleting' });
    expect([...(await cluster.objects()).values()].map(({ metadata: { uid } }) => uid)).to.deep.equal(
      [...all.values()].map(({ metadata: { uid } }) => uid),
    );
    for (const object of old.values()) {
      const { name, uid = '' } = object.metadata;
      await cluster.client.remove(findResource(object), cluster.namespace, name, uid);
    }
    await until('all are made anew', async () => {
      const objects = [...(await cluster.objects()).values()];
      const own = objects.filter(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid === metadata.uid);
      return own.length > old.size || undefined;
    });
    expect(claims).to.have.length(3);
    for (const { metadata } of claims) {
      const now = await cluster.object(RESOURCES.persistentVolumeClaim, metadata.name);
      expect(now?.metadata.uid).to.equal(metadata.uid);
      expect(now).to.have.nested.property('spec.storageClassName', 'fast');
    }
  });

  it('takes its documents with it where the spec says so', async () => {
    const owners = async () => {
      const claims = [...(await cluster.objects()).values()].filter(({ kind }) => kind === 'PersistentVolumeClaim');
      return claims.map(({ metadata }) => metadata.ownerReferences?.map(({ name }) => name).join() ?? 'nobody');
    };
    await cluster.apply('office', { storage: { className: 'fast', onDelete: 'Delete' } });
    await until('it owns its claims', async () => (await owners()).join() === 'office,office,office');
    await cluster.apply('office', { storage: { className: 'fast', onDelete: 'Retain' } });
    await until('it owns none', async () => (await owners()).join() === 'nobody,nobody,nobody');
  });
});
