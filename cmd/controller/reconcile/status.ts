import { isDeepStrictEqual } from 'node:util';
import type { Audit } from '../../../src/common/audit.ts';
import { iso } from '../../../src/common/clock.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import type { SvcInstanceStatus } from '../../../src/common/generated/wire.ts';
import { applyLowering, connectionPlan } from '../../../src/common/plan.ts';
import { clip } from '../../../src/common/truncate.ts';
import { ANNOTATION, selectorLabels, selectorText } from '../desired/labels.ts';
import { baseUrl, COMPONENTS, objectNames } from '../desired/names.ts';
import { imageFor } from '../desired/pod.ts';
import type { SecretKey } from '../desired/secrets.ts';
import { docbuilderSizing } from '../desired/sizing.ts';
import type { ComponentName, Situation } from '../desired/types.ts';
import { getKey, type ObjectMeta } from '../k8s/api.ts';
import { isRequestFailure } from '../k8s/api-error.ts';
import type { EventRecorder } from '../k8s/events.ts';
import { type ConditionType, type Finding, findCondition, ownConditions, toConditions } from './conditions.ts';
import type { SvcInstance } from './instances.ts';
import type { Named } from './owned-objects.ts';
import type { ComponentState } from './readiness.ts';

interface Found {
  situation: Pick<Situation, 'instance' | 'settings' | 'license' | 'plan' | 'docbuilder'>;
  previous: SvcInstanceStatus;
  findings: readonly Finding[];
  components: Readonly<Record<ComponentName, ComponentState>>;
  /** The part of the spec that has been applied. */
  extent: 'nothing' | 'something' | 'everything';
  isApplied: (object: Named) => boolean;
  /** The pods have the licence of `situation`, and not that of before. */
  licensed: boolean;
  /** Epoch milliseconds. */
  now: number;
}

type Figures = Pick<
  SvcInstanceStatus,
  'edition' | 'baseUrl' | 'version' | 'license' | 'plan' | 'docbuilder' | 'images'
>;

/** The same findings at another time give the same status. */
export function buildStatus(found: Found): SvcInstanceStatus {
  const { situation, previous, findings, components, extent, now } = found;
  const { generation = 0 } = situation.instance.metadata;
  const handled = extent === 'nothing' ? previous.lastHandledReconcileAt : requestedAt(situation.instance.metadata);
  const appliedGeneration = extent === 'everything' ? generation : previous.appliedGeneration;
  return {
    observedGeneration: generation,
    ...(appliedGeneration !== undefined && { appliedGeneration }),
    ...(handled !== undefined && { lastHandledReconcileAt: handled }),
    conditions: toConditions(findings, previous.conditions ?? [], generation, now),
    ...figuresInForce(found),
    frontSelector: selectorText(selectorLabels(situation.instance, 'front')),
    replicas: each((name) => {
      const { desired = 0, ready = 0 } = components[name].rollout ?? {};
      return { desired, ready };
    }),
  };
}

/** Returns the annotation `svc.internal/reconcile-at`, as the status repeats it. */
export function requestedAt({ annotations = {} }: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const { [ANNOTATION.reconcileAt]: requested } = annotations;
  return requested === undefined ? undefined : clip(requested, 1024);
}

