import type { Client, Resource } from '../k8s/types.ts';

/** How many writes there were, by kind and verb: `Deployment apply`. */
export type Writes = Record<string, number>;

/** A client that counts what it writes, also what is refused. */
export function countingClient(client: Client): { client: Client; writes: () => Writes } {
  const counts: Writes = {};
  const count = ({ kind }: Resource, verb: string): void => {
    const name = `${kind} ${verb}`;
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return {
    writes: () => ({ ...counts }),
    client: {
      get: (...options) => client.get(...options),
      list: (...options) => client.list(...options),
      watch: (...options) => client.watch(...options),
      create: (resource, object) => {
        count(resource, 'create');
        return client.create(resource, object);
      },
      replace: (resource, object) => {
        count(resource, 'replace');
        return client.replace(resource, object);
      },
      apply: (resource, object, options) => {
        count(resource, options.subresource ?? 'apply');
        return client.apply(resource, object, options);
      },
      remove: (resource, namespace, name, uid) => {
        count(resource, 'remove');
        return client.remove(resource, namespace, name, uid);
      },
    },
  };
}
