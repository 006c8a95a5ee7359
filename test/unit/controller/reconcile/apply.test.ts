import { expect } from 'chai';
import { ANNOTATION, MANAGED_BY } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import { pruneObjects } from '../../../../cmd/controller/reconcile/apply.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
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
  it('is removed, but no document is, nothing of others, and nothing that goes already', async () => {
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
      object('ConfigMap', 'office-license-keys', { managedFields: [{ manager: 'velero', operation: 'Update' }] }),
      object('Service', 'of-the-former', { ownerReferences: [owner('instance-1')] }),
      object('Service', 'never-applied', { annotations: {} }),
      object('Service', 'going', { deletionTimestamp: '2026-11-21T08:00:00Z' }),
    ]) {
      owned.observe(put(seen));
    }
    const instance = { key: 'shop/office', uid: 'instance-2' };
    const { signal } = new AbortController();
    await pruneObjects({ client, owned, instance, log: testLogger(), signal }, [wanted]);
    expect(asked().filter((what) => what.startsWith('remove '))).to.have.members([
      'remove ConfigMap/unwanted',
      'remove ConfigMap/office-license-keys',
      'remove Service/unwanted',
    ]);
  });
});