/** Figures of what was applied; otherwise those of before. */
function figuresInForce({ situation, previous, licensed, isApplied }: Found): Figures {
  const { namespace, name } = situation.instance.metadata;
  const { component } = objectNames(name);
  const is = (kind: string, object: string) => isApplied({ kind, metadata: { namespace, name: object } });
  const made = (one: ComponentName) => is('Deployment', component[one]);
  const isSized = made('docbuilder') && is('ConfigMap', component.docbuilder);
  const docbuilder = isSized ? docbuilderStatus(situation) : previous.docbuilder;
  const license = licensed ? licenseStatus(situation.license) : previous.license;
  const workers = docbuilder?.workers ?? docbuilderSizing(situation).workers;
  // The limits that a spec lowers are variables of gate and DocBuilder.
  const isFormer = !(made('gate') && isSized) && isDeepStrictEqual(license, previous.license);
  const former = licensed && !isFormer ? undefined : previous.plan;
  return withoutUndefined({
    edition: licensed ? getEdition(situation) : previous.edition,
    license,
    plan: former ?? (licensed ? planStatus(situation, workers) : undefined),
    baseUrl: made('gate') ? baseUrl(situation.instance.spec) : previous.baseUrl,
    version: COMPONENTS.every(made) ? situation.settings.version : previous.version,
    docbuilder,
    images: withoutUndefined(each((one) => (made(one) ? imageFor(situation, one) : previous.images?.[one]))),
  });
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}

function getEdition({ license }: Found['situation']): NonNullable<SvcInstanceStatus['edition']> {
  return connectionPlan(license).edition === 'enterprise' ? 'Enterprise' : 'Community';
}

function docbuilderStatus(situation: Found['situation']): NonNullable<SvcInstanceStatus['docbuilder']> {
  const { workers, resources, sharedMemory, gracePeriodSeconds, formula } = docbuilderSizing(situation);
  const [cpu, memory] = [resources.limits?.['cpu'], resources.limits?.['memory']];
  return {
    workers,
    ...(cpu !== undefined && { cpu }),
    ...(memory !== undefined && { memory }),
    ...{ sharedMemory, gracePeriodSeconds, formula },
  };
}

/** The status of an instance whose reconciles fail: as it was, but not ready. */
export function failingStatus(
  { metadata: { generation = 0 }, status = {} }: Pick<SvcInstance, 'metadata' | 'status'>,
  error: unknown,
  now: number,
): SvcInstanceStatus {
  const findings = (['Ready', 'Reconciling'] as const).map(
    (type): Finding => ({ type, status: type === 'Ready' ? 'False' : 'True', ...describeFailure(error) }),
  );
  const previous = ownConditions(status.conditions ?? []);
  const others = previous.filter(({ type }) => !['Ready', 'Reconciling', 'Stalled'].includes(type));
  const conditions = [...toConditions(findings, previous, generation, now), ...others];
  return { ...status, observedGeneration: generation, conditions };
}

function describeFailure(error: unknown): Pick<Finding, 'reason' | 'message'> {
  if (isRequestFailure(error)) {
    return {
      reason: 'ApiServerFails',
      message: `A request to the API server failed and will be retried: ${error.message}`,
    };
  }
  if ((error as Error | undefined)?.name === 'TimeoutError') {
    return { reason: 'ApiServerFails', message: 'The API server did not answer in time; the request will be retried.' };
  }
  // The text of an unexpected error may contain a secret.
  return { reason: 'ControllerFails', message: "The controller failed and will retry: see the controller's log." };
}

/** Compares two statuses without conditions of others. */
export function sameStatus(one: SvcInstanceStatus, other: SvcInstanceStatus): boolean {
  const own = (status: SvcInstanceStatus) => ({ ...status, conditions: ownConditions(status.conditions ?? []) });
  return isDeepStrictEqual(own(one), own(other));
}

const LICENSE_STATES = {
  none: 'None',
  valid: 'Valid',
  grace: 'Grace',
  expired: 'Expired',
  invalid: 'Invalid',
} as const satisfies Record<LicenseState['state'], string>;

function licenseStatus({ state, claims, graceDaysLeft }: LicenseState): NonNullable<SvcInstanceStatus['license']> {
  return {
    state: LICENSE_STATES[state],
    ...(claims && { subject: clip(claims.sub, 1024), expiresAt: iso(claims.expiresAt), connections: claims.conns }),
    ...(claims && { features: claims.features.slice(0, 64).map((feature) => clip(feature, 128)) }),
    ...(graceDaysLeft !== null && { graceDaysLeft }),
  };
}

