import { isDeepStrictEqual } from 'node:util';
import type {
  V1Deployment,
  V1Ingress,
  V1ManagedFieldsEntry,
  V1PersistentVolumeClaim,
  V1Service,
} from '@kubernetes/client-node';
import { ANNOTATION, MANAGED_BY } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import type { KubernetesObject } from '../k8s/api.ts';

/** Why an object is not as it should be. */
export interface Trouble {
  /** CamelCase word for a condition. */
  reason: string;
  /** Somebody has to act. */
  stalled: boolean;
  /** Says the mistake and its remedy. */
  message: string;
}

/** Why the controller must not touch an object of a name of ours: it is somebody else's, or being deleted. @param owner the instance */
export function ownershipTrouble(live: KubernetesObject, owner: { name: string; uid: string }): Trouble | undefined {
  const what = `${live.kind} ${live.metadata.name}`;
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller);
  // Without an owner: left over by `kubectl delete --cascade=orphan`, or somebody removed the reference.
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

/** Kubernetes keeps a deleted claim for as long as a pod uses it. */
function ending({ kind }: KubernetesObject, what: string): Pick<Trouble, 'stalled' | 'message'> {
  if (kind !== 'PersistentVolumeClaim') {
    return { stalled: false, message: `${what} is being deleted, and will be created again afterwards.` };
  }
  const message =
    `${what} is being deleted: it is lost, with all its data, as soon as its pod ends. ` +
    'Save the data first, then end the pod: a new, empty claim will be created.';
  return { stalled: true, message };
}

/**
 * Returns `desired` without what the API server would not change in `live`: of a claim it changes only the size, which only grows,
 * once there is a volume.
 * @returns notes for the user: why something of the spec is not applied
 */
export function toAttainable(
  desired: KubernetesObject,
  live: KubernetesObject,
): { object: KubernetesObject; notes: string[] } {
  if (desired.kind !== 'PersistentVolumeClaim') return { object: desired, notes: [] };
  const wanted = desired as KubernetesObject & { spec: V1PersistentVolumeClaim['spec'] };
  const { spec, status } = live as KubernetesObject & Pick<V1PersistentVolumeClaim, 'spec' | 'status'>;
  const [size, has] = [wanted, { spec }].map((claim) => claim.spec?.resources?.requests?.['storage']);
  const notes: string[] = [];
  const growth = (quantityValue(size) ?? 0) - (quantityValue(has) ?? 0);
  if (growth < 0) notes.push(`Claim ${desired.metadata.name} stays at ${has}: a volume cannot shrink to ${size}.`);
  const isPending = status?.phase === 'Pending';
  // The API server lets no other grow.
  const waits = growth > 0 && isPending;
  if (waits)
    notes.push(`Claim ${desired.metadata.name} has no volume yet: it grows from ${has} to ${size} once it has one.`);
  const className = wanted.spec?.storageClassName;
  // One that waits for a default class takes another one.
  const kept = spec?.storageClassName ?? (isPending ? className : undefined);
  if (className !== undefined && className !== kept) {
    const advice = isPending ? `: delete it, and it is made anew, of ${className}` : `: it cannot become ${className}`;
    notes.push(
      `Claim ${desired.metadata.name} keeps ${kept === undefined ? 'no class' : `its class ${kept}`}${advice}.`,
    );
  }
  const keep = {
    accessModes: spec?.accessModes,
    ...(kept !== undefined && { storageClassName: kept }),
    resources: { requests: { storage: growth < 0 || waits ? has : size } },
  };
  return { object: { ...wanted, spec: keep } as KubernetesObject, notes };
}

/**
 * Returns whether an object must be deleted and created anew: a Deployment's selector and whether a Service has an address cannot be
 * changed, and an Ingress without a class gets the cluster's default one at its creation only. None of these holds data.
 */
export function mustBeReplaced(desired: KubernetesObject, live: KubernetesObject): boolean {
  if (desired.kind === 'Deployment') {
    const [wanted, has] = [desired, live].map((object) => (object as { spec?: V1Deployment['spec'] }).spec?.selector);
    return !isDeepStrictEqual(wanted, has);
  }
  if (desired.kind === 'Service') {
    const [wanted, has] = [desired, live].map((object) => (object as { spec?: V1Service['spec'] }).spec?.clusterIP);
    return (wanted === 'None') !== (has === 'None');
  }
  if (desired.kind === 'Ingress') {
    const { spec } = desired as { spec?: V1Ingress['spec'] };
    return (
      spec?.ingressClassName === undefined && appliedFields(live)?.['f:spec']?.['f:ingressClassName'] !== undefined
    );
  }
  return false;
}

/** Members by their names behind `f:`, as `metadata.managedFields` has them (apimachinery `FieldsV1`). */
export type ManagedFields = Readonly<{ [member: string]: ManagedFields | undefined }>;

/** Returns the fields that the controller has applied; undefined for an object that it has not, such as somebody's copy. */
export function appliedFields({ metadata }: Pick<KubernetesObject, 'metadata'>): ManagedFields | undefined {
  const ours = metadata.managedFields?.find(isOurs);
  return ours && ((ours.fieldsV1 ?? {}) as ManagedFields);
}

/** Returns when an apply of the controller has last changed an object, to the second. The types have a date where JSON has a text. */
export function appliedAt({ metadata }: Pick<KubernetesObject, 'metadata'>): string | undefined {
  return metadata.managedFields?.find(isOurs)?.time as string | undefined;
}

function isOurs({ manager, operation }: V1ManagedFieldsEntry): boolean {
  return manager === MANAGED_BY && operation === 'Apply';
}

/** Powers of 1000, or of 1024 before an `i`. */
const POWERS: Readonly<Record<string, number>> = { n: -3, u: -2, m: -1, k: 1, K: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;

/** The value of a Kubernetes quantity such as `1500m`, `2Gi` or `1e3`; undefined when it is none. */
export function quantityValue(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return quantity;
  if (typeof quantity !== 'string') return undefined;
  const [, digits, exponent = '', suffix = ''] = QUANTITY.exec(quantity) ?? [];
  if (digits === undefined) return undefined;
  const base = suffix.endsWith('i') ? 1024 : 1000;
  return Number(`${digits}${exponent}`) * base ** (POWERS[suffix.charAt(0)] ?? 0);
}

/** Returns whether two quantities have the same value, to the precision of doubles. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  const [left, right] = [quantityValue(a), quantityValue(b)];
  if (left === undefined || right === undefined) return false;
  return Math.abs(left - right) <= Math.abs(left) * 1e-12;
}
