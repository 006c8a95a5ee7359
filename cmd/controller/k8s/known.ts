import type { KubernetesObject, Resource } from './types.ts';

/**
 * What became of an object. Of a DELETED one that went unseen (found missing by a list) only kind, namespace, name, uid
 * and the last resourceVersion seen are known.
 */
export interface Change<T extends KubernetesObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: T;
}

/** Which version of which object was seen last; turns what lists and watches say into changes. */
export interface Known<T extends KubernetesObject> {
  readonly size: number;
  /**
   * What an object that is there now changes: nothing if that version was seen, two things if it took the name of
   * another.
   */
  present(object: T): Change<T>[];
  /** What an object changes that a watch says is gone. */
  gone(object: T): Change<T>[];
  /** What is gone, given the keys of all that is left. */
  retain(keys: ReadonlySet<string>): Change<T>[];
}

/** Names an object among all of its kind: `namespace/name`. */
export function keyOf({ metadata: { namespace = '', name } }: Pick<KubernetesObject, 'metadata'>): string {
  // Joined, it is one string; a template would keep its parts as well.
  return [namespace, name].join('/');
}

/** What `keyOf` made a key of; the namespace is empty where there is none. */
export function partsOf(key: string): [namespace: string, name: string] {
  const [namespace = '', name = ''] = key.split('/');
  return [namespace, name];
}

/** Keeps two short strings for each object. */
export function createKnown<T extends KubernetesObject>({ apiVersion, kind }: Resource): Known<T> {
  const versions = new Map<string, { uid: string; resourceVersion: string }>();

  function forget(key: string): Change<T> {
    const [namespace, name] = partsOf(key);
    const metadata = { ...(namespace !== '' && { namespace }), name, ...versions.get(key) };
    versions.delete(key);
    return { type: 'DELETED', object: { apiVersion, kind, metadata } as T };
  }

  return {
    get size() {
      return versions.size;
    },
    present(object) {
      const key = keyOf(object);
      const { uid = '', resourceVersion = '' } = object.metadata;
      const before = versions.get(key);
      if (before?.uid === uid && before.resourceVersion === resourceVersion) return [];
      const replaced = before && before.uid !== uid ? [forget(key)] : [];
      versions.set(key, { uid, resourceVersion });
      return [...replaced, { type: before?.uid === uid ? 'MODIFIED' : 'ADDED', object }];
    },
    gone(object) {
      const key = keyOf(object);
      if (versions.get(key)?.uid !== object.metadata.uid) return [];
      versions.delete(key);
      return [{ type: 'DELETED', object }];
    },
    retain(keys) {
      return [...versions.keys()].filter((key) => !keys.has(key)).map(forget);
    },
  };
}
