import type { V1Deployment } from '@kubernetes/client-node';
import { ANNOTATION } from '../desired/labels.ts';
import { COMPONENTS } from '../desired/names.ts';
import { isShared } from '../desired/storage.ts';
import type { ComponentName, Instance } from '../desired/types.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import { type ConditionType, type Finding, formerFinding } from './conditions.ts';
import type { SvcInstance } from './instances.ts';
import type { Trouble } from './live-object.ts';
import { asSentence, STORAGE_REFUSED } from './pods.ts';

export interface Rollout {
  desired: number;
  ready: number;
  /** At least one pod answers, and it has the condition `Available`. */
  available: boolean;
  /** All pods of the newest version run, and no others. */
  complete: boolean;
  /** Why it makes no pods or no progress. */
  failure?: { reason: string; message: string };
  /** It has made no progress for longer than its deadline. */
  gaveUp?: true;
  /** Its name, where somebody has paused it. */
  paused?: string;
}

/** Reads a Deployment as `kubectl rollout status` does. */
export function parseRollout(object: KubernetesObject): Rollout {
  const { metadata, spec, status = {} } = object as KubernetesObject & Pick<V1Deployment, 'spec' | 'status'>;
  const desired = spec?.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, readyReplicas = 0, replicas = 0 } = status;
  const condition = (type: string, value: string) =>
    status.conditions?.find((candidate) => candidate.type === type && candidate.status === value);
  const stuck = condition('Progressing', 'False');
  const failed = condition('ReplicaFailure', 'True') ?? stuck;
  return {
    desired,
    ready: readyReplicas,
    available: availableReplicas > 0 && condition('Available', 'True') !== undefined,
    complete:
      (status.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      updatedReplicas >= desired &&
      replicas <= updatedReplicas &&
      availableReplicas >= updatedReplicas,
    ...(failed && { failure: { reason: failed.reason ?? 'Failed', message: failed.message ?? '' } }),
    ...(stuck?.reason === 'ProgressDeadlineExceeded' && { gaveUp: true }),
    ...(spec?.paused && { paused: metadata.name }),
  };
}

export interface ComponentState {
  /** Absent: there is no Deployment. */
  rollout?: Rollout | undefined;
  pods?: Trouble | undefined;
}

const NAMES: Record<ComponentName, { type: ConditionType; called: string }> = {
  gate: { type: 'GateAvailable', called: 'The gate' },
  docbuilder: { type: 'DocBuilderAvailable', called: 'DocBuilder' },
  editor: { type: 'EditorAvailable', called: 'The editor' },
  front: { type: 'FrontAvailable', called: 'The front' },
};

/** `GateAvailable` and so on. */
export function componentFindings(components: Readonly<Record<ComponentName, ComponentState>>): Finding[] {
  return COMPONENTS.map((name) => {
    const { type, called } = NAMES[name];
    const { rollout, pods } = components[name];
    if (rollout?.available) {
      return { type, status: 'True', reason: 'Available', message: `${called} answers.` };
    }
    const { reason, message } = shortcoming(called, rollout, pods);
    return { type, status: 'False', reason, message };
  });
}

/**
 * `Ready`, and `Reconciling` or `Stalled` where they are true, as kstatus reads them.
 * @param troubles of applying; they come before those of components
 * @param edge why the edge does not lead to the front
 */
export function readinessFindings(
  troubles: readonly Trouble[],
  components: Readonly<Record<ComponentName, ComponentState>>,
  remarks: readonly string[],
  edge?: Trouble,
): Finding[] {
  const [first] = troubles;
  if (first) {
    const message = [...troubles.map((trouble) => trouble.message), ...remarks].join(' ');
    return notReady(
      first.reason,
      message,
      troubles.some(({ stalled }) => stalled),
    );
  }
  const missing = COMPONENTS.filter((name) => !done(components[name].rollout)).map((name) => {
    const { rollout, pods } = components[name];
    const stalled = rollout?.gaveUp === true || rollout?.paused !== undefined || pods?.stalled === true;
    return { ...shortcoming(NAMES[name].called, rollout, pods), stalled };
  });
  const worst = missing.find(({ reason }) => reason !== 'Progressing') ?? missing[0];
  if (worst) {
    const outside = edge && edge.reason !== 'Progressing' ? [edge.message] : [];
    const message = [...missing.map((found) => found.message), ...outside, ...remarks].join(' ');
    return notReady(
      worst.reason,
      message,
      missing.some(({ stalled }) => stalled),
    );
  }
  const all = 'All components are available.';
  if (edge) return notReady(edge.reason, [all, edge.message, ...remarks].join(' '), edge.stalled);
  const message = [all, ...remarks].join(' ');
  const reason = remarks.length > 0 ? 'AvailableWithRemarks' : 'AllAvailable';
  return [{ type: 'Ready', status: 'True', reason, message }];
}

export function allDone(components: Readonly<Record<ComponentName, ComponentState>>): boolean {
  return COMPONENTS.every((name) => done(components[name].rollout));
}

