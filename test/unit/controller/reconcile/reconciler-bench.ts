import type { Settings } from '../../../../cmd/controller/desired/types.ts';
import { getKey, type KubernetesObject, RESOURCES } from '../../../../cmd/controller/k8s/api.ts';
import { type Condition, type ConditionType, findCondition } from '../../../../cmd/controller/reconcile/conditions.ts';
import { Instances, type SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';
import { RepairLimiter } from '../../../../cmd/controller/reconcile/queue.ts';
import { InstanceReconciler } from '../../../../cmd/controller/reconcile/reconciler.ts';
import { testLogger } from '../../../support/logs.ts';
import { makeSituation } from '../desired/situation.ts';
import { memoryClient } from './memory-client.ts';

/** An instance `office` on an API server in memory, and a reconciler that has not looked at it yet. */
export class ReconcilerBench {
  readonly server = memoryClient();
  now = Date.parse('2026-11-21T12:00:00Z');
  settings: Settings = makeSituation().settings;
  readonly owned = new OwnedObjects();
  readonly instances = new Instances();
  readonly #reconciler: InstanceReconciler;

  constructor() {
    const { metadata, spec } = makeSituation().instance;
    const { apiVersion, kind } = RESOURCES.svcInstance;
    this.server.put({ apiVersion, kind, metadata, spec } as SvcInstance);
    this.instances.observe(this.office());
    this.#reconciler = new InstanceReconciler({
      ...{
        client: this.server.client,
        owned: this.owned,
        repairs: new RepairLimiter(() => this.now),
        instances: this.instances,
      },
      settings: () => this.settings,
      events: { record: () => undefined },
      audit: { record: () => undefined },
      clock: () => this.now,
      random: (size) => new Uint8Array(size).fill(0x5a),
      log: testLogger(),
    });
  }

  reconcile(failures = 0, signal = new AbortController().signal): Promise<number | undefined> {
    return this.#reconciler.reconcile(getKey(makeSituation().instance), signal, failures);
  }

  office(): SvcInstance {
    const found = this.server.find<SvcInstance>('SvcInstance', 'office');
    if (!found) throw new Error('no instance');
    return found;
  }

  /** As somebody else changes the instance. */
  change(annotations: Record<string, string>, spec: object = {}): void {
    const { metadata, ...rest } = this.office();
    const generation = (metadata.generation ?? 0) + (Object.keys(spec).length > 0 ? 1 : 0);
    this.server.put({ ...rest, metadata: { ...metadata, generation, annotations }, spec: { ...rest.spec, ...spec } });
  }

  beginDeletion(): void {
    const { metadata, ...rest } = this.office();
    this.server.put({ ...rest, metadata: { ...metadata, deletionTimestamp: '2026-11-21T12:00:00Z' } });
  }

  condition(type: ConditionType): Condition | undefined {
    return findCondition(this.office().status?.conditions ?? [], type);
  }

  /** Plays controller-manager, edge and the watches; @param only for objects of this kind */
  runAll(only?: string): void {
    const { owned, server } = this;
    for (const object of server.all().filter(({ kind }) => kind !== 'SvcInstance' && kind === (only ?? kind))) {
      if (object.kind === 'Deployment') owned.observe(server.put(running(object)));
      else owned.observe(object.kind === 'Ingress' ? server.put(taken(object)) : object);
    }
  }
}

function running(deployment: KubernetesObject): KubernetesObject {
  const { replicas = 1 } = (deployment as KubernetesObject & { spec: { replicas?: number } }).spec;
  const conditions = [{ type: 'Available', status: 'True' }];
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  return { ...deployment, status: { ...counts, conditions } } as KubernetesObject;
}

function taken(ingress: KubernetesObject): KubernetesObject {
  return { ...ingress, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } } as KubernetesObject;
}
