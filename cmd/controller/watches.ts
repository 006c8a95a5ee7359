import type { Clock } from '../../src/common/clock.ts';
import type { Logger } from '../../src/common/log.ts';
import { OWNED_SELECTOR } from './desired/labels.ts';
import { getKey, type KubernetesObject, RESOURCES, type Resource } from './k8s/api.ts';
import type { Client, Selection } from './k8s/client.ts';
import { type Change, Reflector } from './k8s/reflector.ts';
import type { Instances, SvcInstance } from './reconcile/instances.ts';
import { getId, type OwnedObjects } from './reconcile/owned-objects.ts';
import type { RepairLimiter, WorkQueue } from './reconcile/queue.ts';

const { svcInstance, secret, lease: _, event: __, ...OWNED } = RESOURCES;
/** Kinds of which more than the metadata is looked at. */
const OBSERVED: ReadonlySet<Resource> = new Set([OWNED.deployment, OWNED.ingress, OWNED.httpRoute]);
/** Milliseconds until our CRD is looked for again after it was deleted. */
const ABSENT_MS = 5_000;
/** Large and many. */
const NOT_OF_HELM = 'type!=helm.sh/release.v1';

export interface WatchesOptions {
  client: Client;
  /** Empty: all. */
  namespaces: readonly string[];
  instances: Instances;
  owned: OwnedObjects;
  repairs: Pick<RepairLimiter, 'delayMs'>;
  queue: Pick<WorkQueue, 'add' | 'addAfter' | 'addWithLowPriority'>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Watches all kinds and queues the instances that a change concerns. */
export class Watches {
  readonly reflectors: readonly Reflector[];
  readonly #options: WatchesOptions;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.reflectors = [
      ...Object.values(OWNED).flatMap((resource) =>
        this.#watch(resource, (change) => this.#onOwned(change), {
          labelSelector: OWNED_SELECTOR,
          metadataOnly: !OBSERVED.has(resource),
        }),
      ),
      ...this.#watch(secret, (change) => this.#onSecret(change), { metadataOnly: true, fieldSelector: NOT_OF_HELM }),
      ...this.#watch<SvcInstance>(svcInstance, (change) => this.#onInstance(change)),
    ];
  }

  /** Returns whether somebody has deleted our CRD. */
  definitionAbsent(): boolean {
    return this.reflectors.some((reflector) => reflector.resource === svcInstance && reflector.absent());
  }

  restart(): void {
    for (const reflector of this.reflectors) reflector.restart();
  }

  stop(): void {
    for (const reflector of this.reflectors) reflector.stop();
  }

  /**
   * Resolves when all namespaces that may be read have been read, at least one. Another, such as a deleted one, is read when it may be.
   * @returns the namespaces that may not be read
   */
  async synced(): Promise<string[]> {
    const namespaces = [...Map.groupBy(this.reflectors, ({ namespace = '' }) => namespace)];
    const missing = new Set<string>();
    await Promise.all(
      namespaces.map(async ([namespace, reflectors]) => {
        const forbidden = await Promise.all(reflectors.map((reflector) => reflector.forbidden));
        if (forbidden.includes(true)) missing.add(namespace);
      }),
    );
    const read = async ([namespace, reflectors]: [string, Reflector[]]) => {
      await Promise.all(reflectors.map(({ synced }) => synced));
      missing.delete(namespace);
    };
    if (missing.size === namespaces.length) await Promise.any(namespaces.map(read));
    return [...missing];
  }

  #watch<T extends KubernetesObject>(
    resource: Resource,
    onEvent: (change: Change<T>) => void,
    selection: Selection = {},
  ): Reflector[] {
    const { client, clock, log } = this.#options;
    const namespaces = this.#options.namespaces.length > 0 ? this.#options.namespaces : [undefined];
    const ofInstances = resource === svcInstance;
    return namespaces.map(
      (namespace) =>
        new Reflector<T>({
          ...{ client, resource, selection: { ...selection, namespace }, onEvent, clock, log },
          ...(ofInstances && { timings: { absentMs: ABSENT_MS }, onSync: () => this.#onList(namespace) }),
        }) as unknown as Reflector,
    );
  }

  #onInstance({ type, object }: Change<SvcInstance>): void {
    const { instances, queue } = this.#options;
    const key = getKey(object);
    // The status says who else has the same host.
    const concerned = instances.withSameHost(key);
    if (type === 'DELETED') instances.delete(key);
    else if (!instances.observe(object)) return;
    for (const other of [key, ...concerned, ...instances.withSameHost(key)]) queue.add(other);
  }

  #onOwned({ type, object }: Change<KubernetesObject>): void {
    const { instances, owned, repairs, queue } = this.#options;
    const concerned = type === 'DELETED' ? owned.remove(object) : owned.observe(object);
    const delayMs = repairs.delayMs(getId(object));
    // An instance that is not known yet is queued when it is.
    for (const key of concerned) if (instances.has(key)) queue.addAfter(key, delayMs);
  }

  #onSecret(change: Change<KubernetesObject>): void {
    const { instances, queue } = this.#options;
    this.#onOwned(change);
    const { namespace = '', name } = change.object.metadata;
    for (const key of instances.withSecret(namespace, name)) queue.add(key);
  }

  /** Each list has all instances looked at; those that have changed are not to wait for them. */
  #onList(namespace: string | undefined): void {
    const { instances, queue } = this.#options;
    const listed = instances.keys().filter((key) => namespace === undefined || key.startsWith(`${namespace}/`));
    for (const key of listed) queue.addWithLowPriority(key);
    for (const key of instances.unobserved()) queue.add(key);
  }
}
