import type { SvcInstanceSpec, SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import type { Instance } from '../desired/types.ts';
import { keyOf } from '../k8s/known-versions.ts';
import type { KubernetesObject } from '../k8s/types.ts';
import { hashOf } from './hash.ts';

/** An instance as the API server has it, its status included. */
export type SvcInstance = KubernetesObject & Instance & { status?: SvcInstanceStatus };

/** What is remembered of each instance. */
interface Known {
  /** Another one: it has changed. */
  hash: string;
  /** Of other people. */
  secrets: readonly string[];
  observed: boolean;
  /** Where the edge leads to it; absent: it has no edge of its own. */
  host: string | undefined;
  /** Of when it was made, and its key: which of two is older. */
  age: string;
}

/** What is remembered of all instances: whether one has changed, which Secrets it names, who has the same host. */
export interface Instances {
  /** @returns whether it is not as it was when last seen or written */
  seen(instance: SvcInstance): boolean;
  gone(key: string): void;
  /** Remembers what was written as the status of one, as a hash. */
  say(key: string, status: string): void;
  said(key: string): string | undefined;
  /** Remembers for how many milliseconds one is left alone where nothing of it changes. */
  wait(key: string, ms: number): void;
  waited(key: string): number | undefined;
  has(key: string): boolean;
  /** Keys of the instances that name a Secret. */
  naming(namespace: string, secretName: string): string[];
  /** Keys of the others whose edge has the same host, the oldest first. */
  rivals(key: string): string[];
  /** Those of them that are older: mostly the edge leads to the oldest of all. */
  elders(key: string): string[];
  keys(): string[];
  /** Of those whose spec no controller has dealt with yet, as far as their status tells. */
  unobserved(): string[];
}

/** Knows what it is told by `seen`. */
export function createInstances(): Instances {
  const known = new Map<string, Known>();
  const said = new Map<string, string>();
  const waits = new Map<string, number>();

  function rivals(key: string): [string, Known][] {
    const { host } = known.get(key) ?? {};
    return [...known]
      .filter(([other, one]) => host !== undefined && one.host === host && other !== key)
      .sort(([, one], [, other]) => (one.age < other.age ? -1 : 1));
  }

  return {
    seen(instance) {
      const key = keyOf(instance);
      const { resourceVersion: _, managedFields: __, ...metadata } = instance.metadata;
      const hash = hashOf([metadata, instance.spec, instance.status]);
      const changed = known.get(key)?.hash !== hash;
      const observed = instance.status?.observedGeneration === instance.metadata.generation;
      if (!changed) return false;
      const age = [instance.metadata.creationTimestamp, key].join(' ');
      known.set(key, { hash, secrets: secretsOf(instance.spec), observed, host: edgeHost(instance.spec), age });
      return true;
    },
    rivals: (key) => rivals(key).map(([other]) => other),
    elders: (key) => rivals(key).flatMap(([other, { age }]) => (age < (known.get(key)?.age ?? '') ? [other] : [])),
    gone(key) {
      known.delete(key);
      said.delete(key);
      waits.delete(key);
    },
    say: (key, status) => void said.set(key, status),
    said: (key) => said.get(key),
    wait: (key, ms) => void waits.set(key, ms),
    waited: (key) => waits.get(key),
    has: (key) => known.has(key),
    naming: (namespace, secretName) =>
      [...known].flatMap(([key, { secrets }]) =>
        secrets.includes(secretName) && key.startsWith(`${namespace}/`) ? [key] : [],
      ),
    keys: () => [...known.keys()],
    unobserved: () => [...known].flatMap(([key, { observed }]) => (observed ? [] : [key])),
  };
}

/** Secrets of other people that an instance names. */
function secretsOf({ license, secrets, editor, tls }: SvcInstanceSpec): string[] {
  const names = [license?.secretName, secrets?.secretName, editor?.adminSecretName, tls?.secretName];
  return names.filter((name) => name !== undefined);
}

function edgeHost({ host, ingress }: SvcInstanceSpec): string | undefined {
  return ingress?.gating === 'None' ? undefined : host;
}
