import type { SvcInstanceSpec, SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { keyOf } from '../k8s/known.ts';
import type { KubernetesObject } from '../k8s/types.ts';
import { hashOf } from './hash.ts';

/** An instance as the API server has it, its status included. */
export interface SvcInstance extends KubernetesObject {
  metadata: KubernetesObject['metadata'] & { namespace: string; uid: string };
  spec: SvcInstanceSpec;
  status?: SvcInstanceStatus;
}

/** What is remembered of each instance: whether it has changed, and which Secrets it names. */
export interface Instances {
  /** @returns whether it is not as it was when last seen or written */
  seen(instance: SvcInstance): boolean;
  gone(key: string): void;
  has(key: string): boolean;
  /** Keys of the instances that name a Secret. */
  naming(namespace: string, secretName: string): string[];
  keys(): string[];
  /** Of those whose spec no controller has dealt with yet, as far as their status tells. */
  unobserved(): string[];
}

export function createInstances(): Instances {
  const known = new Map<string, { hash: string; secrets: readonly string[]; observed: boolean }>();
  return {
    seen(instance) {
      const key = keyOf(instance);
      const { resourceVersion: _, managedFields: __, ...metadata } = instance.metadata;
      const hash = hashOf([metadata, instance.spec, instance.status]);
      const changed = known.get(key)?.hash !== hash;
      const observed = instance.status?.observedGeneration === instance.metadata.generation;
      if (changed) known.set(key, { hash, secrets: secretsOf(instance.spec), observed });
      return changed;
    },
    gone: (key) => void known.delete(key),
    has: (key) => known.has(key),
    naming: (namespace, secretName) =>
      [...known].flatMap(([key, { secrets }]) =>
        secrets.includes(secretName) && key.startsWith(`${namespace}/`) ? [key] : [],
      ),
    keys: () => [...known.keys()],
    unobserved: () => [...known].flatMap(([key, { observed }]) => (observed ? [] : [key])),
  };
}

/** Secrets of other people that an instance reads. */
function secretsOf({ license, secrets, editor }: SvcInstanceSpec): string[] {
  return [license?.secretName, secrets?.secretName, editor?.adminSecretName].filter((name) => name !== undefined);
}
