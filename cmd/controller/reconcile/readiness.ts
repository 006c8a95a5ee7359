import { COMPONENTS } from '../desired/names.ts';
import type { ComponentName } from '../desired/types.ts';
import type { ConditionType, Finding } from './conditions.ts';
import type { Trouble } from './ownership.ts';
import type { PodTrouble } from './pod-trouble.ts';
import type { LastingTrouble } from './pods.ts';
import type { Rollout } from './rollout.ts';
import { asSentence } from './sentence.ts';

/** A component as it was found. */
export interface ComponentState {
  /** Absent: there is no Deployment. */
  rollout?: Rollout | undefined;
  pods?: LastingTrouble | undefined;
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
 * `Ready`, and `Reconciling` or `Stalled` while they are true, so that kstatus tells "wait" from "this will not become
 * ready by itself".
 * @param troubles of applying; they come before what the components say
 * @param remarks that are told in any case: they may be the reason
 * @param edge why nobody gets through to what runs
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

/** Returns whether every component runs as wanted. */
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

/** Why a component is not there, the most telling first. */
function shortcoming(called: string, rollout: Rollout | undefined, pods: PodTrouble | undefined): PodTrouble {
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
  // Only while the instance is paused: it would be put right at once.
  if (rollout.desired === 0) return { reason: 'ScaledToZero', message: `${called} was scaled to 0 pods.` };
  return { reason: 'Progressing', message: `${called} is starting.` };
}

/** Pod Security admission: the editor is the one that is not `restricted`. */
function getHint(message: string): string {
  if (!message.includes('violates PodSecurity')) return '';
  return ' Label the namespace pod-security.kubernetes.io/enforce=baseline: the editor needs that.';
}
