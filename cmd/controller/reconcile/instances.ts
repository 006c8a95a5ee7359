import { hash } from 'node:crypto';
import type { SvcInstanceSpec, SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import type { Instance } from '../desired/types.ts';
import { getKey, type KubernetesObject } from '../k8s/api.ts';

/** An instance as the API server has it, its status included. */
export type SvcInstance = KubernetesObject & Instance & { status?: SvcInstanceStatus };

interface KnownInstance {
  /** Digest of generation, labels and annotations; another one has the instance reconciled. */
  spec: string;
  /** Names of the Secrets in its spec. */
  secrets: readonly string[];
  /** The status is of the newest spec. */
  observed: boolean;
  /** Absent: it has no edge of its own. */
  host: string | undefined;
  /** Time of creation and key: the order of age. */
  age: string;
}

/** All instances: the Secrets that they name, and which have the same host. */
export class Instances {
  readonly #known = new Map<string, KnownInstance>();

  /** @returns whether more than the status of an instance has changed since it was last seen */
  observe(instance: SvcInstance): boolean {
    const key = getKey(instance);
    const before = this.#known.get(key);
    const now = parseInstance(instance);
    this.#known.set(key, now);
    return before?.spec !== now.spec;
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

  /** Returns the keys of those whose status is not of the newest spec. */
  unobserved(): string[] {
    return this.keys().filter((key) => !this.#known.get(key)?.observed);
  }

  /** Returns the keys of the instances that name a Secret. */
  withSecret(namespace: string, secretName: string): string[] {
    return [...this.#known].flatMap(([key, { secrets }]) =>
      secrets.includes(secretName) && key.startsWith(`${namespace}/`) ? [key] : [],
    );
  }

  /** Returns the keys of the others whose edge has the same host. */
  withSameHost(key: string): string[] {
    const { host } = this.#known.get(key) ?? {};
    if (host === undefined) return [];
    return [...this.#known].flatMap(([other, known]) => (known.host === host && other !== key ? [other] : []));
  }

  /** Returns the oldest of them, if it is older than this one: most edges lead there. */
  olderWithSameHost(key: string): string | undefined {
    const age = (one: string): string => this.#known.get(one)?.age ?? '';
    const [oldest] = [key, ...this.withSameHost(key)].sort((one, other) => (age(one) < age(other) ? -1 : 1));
    return oldest === key ? undefined : oldest;
  }
}

function parseInstance(instance: SvcInstance): KnownInstance {
  const { metadata, spec, status } = instance;
  const { uid, generation, labels, annotations, deletionTimestamp } = metadata;
  return {
    spec: hashValue([uid, generation, labels, annotations, deletionTimestamp]),
    secrets: referencedSecrets(spec),
    observed: status?.observedGeneration === generation,
    host: spec.ingress?.gating === 'None' ? undefined : spec.host,
    age: [metadata.creationTimestamp, getKey(instance)].join(' '),
  };
}

function referencedSecrets({ license, secrets, editor, tls, storage }: SvcInstanceSpec): string[] {
  const names = [
    ...[license?.secretName, secrets?.secretName, editor?.adminSecretName, tls?.secretName],
    ...[storage?.postgres?.secretName, storage?.s3?.secretName],
  ];
  return names.filter((name) => name !== undefined);
}

/** Returns the first half of the SHA-256 of a value's JSON, base64url. */
export function hashValue(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'buffer').toString('base64url', 0, 16);
}
