import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { type Manifest, metadata } from './labels.ts';
import { objectNames } from './names.ts';
import type { Situation } from './types.ts';

/**
 * The claim of a component. It belongs to the instance, and goes with it, only where the spec says so: otherwise the documents
 * stay, and an instance of the same name takes them over. Of all that is in it only the size may be changed later, and only upwards; class and access
 * are for ever.
 */
export function volumeClaim(
  situation: Situation,
  component: 'gate' | 'docbuilder' | 'editor',
): Manifest<V1PersistentVolumeClaim> {
  const { instance } = situation;
  const { className, onDelete, ...sizes } = instance.spec.storage;
  const { ownerReferences, ...rest } = metadata(
    situation,
    objectNames(instance.metadata.name).component[component],
    component,
  );
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { ...rest, ownerReferences: onDelete === 'Delete' ? ownerReferences : [] },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(className !== undefined && { storageClassName: className }),
      resources: { requests: { storage: sizes[component].size } },
    },
  };
}
