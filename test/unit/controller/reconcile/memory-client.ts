import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, Resource } from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import type { ApplyOptions, Client } from '../../../../cmd/controller/k8s/client.ts';

/** An API server of one namespace in memory: it stores what it is given, member by member, and defaults nothing. */
export function memoryClient() {
  const objects = new Map<string, KubernetesObject>();
  let asked: string[] = [];
  let version = 100;
  const hooks = {
    clock: Date.now,
    /** Called before each write is stored; may throw, or give another object that is stored in its place. */
    admit: (object: KubernetesObject): Promise<KubernetesObject> | KubernetesObject => object,
  };

  function store<T extends KubernetesObject>(object: T): T {
    const key = `${object.kind}/${object.metadata.name}`;
    version += 1;
    const { uid = `uid-${version}` } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
    objects.set(key, stored);
    return structuredClone(stored);
  }

  async function apply<T extends KubernetesObject>(_: Resource, given: T, options: ApplyOptions): Promise<T> {
    const key = `${given.kind}/${given.metadata.name}`;
    asked.push(`${options.subresource ?? 'apply'} ${key}`);
    const live = objects.get(key);
    if (live && options.onlyNew) throw new ApiError(`PATCH ${key}`, { status: 409, reason: 'Conflict' });
    if (options.subresource && !live) throw new ApiError(`PATCH ${key}`, { status: 404, reason: 'NotFound' });
    if (options.subresource)
      return store({ ...live, status: (given as T & { status: unknown }).status } as unknown as T);
    const admitted = await hooks.admit(structuredClone(given));
    const managedFields = [{ manager: options.manager, operation: 'Apply' }];
    const applied = { ...live, ...admitted, metadata: { ...live?.metadata, ...admitted.metadata, managedFields } } as T;
    // An apply that changes nothing raises no version.
    return isDeepStrictEqual(applied, live) ? structuredClone(applied) : store(applied);
  }

  const refused = () => Promise.reject(new Error('not in memory'));
  const client: Client = {
    apply,
    create: refused,
    replace: refused,
    async get<T extends KubernetesObject>(resource: Resource, _: string | undefined, name: string) {
      asked.push(`get ${resource.kind}/${name}`);
      return structuredClone(objects.get(`${resource.kind}/${name}`)) as T | undefined;
    },
    async list(resource, { limit }) {
      asked.push(`list ${resource.kind}`);
      const items = [...objects.values()].filter(({ kind }) => kind === resource.kind).slice(0, limit);
      return {
        metadata: { resourceVersion: String(version) },
        time: hooks.clock(),
        items: structuredClone(items) as never,
      };
    },
    async watch() {
      await refused();
    },
    async remove(resource, _, name) {
      asked.push(`remove ${resource.kind}/${name}`);
      objects.delete(`${resource.kind}/${name}`);
    },
  };

  return Object.assign(hooks, {
    client,
    /** Returns the requests since the last call, such as `get Service/office-gate`. */
    asked(): string[] {
      const before = asked;
      asked = [];
      return before;
    },
    put: store,
    find: <T extends KubernetesObject>(kind: string, name: string) =>
      structuredClone(objects.get(`${kind}/${name}`)) as T | undefined,
    all: () => [...objects.values()],
    remove: (kind: string, name: string) => void objects.delete(`${kind}/${name}`),
  });
}