function done(rollout: Rollout | undefined): boolean {
  return (rollout?.complete && rollout.available) ?? false;
}

function notReady(reason: string, message: string, stalled: boolean): Finding[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: stalled ? 'Stalled' : 'Reconciling', status: 'True', reason, message },
  ];
}

/** Why a component is not available. */
function shortcoming(
  called: string,
  rollout: Rollout | undefined,
  pods: Trouble | undefined,
): Pick<Trouble, 'reason' | 'message'> {
  if (rollout?.paused !== undefined) {
    const message = `${called} is not updated, because its Deployment is paused: kubectl rollout resume deployment/${rollout.paused}.`;
    return { reason: 'RolloutPaused', message };
  }
  if (pods) return pods;
  if (rollout?.failure) {
    const { reason, message } = rollout.failure;
    return { reason, message: `${called} cannot start: ${asSentence(message)}${getHint(message)}` };
  }
  if (!rollout) return { reason: 'Progressing', message: `${called} has not been created yet.` };
  // Only while the instance is paused: otherwise it is repaired at once.
  if (rollout.desired === 0) return { reason: 'ScaledToZero', message: `${called} was scaled to 0 pods.` };
  return { reason: 'Progressing', message: `${called} is starting.` };
}

/** For a refusal by Pod Security admission, a quota or a LimitRange. */
function getHint(message: string): string {
  if (message.includes('violates PodSecurity')) {
    return ' Label the namespace pod-security.kubernetes.io/enforce=baseline: the editor needs that.';
  }
  if (/requested: (?:count[/])?pods=\d+, used/.test(message)) return " Raise the namespace's ResourceQuota.";
  if (!/exceeded quota|failed quota|(?:maximum|minimum) (?:cpu|memory) /.test(message)) return '';
  return " Set pod.resources of the component in the spec, or change the namespace's ResourceQuota or LimitRange.";
}

/** `StorageReady`, of instances with a shared store. */
export function storageFindings(
  { spec }: Pick<Instance, 'spec'>,
  { gate, docbuilder }: Readonly<Record<ComponentName, ComponentState>>,
): Finding[] {
  if (!isShared(spec)) return [];
  const refused = [gate, docbuilder].find(({ pods }) => pods?.reason === STORAGE_REFUSED)?.pods;
  if (refused) {
    const { reason, message } = refused;
    return [{ type: 'StorageReady', status: 'False', reason, message }];
  }
  if (gate.rollout?.available && docbuilder.rollout?.available) {
    const message = 'Gate and DocBuilder have started with the database and the bucket.';
    return [{ type: 'StorageReady', status: 'True', reason: 'Accepted', message }];
  }
  const message = 'Gate and DocBuilder have not all started with the database and the bucket yet.';
  return [{ type: 'StorageReady', status: 'Unknown', reason: 'Progressing', message }];
}

/** Returns whether nothing of the instance may be written but its status. */
export function isPaused({ metadata }: Pick<SvcInstance, 'metadata'>): boolean {
  return metadata.annotations?.[ANNOTATION.paused] === 'true';
}

export function pauseFinding(instance: Pick<SvcInstance, 'metadata'>): Finding {
  const kept = 'Objects are kept in line with the spec';
  if (isPaused(instance)) {
    const message = `Objects are not changed until the annotation ${ANNOTATION.paused} is removed.`;
    return { type: 'Paused', status: 'True', reason: 'Asked', message };
  }
  const { [ANNOTATION.paused]: asked = 'false' } = instance.metadata.annotations ?? {};
  if (asked !== 'false') {
    // `True`, `yes` or `1`.
    const message = `${kept}: the annotation ${ANNOTATION.paused} pauses nothing unless it is exactly "true".`;
    return { type: 'Paused', status: 'False', reason: 'NotUnderstood', message };
  }
  return { type: 'Paused', status: 'False', reason: 'NotAsked', message: `${kept}.` };
}

/** `Ready` of a paused instance whose spec has not been applied as a whole. */
export function pausedReadiness(instance: Pick<SvcInstance, 'metadata' | 'status'>): Finding | undefined {
  if (!isPaused(instance)) return undefined;
  if (instance.status?.appliedGeneration === instance.metadata.generation) return undefined;
  const message = `The spec has changed; it is applied when the annotation ${ANNOTATION.paused} is removed.`;
  return { type: 'Ready', status: 'False', reason: 'Paused', message };
}

/** `LicenseValid` of an instance that is paused, or whose licence cannot be written: as it was, since the pods have that one. */
export function formerLicense(instance: Pick<SvcInstance, 'metadata' | 'status'>): Finding {
  const former = formerFinding(instance.status?.conditions ?? [], 'LicenseValid');
  if (former && former.status !== 'Unknown') return former;
  const message = isPaused(instance)
    ? `The licence is not checked until the annotation ${ANNOTATION.paused} is removed.`
    : 'The licence cannot be given to the pods: Ready says why.';
  return { type: 'LicenseValid', status: 'Unknown', reason: isPaused(instance) ? 'Paused' : 'NotDelivered', message };
}
