import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import type { Logger } from '../../../src/common/log.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';
import type { Policy } from '../desired/allowed.ts';
import { COMPONENTS, namesOf } from '../desired/names.ts';
import { notAllowed } from '../desired/policy.ts';
import type { Random } from '../desired/secrets.ts';
import type { ComponentName, Settings, Situation } from '../desired/types.ts';
import type { Recorder } from '../k8s/events.ts';
import { keyOf, splitKey } from '../k8s/known-versions.ts';
import { RESOURCES } from '../k8s/resources.ts';
import type { Client, KubernetesObject } from '../k8s/types.ts';
import { differenceTold } from './agreement.ts';
import { type Applied, applyAll, prune } from './apply.ts';
import type { Finding } from './conditions.ts';
import { createContests } from './contests.ts';
import { createDocbuilderSizes, type DocbuilderFound } from './docbuilder-size.ts';
import { observeEdge } from './edge.ts';
import type { Instances, SvcInstance } from './instances.ts';
import { decideLicense } from './license.ts';
import type { OwnedCache } from './owned.ts';
import type { Trouble } from './ownership.ts';
import { heldBack, heldLicense, isPaused, pauseFinding } from './pause.ts';
import { podTroubles } from './pods.ts';
import { allDone, type ComponentState, componentFindings, readinessFindings } from './readiness.ts';
import { readSecrets } from './secrets.ts';
import { askedFor, failingStatus, sameStatus, statusHash, statusOf } from './status.ts';
import { tellChanges, tellMade } from './telling.ts';

const STATUS_MANAGER = 'svc-controller-status';
const LOOK_AGAIN_MS = 10_000;
/** Each time that nothing new was found it takes longer, up to so many times as long as at first. */
const LATER = { factor: 1.5, most: 6 };
/** Failures in a row after which it is no accident any more: some seconds, or minutes where nothing answers. */
const FAILURES_TOLD = 10;

/** Whether a status says something new, said the same before, or is left to somebody else for a while. */
type Told = 'written' | 'before' | 'left';

export interface ReconcilerOptions {
  client: Client;
  owned: OwnedCache;
  instances: Instances;
  settings: () => Settings;
  events: Pick<Recorder, 'record'>;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  random: Random;
  /**
   * Milliseconds until what sends no event is looked at again at first: pods that do not start, what somebody else must
   * change.
   */
  lookAgainMs?: number | undefined;
  log: Pick<Logger, 'debug' | 'info' | 'warn'>;
}

/**
 * What brings one instance, by its key, to what its spec says, and writes down in its status how far that has come. It
 * starts from what the API server has, whatever has happened before, so that it may end anywhere and be begun anew.
 * @returns milliseconds until it should be called again without an event
 */
