import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { type Manifest, metadata } from './labels.ts';
import { namesOf } from './names.ts';
import type { Situation } from './types.ts';

/**
 * The claim of a component. Of all that is in it only the size may be changed later, and only upwards; class and access
 * are for ever.
 */
export function volumeClaim(
  situation: Situation,
  component: 'gate' | 'docbuilder' | 'editor',
): Manifest<V1PersistentVolumeClaim> {
  const { instance } = situation;
  const { className, ...sizes } = instance.spec.storage;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadata(situation, namesOf(instance.metadata.name).component[component], component),
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(className !== undefined && { storageClassName: className }),
      resources: { requests: { storage: sizes[component].size } },
    },
  };
}
