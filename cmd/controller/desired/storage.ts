import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { type Manifest, metadata } from './labels.ts';
import { objectNames } from './names.ts';
import { isShared } from './shared-store.ts';
import type { Situation } from './types.ts';
import { claimMount, type Mount, scratchMount } from './volumes.ts';

type Component = 'gate' | 'docbuilder' | 'editor';

/**
 * The volume of a component; none where its documents are in a shared store, or where its copies of saves go with the
 * pod.
 */
export function volumeClaims(situation: Situation, component: Component): Manifest<V1PersistentVolumeClaim>[] {
  return isStateless(situation, component) ? [] : [volumeClaim(situation, component)];
}

/** The data folder of a component: its volume, or a folder of the node for files on their way. */
export function dataMount(situation: Situation, component: Component, path: string, name = 'data'): Mount {
  const { metadata, spec } = situation.instance;
  if (isStateless(situation, component)) return scratchMount(name, path, spec.storage[component].size);
  return claimMount(name, path, objectNames(metadata.name).component[component]);
}

/** Returns whether the pods of a component have no volume, so that any node can have them at once. */
export function isStateless({ instance: { spec } }: Situation, component: Component): boolean {
  return component === 'editor' ? spec.storage.editor.ephemeral : isShared(spec);
}

/**
 * The claim of a component. It belongs to the instance, and goes with it, only where the spec says so: otherwise the documents
 * stay, and an instance of the same name takes them over. Of all that is in it only the size may be changed later, and only upwards; class and access
 * are for ever.
 */
function volumeClaim(situation: Situation, component: Component): Manifest<V1PersistentVolumeClaim> {
  const { instance } = situation;
  const { className, onDelete, ...parts } = instance.spec.storage;
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
      resources: { requests: { storage: parts[component].size } },
    },
  };
}
