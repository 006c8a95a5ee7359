import { ANNOTATION } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import type { KubernetesObject } from '../k8s/api.ts';

/** Why an object is not as it should be. */
export interface Trouble {
  /** CamelCase word for a condition. */
  reason: string;
  /** It takes a person to go on. */
  stalled: boolean;
  /** Says exactly what is wrong and what to do. */
  message: string;
}

/**
 * Returns why the controller must not touch an object that has a name of ours. An object of somebody else is never taken
 * over; one that is about to go is waited for.
 * @param owner the instance
 */
export function ownershipTrouble(live: KubernetesObject, owner: { name: string; uid: string }): Trouble | undefined {
  const what = `${live.kind} ${live.metadata.name}`;
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller);
  // Without an owner: left over by `kubectl delete --cascade=orphan`, or somebody took the reference away.
  const ours = controller
    ? controller.uid === owner.uid
    : live.metadata.annotations?.[ANNOTATION.applied] !== undefined;
  if (ours) {
    if (live.metadata.deletionTimestamp === undefined) return undefined;
    return { reason: 'Deleting', ...ending(live, what) };
  }
  if (controller?.kind === KIND && controller.name === owner.name) {
    const message = `${what} of the former ${KIND} ${owner.name} is still being deleted.`;
    return { reason: 'Deleting', stalled: false, message };
  }
  const whose = controller ? `belongs to ${controller.kind} ${controller.name}` : 'was made by somebody else';
  return {
    reason: 'NameTaken',
    stalled: true,
    message: `${what} exists already and ${whose}: delete or rename it, or give the ${KIND} another name.`,
  };
}

/** Returns whether an object is deleted with its owner. */
export function isOwned({ metadata }: KubernetesObject): boolean {
  return metadata.ownerReferences?.some((reference) => reference.controller) ?? false;
}

/** Kubernetes keeps a claim for as long as a pod uses it, and so the pod, which runs on, keeps it from going. */
function ending({ kind }: KubernetesObject, what: string): Pick<Trouble, 'stalled' | 'message'> {
  if (kind !== 'PersistentVolumeClaim') {
    return { stalled: false, message: `${what} is being deleted, and will be created again afterwards.` };
  }
  const message =
    `${what} is being deleted: it is lost, with all its data, as soon as its pod ends. ` +
    'Save the data first, then end the pod: a new, empty claim will be created.';
  return { stalled: true, message };
}
