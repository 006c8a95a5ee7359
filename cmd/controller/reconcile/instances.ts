import type { SvcInstanceSpec, SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import type { Instance } from '../desired/types.ts';
import { getKey, type KubernetesObject } from '../k8s/api.ts';
import { hashValue } from './hash-value.ts';

/** An instance as the API server has it, its status included. */
export type SvcInstance = KubernetesObject & Instance & { status?: SvcInstanceStatus };

interface KnownInstance {
  /** resourceVersion as last seen or written. */
  version: number;
  /** Digest of generation, labels and annotations: another one means that the instance is to be reconciled at once. */
  spec: string;
  /** Names of Secrets of other people. */
  secrets: readonly string[];
  /** A controller has dealt with its spec, as far as its status tells. */
  observed: boolean;
  /** The URL by which the edge leads to it; absent: it has no edge of its own. */
  host: string | undefined;
  /** Time of creation and key: which of two is older. */
  age: string;
  /** Digest of the status that this process has last written or found. */
  status: string | undefined;
}

/** The controller's memory of all instances: their versions, the Secrets that they name, who has the same host. */
export class Instances {
  readonly #known = new Map<string, KnownInstance>();

  /**
   * Takes in an instance that a watch shows.
   * @returns what has changed since it was last seen or written; undefined: nothing
   */
  observe(instance: SvcInstance): 'spec' | 'status' | undefined {
    const key = getKey(instance);
    const before = this.#known.get(key);
    const version = Number(instance.metadata.resourceVersion ?? 0);
    if (before && version <= before.version && before.spec === specDigest(instance)) return undefined;
    const now = parseInstance(instance);
    this.#known.set(key, { ...now, status: before?.status });
    return before?.spec === now.spec ? 'status' : 'spec';
  }

  /**
   * Takes in an instance as it was read or written with a status of this process.
   * @returns whether a watch has shown something newer of it, and so somebody else's
   */
  recordStatus(instance: SvcInstance, digest: string): boolean {
    const known = this.#known.get(getKey(instance));
    if (!known) return false;
    known.status = digest;
    const version = Number(instance.metadata.resourceVersion ?? 0);
    const newer = known.version > version;
    // A change of the spec that the answer has, and no watch yet, is still to be looked at.
    if (known.spec === specDigest(instance)) known.version = Math.max(known.version, version);
    return newer;
  }

  /** Returns the digest of the status that this process has last written. */
  writtenStatus(key: string): string | undefined {
    return this.#known.get(key)?.status;
  }

  delete(key: string): void {
    this.#known.delete(key);
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  keys(): string[] {
    return [...this.#known.keys()];
  }

  /** Returns the keys of those whose spec no controller has dealt with yet, as far as their status tells. */
  unobserved(): string[] {
    return [...this.#known].flatMap(([key, { observed }]) => (observed ? [] : [key]));
  }

  /** Returns the keys of the instances that name a Secret. */
  withSecret(namespace: string, secretName: string): string[] {
    return [...this.#known].flatMap(([key, { secrets }]) =>
      secrets.includes(secretName) && key.startsWith(`${namespace}/`) ? [key] : [],
    );
  }

  /** Returns the keys of the others whose edge has the same host, the oldest first. */
  withSameHost(key: string): string[] {
    const { host } = this.#known.get(key) ?? {};
    if (host === undefined) return [];
    return [...this.#known]
      .filter(([other, instance]) => instance.host === host && other !== key)
      .sort(([, one], [, other]) => (one.age < other.age ? -1 : 1))
      .map(([other]) => other);
  }

  /** Returns those of them that are older: mostly the edge leads to the oldest of all. */
  olderWithSameHost(key: string): string[] {
    const age = this.#known.get(key)?.age ?? '';
    return this.withSameHost(key).filter((other) => (this.#known.get(other)?.age ?? '') < age);
  }
}

function parseInstance(instance: SvcInstance): KnownInstance {
  const { metadata, spec, status } = instance;
  return {
    version: Number(metadata.resourceVersion ?? 0),
    spec: specDigest(instance),
    secrets: referencedSecrets(spec),
    observed: status?.observedGeneration === metadata.generation,
    host: spec.ingress?.gating === 'None' ? undefined : spec.host,
    age: [metadata.creationTimestamp, getKey(instance)].join(' '),
    status: undefined,
  };
}

/** The generation changes with the spec only. */
function specDigest({ metadata: { uid, generation, labels, annotations, deletionTimestamp } }: SvcInstance): string {
  return hashValue([uid, generation, labels, annotations, deletionTimestamp]);
}

/** Returns the Secrets of other people that an instance names. */
function referencedSecrets({ license, secrets, editor, tls, storage }: SvcInstanceSpec): string[] {
  const names = [
    ...[license?.secretName, secrets?.secretName, editor?.adminSecretName, tls?.secretName],
    ...[storage?.postgres?.secretName, storage?.s3?.secretName],
  ];
  return names.filter((name) => name !== undefined);
}