/** Figures of the plan, lowered by the spec. Unlimited ones are left out. */
function planStatus(
  { instance, license, plan }: Found['situation'],
  workers: number,
): NonNullable<SvcInstanceStatus['plan']> {
  const { gate, docbuilder } = instance.spec;
  const { connections } = connectionPlan(license);
  const limits = applyLowering(plan.limits, docbuilder);
  return {
    connections: Math.min(connections, gate.connectionCap ?? connections),
    ratePerMinute: limits.rate_per_minute,
    ...(limits.rate_per_day !== null && { ratePerDay: limits.rate_per_day }),
    parallelJobs: limits.parallel_jobs ?? workers,
    maxQueuedJobs: limits.max_queued_jobs,
    maxFileMb: limits.max_file_mb,
    resultTtlMinutes: limits.result_ttl_minutes,
    syncTimeoutSeconds: limits.sync_timeout_seconds,
    jobTimeoutSeconds: limits.job_timeout_seconds,
    maxScriptUnits: limits.max_script_units,
    maxOutputsPerBuild: limits.max_outputs_per_build,
    async: limits.async,
    callback: limits.callback,
  };
}

function each<T>(value: (name: ComponentName) => T): Record<ComponentName, T> {
  return Object.fromEntries(COMPONENTS.map((name) => [name, value(name)])) as Record<ComponentName, T>;
}

/** Changes of their status or reason are reported. */
const REPORTED: readonly ConditionType[] = ['Ready', 'LicenseValid', 'Paused'];
/** Reasons of conditions that every new instance has. */
const USUAL: ReadonlySet<string> = new Set(['Progressing', 'NotAsked', 'NoLicense']);
/** Reasons of true conditions that are a warning. */
const WARNS = /^ExpiresWithin|^AvailableWithRemarks$|^NotUnderstood$/;

/**
 * Reports secrets that are made while the instance runs: the old values are refused from then on.
 * @param lost the whole Secret was gone; a single key is deleted to have another value made
 */
export function reportGenerated(
  { events }: { events: Pick<EventRecorder, 'record'> },
  instance: SvcInstance,
  made: readonly SecretKey[],
  lost: boolean,
): void {
  const keys = made.filter((key) => key !== 'digest-key').join(', ');
  if (keys === '') return;
  const secret = `Secret ${objectNames(instance.metadata.name).secrets}`;
  const note = lost
    ? `${secret} was deleted. Generated anew: ${keys}. Distribute the new values, or supply the old ones in spec.secrets.`
    : `${secret} lacked ${keys}: generated anew.`;
  events.record(instance, { type: lost ? 'Warning' : 'Normal', reason: lost ? 'SecretsLost' : 'SecretsMade', note });
}

/**
 * Reports the changes from one status to the next by events and audit trail. What a status contains has been reported, perhaps by an
 * earlier controller, so that each warning of a licence's end is sent once.
 */
export function reportChanges(
  { events, audit }: { events: Pick<EventRecorder, 'record'>; audit: Pick<Audit, 'record'> },
  instance: SvcInstance,
  previous: SvcInstanceStatus,
  status: SvcInstanceStatus,
): void {
  for (const type of REPORTED) {
    const before = findCondition(previous.conditions ?? [], type);
    const now = findCondition(status.conditions ?? [], type);
    if (!now || (before?.status === now.status && before.reason === now.reason)) continue;
    if (!before && (USUAL.has(now.reason) || now.status === 'Unknown')) continue;
    const bad = (now.status === 'False' && now.reason !== 'Progressing' && type !== 'Paused') || WARNS.test(now.reason);
    events.record(instance, { type: bad ? 'Warning' : 'Normal', reason: now.reason, note: now.message });
    if (type === 'LicenseValid') {
      audit.record('license.changed', {
        instance: getKey(instance),
        state: status.license?.state ?? 'None',
        reason: now.reason,
      });
    }
  }
}
