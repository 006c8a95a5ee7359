import { OWNED_SELECTOR } from '../../cmd/controller/desired/labels.ts';
import { type KubernetesObject, RESOURCES } from '../../cmd/controller/k8s/api.ts';
import { Reflector } from '../../cmd/controller/k8s/reflector.ts';
import type { SvcInstance } from '../../cmd/controller/reconcile/instances.ts';
import { systemClock } from '../../src/common/clock.ts';
import { complete, type Figures, giveAddress } from '../../test/support/controller.ts';
import { until } from '../../test/support/until.ts';
import { onRelease } from '../releases.ts';
import type { Cluster } from './cluster.ts';

const SETTLED_MS = 600_000;
const PARALLEL = 8;
/** The kinds of the controller's objects that an API server without extensions has. */
const { svcInstance: _, lease: __, event: ___, httpRoute: ____, ...OWNED } = RESOURCES;

/** The instances of a cluster, seen as a watch shows them. */
export interface Instances {
  create(name: string, spec?: object): Promise<void>;
  /** Resolves when the controller has written what the instance asks for, with the time at which that was seen. */
  settled(name: string, condition?: (instance: SvcInstance) => boolean): Promise<number>;
  stop(): void;
}

export function watchInstances({ client, namespace }: Cluster): Instances {
  const known = new Map<string, SvcInstance>();
  const waiting = new Set<() => void>();
  const log = { info: () => undefined, warn: () => undefined, error: console.error };
  const reflector = new Reflector<SvcInstance>({
    ...{ client, clock: systemClock, log },
    resource: RESOURCES.svcInstance,
    onEvent({ object }) {
      known.set(object.metadata.name, object);
      for (const look of waiting) look();
    },
  });
  const release = onRelease(async () => reflector.stop());
  return {
    async create(name, spec = {}) {
      const { apiVersion, kind } = RESOURCES.svcInstance;
      const instance = { apiVersion, kind, metadata: { name, namespace }, spec: { host: `${name}.example`, ...spec } };
      await client.create(RESOURCES.svcInstance, instance as KubernetesObject);
    },
    settled(name, condition = () => true) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => reject(new Error(`timed out: ${name} is settled`)), SETTLED_MS);
      const look = (): void => {
        const instance = known.get(name);
        const { generation } = instance?.metadata ?? {};
        if (!instance || instance.status?.observedGeneration !== generation || !condition(instance)) return;
        resolve(performance.now());
      };
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(look);
      });
    },
    stop: () => void release(),
  };
}

/** Returns true if the instance's condition `Ready` is true. */
export function isReady({ status }: SvcInstance): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

/** Does something with each of `items`, some at a time. */
export async function forAll<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>, parallel = PARALLEL) {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** The objects that the controller has made. */
export async function ownedObjects({ client, namespace }: Cluster): Promise<KubernetesObject[]> {
  const objects: KubernetesObject[] = [];
  for (const resource of Object.values(OWNED)) {
    let next: string | undefined;
    do {
      const page = await client.list<KubernetesObject>(resource, {
        namespace,
        labelSelector: OWNED_SELECTOR,
        limit: 500,
        continue: next,
      });
      objects.push(...page.items);
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
  }
  return objects;
}

/** Plays controller-manager, kubelet and edge: all pods run, and people get to them. Resolves when the controller says so, too. */
export async function completeAll(cluster: Cluster, instances: Instances, names: readonly string[]): Promise<void> {
  const { items } = await cluster.client.list<KubernetesObject>(RESOURCES.deployment, { namespace: cluster.namespace });
  await forAll(items, (deployment) => complete(cluster.client, deployment));
  const ingresses = await cluster.client.list<KubernetesObject>(RESOURCES.ingress, { namespace: cluster.namespace });
  await forAll(ingresses.items, (ingress) => giveAddress(cluster.client, ingress));
  await Promise.all(names.map((name) => instances.settled(name, isReady)));
}

/** Resolves when the controller has nothing to do, and nothing to tell. */
export async function idle(figures: () => Promise<Pick<Figures, 'queue' | 'events_waiting'>>): Promise<void> {
  await until(
    'the queue is empty',
    async () => {
      const { queue, events_waiting } = await figures();
      return queue.waiting + queue.running + events_waiting === 0 || undefined;
    },
    SETTLED_MS,
  );
}
