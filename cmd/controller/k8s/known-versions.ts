import type { KubernetesObject, Resource } from './types.ts';

/**
 * A change of an object. Of a DELETED one that went unseen (found missing by a list) only kind, namespace, name, uid
 * and the last resourceVersion seen are known.
 */
export interface Change<T extends KubernetesObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

/** Names an object among all of its kind: `namespace/name`. */
export function getKey({ metadata: { namespace = '', name } }: Pick<KubernetesObject, 'metadata'>): string {
  // Joined, it is one string; a template would keep its parts as well.
  return [namespace, name].join('/');
}

/** Splits a key of `getKey`; the namespace is empty where there is none. */
export function splitKey(key: string): [namespace: string, name: string] {
  const [namespace = '', name = ''] = key.split('/');
  return [namespace, name];
}

/** The version of each object that was seen last, two short strings each; turns lists and watch events into changes. */
export class KnownVersions<T extends KubernetesObject> {
  readonly #resource: Resource;
  readonly #versions = new Map<string, { uid: string; resourceVersion: string }>();

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  get size(): number {
    return this.#versions.size;
  }

  /** Returns no change for a version that was seen, and two for an object that took the name of another. */
  update(object: T): Change<T>[] {
    const key = getKey(object);
    const { uid = '', resourceVersion = '' } = object.metadata;
    const before = this.#versions.get(key);
    if (before?.uid === uid && before.resourceVersion === resourceVersion) return [];
    const replaced = before && before.uid !== uid ? [this.#forget(key)] : [];
    this.#versions.set(key, { uid, resourceVersion });
    return [...replaced, { type: before?.uid === uid ? 'MODIFIED' : 'ADDED', object }];
  }

  /** Takes an object off that a watch says is gone. */
  remove(object: T): Change<T>[] {
    const key = getKey(object);
    if (this.#versions.get(key)?.uid !== object.metadata.uid) return [];
    this.#versions.delete(key);
    return [{ type: 'DELETED', object }];
  }

  /** Takes off all objects that are missing from a complete list of keys. */
  retain(keys: ReadonlySet<string>): Change<T>[] {
    return [...this.#versions.keys()].filter((key) => !keys.has(key)).map((key) => this.#forget(key));
  }

  #forget(key: string): Change<T> {
    const { apiVersion, kind } = this.#resource;
    const [namespace, name] = splitKey(key);
    const metadata = { ...(namespace !== '' && { namespace }), name, ...this.#versions.get(key) };
    this.#versions.delete(key);
    return { type: 'DELETED', object: { apiVersion, kind, metadata } as T };
  }
}
