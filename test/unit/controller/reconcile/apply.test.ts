import { expect } from 'chai';
import { ANNOTATION, MANAGED_BY } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { Client } from '../../../../cmd/controller/k8s/client.ts';
import { applyObjects, pruneObjects } from '../../../../cmd/controller/reconcile/apply.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { RepairLimiter } from '../../../../cmd/controller/reconcile/queue.ts';
import { testLogger } from '../../../support/logs.ts';
import { memoryClient } from './memory-client.ts';

const owner = (uid: string) => ({
  ...{ apiVersion: 'svc.internal/v1', kind: 'SvcInstance', name: 'office', uid, controller: true },
});

function object(kind: string, name: string, metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      ...{ name, namespace: 'shop', uid: `uid-${kind}-${name}`, ownerReferences: [owner('instance-2')] },
      annotations: { [ANNOTATION.applied]: 'true' },
      managedFields: [{ manager: MANAGED_BY, operation: 'Apply' }],
      ...metadata,
    },
  };
}

describe('what an instance no longer wants', () => {
  it('is removed, what leads to others first, but no document is, nothing of others, and nothing that goes already', async () => {
    const { client, asked, put } = memoryClient();
    const owned = new OwnedObjects();
    const wanted = object('Service', 'wanted');
    for (const seen of [
      wanted,
      object('Service', 'unwanted'),
      object('ConfigMap', 'unwanted'),
      object('PersistentVolumeClaim', 'documents'),
      object('Secret', 'keys'),
      object('ConfigMap', 'copy', { managedFields: [{ manager: 'kubectl', operation: 'Update' }] }),
      object('Service', 'office-front-ask', { managedFields: [{ manager: 'velero', operation: 'Update' }] }),
      object('Service', 'of-the-former', { ownerReferences: [owner('instance-1')] }),
      object('Service', 'never-applied', { annotations: {} }),
      object('Service', 'going', { deletionTimestamp: '2026-11-21T08:00:00Z' }),
      { ...object('Ingress', 'unwanted'), apiVersion: 'networking.k8s.io/v1' },
    ]) {
      owned.observe(put(seen));
    }
    const instance = { key: 'shop/office', name: 'office', uid: 'instance-2' };
    const { signal } = new AbortController();
    await pruneObjects({ client, owned, instance, log: testLogger(), signal }, [wanted]);
    expect(asked().filter((what) => what.startsWith('remove '))).to.deep.equal([
      'remove Ingress/unwanted',
      'remove Service/unwanted',
      'remove ConfigMap/unwanted',
      'remove Service/office-front-ask',
    ]);
  });
});

describe('an object that can never become what is wanted', () => {
  const deployment = (app: string, metadata: Partial<ObjectMeta> = {}) => ({
    ...object('Deployment', 'office-gate', metadata),
    ...{ apiVersion: 'apps/v1', spec: { selector: { matchLabels: { app } } } },
  });

  it('is made anew, but not in the place of one that somebody else has made in that moment', async () => {
    for (const isTaken of [false, true]) {
      const server = memoryClient();
      const owned = new OwnedObjects();
      owned.observe(server.put(deployment('older')));
      server.admit = (given) => {
        if (given.metadata.uid !== undefined)
          throw new ApiError('PATCH', { status: 422, message: 'field is immutable' });
        return given;
      };
      const theirs = deployment('theirs', { uid: 'theirs', ownerReferences: [], annotations: {} });
      const remove: Client['remove'] = async (...what) => {
        await server.client.remove(...what);
        if (isTaken) server.put(theirs);
      };
      const { metadata, ...rest } = deployment('wanted');
      const wanted = { ...rest, metadata: { name: metadata.name, namespace: 'shop' } };
      const result = await applyObjects(
        {
          ...{
            client: { ...server.client, remove },
            owned,
            instance: { key: 'shop/office', name: 'office', uid: 'instance-2' },
          },
          ...{ repairs: new RepairLimiter(Date.now), log: testLogger(), signal: new AbortController().signal },
          events: { record: () => undefined },
        },
        [wanted],
      ).catch((error: unknown) => error);
      if (isTaken) expect(result).to.include({ status: 409 });
      expect(server.find('Deployment', 'office-gate')).to.deep.include({ spec: (isTaken ? theirs : wanted).spec });
    }
  });
});
