import { type KubernetesObject, RESOURCES, type Resource } from '../../../../cmd/controller/k8s/api.ts';
import type { ApiClient, Selection } from '../../../../cmd/controller/k8s/client.ts';
import { type Change, Reflector, type ReflectorTimings } from '../../../../cmd/controller/k8s/reflector.ts';
import { testLogger } from '../../../support/logs.ts';

export type Mirror = ReturnType<typeof mirror>;

export interface MirrorOptions {
  resource?: Resource;
  selection?: Selection;
  timings?: Partial<ReflectorTimings>;
  onEvent?: (change: Change<KubernetesObject>) => unknown;
}

/** A reflector whose changes are kept, and applied one after the other to a copy. */
export function mirror(client: ApiClient, options: MirrorOptions = {}) {
  const changes: Change<KubernetesObject>[] = [];
  /** The state of a consumer that only followed the changes: version by name. */
  const copy = new Map<string, string>();
  /** Changes that made no sense to it. */
  const misfits: string[] = [];
  let syncs = 0;
  const reflector = new Reflector({
    client,
    resource: options.resource ?? RESOURCES.configMap,
    selection: options.selection ?? { namespace: 'one' },
    onEvent(change) {
      changes.push(change);
      if (!apply(copy, change)) misfits.push(`${change.type} ${change.object.metadata.name}`);
      return options.onEvent?.(change);
    },
    onSync: () => {
      syncs += 1;
    },
    clock: Date.now,
    log: testLogger(),
    timings: { backoffMs: [5, 50], ...options.timings },
  });
  return {
    ...{ reflector, changes, copy, misfits },
    /** `ADDED a`, … */
    told: () => changes.map(({ type, object }) => `${type} ${object.metadata.name}`),
    syncs: () => syncs,
  };
}

function apply(copy: Map<string, string>, { type, object }: Change<KubernetesObject>): boolean {
  const { name, resourceVersion = '' } = object.metadata;
  const fits = copy.has(name) === (type !== 'ADDED');
  if (type === 'DELETED') copy.delete(name);
  else copy.set(name, resourceVersion);
  return fits;
}
