import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import type { Logger } from '../../../src/common/log.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';
import { COMPONENTS, objectNames } from '../desired/names.ts';
import type { Random } from '../desired/secrets.ts';
import type { ComponentName, Settings, Situation } from '../desired/types.ts';
import { getKey, RESOURCES, splitKey } from '../k8s/api.ts';
import { hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import type { EventRecorder } from '../k8s/events.ts';
import { isDeleted } from './apply.ts';
import { applyInstance } from './apply-instance.ts';
import type { Finding } from './conditions.ts';
import { DocbuilderResizer } from './docbuilder-size.ts';
import { observeEdge } from './edge.ts';
import type { Instances, SvcInstance } from './instances.ts';
import { decideLicense } from './license.ts';
import { getId, type Named, type OwnedObject, type OwnedObjects, parseOwned } from './owned-objects.ts';
import { podRefusals, podTroubles } from './pods.ts';
import type { RepairLimiter } from './queue.ts';
import {
  allDone,
  type ComponentState,
  componentFindings,
  formerLicense,
  pausedReadiness,
  pauseFinding,
  readinessFindings,
  storageFindings,
} from './readiness.ts';
import { readSecrets } from './secrets.ts';
import { buildStatus, failingStatus, reportChanges, sameStatus } from './status.ts';

const STATUS_MANAGER = 'svc-controller-status';
const LOOK_AGAIN_MS = 10_000;
/** The wait grows while nothing new is found, up to so many times the first. */
const LATER = { factor: 1.5, most: 6 };
/** Failures in a row after which they are in the status. */
const REPORTED_FAILURES = 10;

export interface ReconcilerOptions {
  client: Client;
  owned: OwnedObjects;
  instances: Pick<Instances, 'has' | 'olderWithSameHost'>;
  repairs: RepairLimiter;
  settings: () => Settings;
  events: Pick<EventRecorder, 'record'>;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  random: Random;
  /** Milliseconds until what sends no event is looked at again, such as pods that do not start. */
  lookAgainMs?: number | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Brings one instance to what its spec says, and writes into its status how far that has come. It starts from what the API
 * server has, whatever has happened before, so that it may end anywhere and be begun anew.
 */
export class InstanceReconciler {
  readonly #options: ReconcilerOptions;
  readonly #resizer: DocbuilderResizer;
  /** By key: the last wait of `#nextWait`. */
  readonly #waits = new Map<string, number>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#resizer = new DocbuilderResizer(options);
  }

  /** @returns milliseconds until the next time without an event */
  async reconcile(key: string, signal: AbortSignal, failures: number): Promise<number | undefined> {
    const { client, instances } = this.#options;
    const [namespace, name] = splitKey(key);
    // With its namespace goes the right to read it.
    const known = instances.has(key);
    const instance = known ? await client.get<SvcInstance>(RESOURCES.svcInstance, namespace, name) : undefined;
    // Kubernetes deletes what it owned: each object names it as its owner.
    if (!instance || instance.metadata.deletionTimestamp !== undefined) {
      this.#waits.delete(key);
      this.#resizer.forget(key);
      return undefined;
    }
    try {
      signal.throwIfAborted();
      return await this.#reconcileInstance(instance, signal);
    } catch (error) {
      if (isStopped(signal)) throw error;
      if (await isDeleted(client, key, instance.metadata.uid).catch(() => false)) return undefined;
      if (failures >= REPORTED_FAILURES) await this.#reportFailure(instance, error);
      throw error;
    }
  }

  async #reconcileInstance(instance: SvcInstance, signal: AbortSignal): Promise<number | undefined> {
    const { client, owned, settings, random, clock } = this.#options;
    const secrets = await readSecrets(client, instance, random, settings());
    const now = clock();
    const license = await decideLicense({
      ...{ kept: secrets.keptLicense, given: secrets.givenLicense },
      ...{ keys: settings().licenseKeys, now },
    });
    const wanted: Situation = {
      instance,
      settings: settings(),
      license: license.license,
      plan: docbuilderPlan(license.license),
      licenseFiles: license.files,
      secrets: secrets.values ?? {},
    };
    const found = await this.#resizer.observe(wanted);
    const situation: Situation = { ...wanted, docbuilder: found.running };
    const parts = { ...this.#options, resizer: this.#resizer };
    const applied = await applyInstance(parts, { situation, secrets, found }, signal);
    if (applied.troubles.some(({ message }) => /being terminated/.test(message))) return undefined;

    // The watches may not have shown yet what has just been applied.
    const answers = new Map(applied.answers.map((answer) => [getId(answer), parseOwned(answer)]));
    const find = (object: Named) => answers.get(getId(object)) ?? owned.find(object);
    const components = await this.#observeComponents(instance, find);
    const previous = instance.status?.conditions ?? [];
    const isApplied = (object: Named) => applied.applied.has(getId(object));
    const isOutdated = (objects: readonly Named[]) =>
      instance.status?.appliedGeneration !== instance.metadata.generation &&
      (applied.extent === 'nothing' || !objects.every(isApplied));
    const context = { client, find: (object: Named) => find(object)?.edge, isOutdated, previous, now };
    const edge = await observeEdge(context, situation);
    const held = pausedReadiness(instance);
    const remarks = [...applied.remarks, ...this.#sameHostRemarks(instance)];
    const findings: Finding[] = [
      ...(held ? [held] : readinessFindings(applied.troubles, components, remarks, edge.trouble)),
      ...componentFindings(components),
      edge.finding,
      ...storageFindings(instance, components),
      applied.licensed ? { type: 'LicenseValid', ...license.condition } : formerLicense(instance),
      pauseFinding(instance),
    ];
    const status = buildStatus({
      ...{ situation, findings, components, previous: instance.status ?? {} },
      ...{ extent: applied.extent, licensed: applied.licensed, isApplied, now: clock() },
    });
    const isNew = await this.#writeStatus(instance, status);
    const done = applied.troubles.length === 0 && allDone(components) && !edge.trouble && !applied.pending;
    const changes = [license.nextChange, edge.nextChange].flatMap((time) => time ?? []);
    const waits = [
      ...(done ? [] : [this.#nextWait(getKey(instance), isNew)]),
      ...changes.map((time) => time - clock()),
    ];
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  }

  /** Edges serve the older of two instances with one host. */
  #sameHostRemarks(instance: SvcInstance): string[] {
    const { host } = instance.spec;
    const older = this.#options.instances.olderWithSameHost(getKey(instance));
    const message = `The older SvcInstance ${older} has the same host ${host}, and edges route it there: change one of the two.`;
    return older === undefined ? [] : [message];
  }

  async #observeComponents(
    { metadata: { namespace, name } }: SvcInstance,
    find: (object: Named) => OwnedObject | undefined,
  ): Promise<Record<ComponentName, ComponentState>> {
    const { client } = this.#options;
    const names = objectNames(name).component;
    const rollout = (component: ComponentName) =>
      find({ kind: 'Deployment', metadata: { namespace, name: names[component] } })?.rollout;
    const state = Object.fromEntries(
      COMPONENTS.map((component): [ComponentName, ComponentState] => [component, { rollout: rollout(component) }]),
    ) as Record<ComponentName, ComponentState>;
    if (COMPONENTS.every((component) => !state[component].rollout) || allDone(state)) return state;
    const troubles = await podTroubles(client, namespace, name);
    for (const component of COMPONENTS) state[component].pods = troubles.get(component);
    const refused = COMPONENTS.filter((component) => state[component].rollout?.failure?.reason === 'FailedCreate');
    const refusals = refused.length > 0 ? await podRefusals(client, namespace) : new Map<string, string>();
    for (const component of refused) {
      const { rollout } = state[component];
      const message = refusals.get(names[component]);
      if (rollout?.failure && message)
        state[component].rollout = { ...rollout, failure: { ...rollout.failure, message } };
    }
    return state;
  }

  async #reportFailure(instance: SvcInstance, error: unknown): Promise<void> {
    const { clock, log } = this.#options;
    await this.#writeStatus(instance, failingStatus(instance, error, clock())).catch((err) =>
      log.warn({ instance: getKey(instance), err }, 'the status could not be written'),
    );
  }

  /** @returns whether it says anything new */
  async #writeStatus(instance: SvcInstance, status: SvcInstanceStatus): Promise<boolean> {
    const previous = instance.status ?? {};
    if (sameStatus(previous, status)) return false;
    // Reported first: a process that ends in between reports twice rather than never.
    reportChanges(this.#options, instance, previous, status);
    const { apiVersion, kind } = RESOURCES.svcInstance;
    const { name, namespace, uid } = instance.metadata;
    const given = { apiVersion, kind, metadata: { name, namespace, uid }, status } as SvcInstance;
    const options = { manager: STATUS_MANAGER, subresource: 'status' } as const;
    await this.#options.client.apply(RESOURCES.svcInstance, given, options).catch((error) => {
      // It was deleted meanwhile.
      if (!hasStatus(error, 404)) throw error;
    });
    return true;
  }

  /** The wait grows: hundreds of instances that wait for somebody must not keep the API server busy. */
  #nextWait(key: string, isNew: boolean): number {
    const first = this.#options.lookAgainMs ?? LOOK_AGAIN_MS;
    const before = isNew ? undefined : this.#waits.get(key);
    const next = before === undefined ? first : Math.min(before * LATER.factor, first * LATER.most);
    this.#waits.set(key, next);
    return next;
  }
}

/** Returns whether a signal has aborted because the controller ends, and not for a timeout. */
function isStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error).name !== 'TimeoutError';
}