export function createReconciler(
  options: ReconcilerOptions,
): (key: string, signal: AbortSignal, failures: number) => Promise<number | undefined> {
  const { client, owned, settings, clock, random, log } = options;
  const contests = createContests(clock);
  const sizes = createDocbuilderSizes({ client, owned });

  return async function reconcile(key, signal, failures) {
    const [namespace, name] = splitKey(key);
    const instance = await client.get<SvcInstance>(RESOURCES.svcInstance, namespace, name);
    // Its own status, written while it was being deleted, may have brought it back to mind.
    if (!instance) options.instances.gone(key);
    // Kubernetes deletes what it owned: each object names it as its owner.
    if (!instance || instance.metadata.deletionTimestamp !== undefined) return undefined;
    signal.throwIfAborted();
    try {
      return await bring(instance, signal);
    } catch (error) {
      if (failures >= FAILURES_TOLD && !isStopped(signal)) await tellFailure(instance, error);
      throw error;
    }
  };

  async function bring(instance: SvcInstance, signal: AbortSignal): Promise<number | undefined> {
    const secrets = await readSecrets(client, instance, random, settings());
    const { keptLicense: kept, givenLicense: given } = secrets;
    const now = clock();
    const decision = await decideLicense({ kept, given, keys: settings().licenseKeys, now });
    const wanted: Situation = {
      instance,
      settings: settings(),
      license: decision.license,
      plan: docbuilderPlan(decision.license),
      licenseFiles: decision.files,
      secrets: secrets.values ?? {},
    };
    const found = await sizes.look(wanted, instance.status?.docbuilder);
    const situation: Situation = { ...wanted, docbuilder: found.running };
    const troubles = [...policyTroubles(instance.spec, settings().policy), ...secrets.troubles];
    const applied: Applied = { troubles, notes: [...secrets.remarks] };
    const applies = applied.troubles.length === 0 && !isPaused(instance);
    if (applies) {
      // A new instance has none yet.
      const runs = owned.of(keyOf(instance)).some(({ kind }) => kind === 'Deployment');
      // Told first: a process that ends in between tells twice rather than never.
      if (runs) tellMade(options, instance, secrets.made, secrets.lost);
      const result = await applyWanted(instance, situation, found, signal);
      applied.troubles.push(...result.troubles);
      applied.notes.push(...result.notes);
      applied.agreement = result.agreement;
      applied.contested = result.contested ?? false;
    }
    if (applied.troubles.some(({ message }) => /being terminated/.test(message))) return undefined;

    // In the same order each time: another one would be another status.
    const told = owned.of(keyOf(instance)).flatMap((one) => differenceTold(one) ?? []);
    applied.notes.push(...told.sort(), ...sameHost(instance));

    const components = await observe(instance);
    const edge = await observeEdge({ client, owned, previous: instance.status?.conditions ?? [], now }, situation);
    const held = heldBack(instance);
    const findings: Finding[] = [
      ...(held ? [held] : readinessFindings(applied.troubles, components, applied.notes, edge.trouble)),
      ...componentFindings(components),
      edge.finding,
      heldLicense(instance) ?? { type: 'LicenseValid', ...decision.condition },
      pauseFinding(instance),
    ];
    const most = applied.troubles.length === 0 ? 'everything' : 'something';
    const status = statusOf({
      ...{ situation, findings, components, agreement: applied.agreement },
      previous: instance.status ?? {},
      applied: applies ? most : 'nothing',
      paused: isPaused(instance),
      now: clock(),
    });
    const written = await put(instance, status);
    const done = applied.troubles.length === 0 && allDone(components) && !edge.trouble;
    const waiting = !done || applied.contested || written === 'left';
    const changes = [decision.nextChange, edge.nextChange].flatMap((time) => time ?? []);
    const wait = waiting ? [nextWait(keyOf(instance), written)] : [];
    return nextLook([...wait, ...changes.map((time) => time - clock())]);
  }

  /** An edge that finds a host twice serves the older one, and nobody hears of it. */
  function sameHost({ metadata, spec: { host } }: SvcInstance): string[] {
    const [elder] = options.instances.elders(keyOf({ metadata }));
    if (elder === undefined) return [];
    return [
      `The older SvcInstance ${elder} has the same host ${host}, and edges route it there: change one of the two.`,
    ];
  }

  async function applyWanted(
    instance: SvcInstance,
    situation: Situation,
    found: DocbuilderFound,
    signal: AbortSignal,
  ): Promise<Applied> {
    const { metadata, status = {} } = instance;
    const key = keyOf(instance);
    const asked = askedFor(metadata);
    const anew = asked !== undefined && asked !== status.lastHandledReconcileAt;
    if (anew) owned.doubt(key);
    let objects: KubernetesObject[];
    try {
      objects = sizes.objects(situation, found);
    } catch (error) {
      // A spec that the schema should have refused, or did before it was changed.
      const message = `The spec cannot be turned into objects: ${(error as Error).message}.`;
      log.warn({ instance: key, err: error }, 'the spec cannot be turned into objects');
      return { troubles: [{ reason: 'InvalidSpec', stalled: true, message }], notes: [] };
    }
    const agreement = anew ? undefined : status.agreement;
    const context = { client, owned, contests, signal, log, instance: { key, uid: metadata.uid, agreement } };
    const applied = await applyAll(context, objects);
    if (applied.troubles.length > 0) return applied;
    await prune(context, objects);
    const { waits, note } = await sizes.fit(situation, found);
    if (note !== undefined) applied.notes.push(note);
    return { ...applied, contested: applied.contested || waits };
  }

  async function observe(instance: SvcInstance): Promise<Record<ComponentName, ComponentState>> {
    const { namespace, name } = instance.metadata;
    const names = namesOf(name).component;
    const deployments = owned.of(keyOf(instance)).filter(({ kind }) => kind === 'Deployment');
    const rollout = (component: ComponentName) =>
      deployments.find((deployment) => deployment.name === names[component])?.rollout;
    const state = Object.fromEntries(
      COMPONENTS.map((component): [ComponentName, ComponentState] => [component, { rollout: rollout(component) }]),
    ) as Record<ComponentName, ComponentState>;
    if (deployments.length === 0 || allDone(state)) return state;
    const troubles = await podTroubles(client, namespace, name, clock());
    for (const component of COMPONENTS) state[component].pods = troubles.get(component);
    return state;
  }

  /** Best effort: what has failed may fail here too. */
  async function tellFailure(instance: SvcInstance, error: unknown): Promise<void> {
    const status = failingStatus(instance, error, clock());
    await put(instance, status).catch((err) =>
      log.warn({ instance: keyOf(instance), err }, 'the status could not be written'),
    );
  }

  async function put(instance: SvcInstance, status: SvcInstanceStatus): Promise<Told> {
    const previous = instance.status ?? {};
    const key = keyOf(instance);
    if (sameStatus(previous, status)) {
      options.instances.say(key, statusHash(status));
      return 'before';
    }
    // Not what was last said here: another controller says something else for as long as this one does.
    const theirs = ![undefined, statusHash(previous)].includes(options.instances.said(key));
    const repair = { live: instance, paths: ['status'] };
    if (theirs && contests.lost(repair)) {
      log.warn({ instance: key }, 'somebody else keeps writing another status: leaving it for now');
      return 'left';
    }
    // Told first: a process that ends in between tells twice rather than never.
    tellChanges(options, instance, previous, status);
    // The watch may show it before the answer comes.
    options.instances.seen({ ...instance, status });
    const { apiVersion, kind } = RESOURCES.svcInstance;
    const { name, namespace, uid } = instance.metadata;
    const written = await client.apply<SvcInstance>(
      RESOURCES.svcInstance,
      { apiVersion, kind, metadata: { name, namespace, uid }, status } as SvcInstance,
      { manager: STATUS_MANAGER, subresource: 'status' },
    );
    if (theirs) contests.made(repair);
    options.instances.say(key, statusHash(status));
    // As it was read: should the spec have changed since, the event of that is news.
    options.instances.seen({ ...instance, status: written.status ?? {} });
    return 'written';
  }

  /** Hundreds of instances that wait for somebody must not keep the API server busy. */
  function nextWait(key: string, told: Told): number {
    const first = options.lookAgainMs ?? LOOK_AGAIN_MS;
    const before = told === 'written' ? undefined : options.instances.waited(key);
    const next = before === undefined ? first : Math.min(before * LATER.factor, first * LATER.most);
    options.instances.wait(key, next);
    return next;
  }
}

function nextLook(waits: readonly number[]): number | undefined {
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}

/** A spec with something that nobody has allowed is not applied at all: half of it may be less safe than none. */
function policyTroubles(spec: SvcInstance['spec'], policy: Policy): Trouble[] {
  return notAllowed(spec, policy).map((message) => ({ reason: 'NotAllowed', stalled: true, message }));
}

/** Whether it is over because the controller ends, and not because it has taken too long. */
function isStopped({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error).name !== 'TimeoutError';
}
