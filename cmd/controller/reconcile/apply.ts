import type { V1Deployment } from '@kubernetes/client-node';
import type { Logger } from '../../../src/common/log.ts';
import { applyStage } from '../desired/index.ts';
import { ANNOTATION, MANAGED_BY } from '../desired/labels.ts';
import { allNames } from '../desired/names.ts';
import { findResource, type KubernetesObject, RESOURCES, splitKey } from '../k8s/api.ts';
import { type ApiError, hasStatus } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import type { EventRecorder } from '../k8s/events.ts';
import { hashValue } from './instances.ts';
import { appliedFields, isOwned, mustBeReplaced, ownershipTrouble, type Trouble, toAttainable } from './live-object.ts';
import { getId, type OwnedObject, type OwnedObjects } from './owned-objects.ts';
import type { RepairLimiter } from './queue.ts';

/** Kinds that the controller never deletes, and by its role may not. */
const NEVER_DELETED: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'Secret']);
/** Kinds that are read before each apply: not everything in them can be changed. */
const READ_FIRST: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'Ingress']);
const HANDOVER_MANAGER = 'svc-controller-handover';

type Deployment = V1Deployment & KubernetesObject;

export interface ApplyContext {
  client: Client;
  owned: OwnedObjects;
  repairs: RepairLimiter;
  events: Pick<EventRecorder, 'record'>;
  instance: { key: string; name: string; uid: string };
  log: Pick<Logger, 'info'>;
  /** Checked before each stage, and before each removal. */
  signal: AbortSignal;
}

export interface ApplyResult {
  troubles: Trouble[];
  remarks: string[];
  /** The API server's answers. */
  answers: KubernetesObject[];
  /** Ids of the objects that are as wanted. */
  applied: Set<string>;
}

/**
 * Applies objects stage by stage: one forced server-side apply for each, unless this process has sent the same before and nobody has
 * changed the object since. Unexpected failures reject; a refusal is a trouble, after whose stage nothing is applied.
 * @param before the result of others of the first stage, which this one includes
 */
export async function applyObjects(
  context: ApplyContext,
  objects: readonly KubernetesObject[],
  before: ApplyResult = { troubles: [], remarks: [], answers: [], applied: new Set() },
): Promise<ApplyResult> {
  const result = structuredClone(before);
  for (const stage of Map.groupBy(objects, applyStage).values()) {
    context.signal.throwIfAborted();
    const outcomes = await Promise.allSettled(stage.map((object) => applyObject(context, object)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    // In the order of `objects`, so that the status is the same each time.
    for (const [index, object] of stage.entries()) {
      const { value } = outcomes[index] as PromiseFulfilledResult<Outcome>;
      if (value.trouble) result.troubles.push(value.trouble);
      else result.applied.add(getId(object));
      if (value.answer) result.answers.push(value.answer);
      result.remarks.push(...(value.remarks ?? []));
    }
    if (result.troubles.length > 0) break;
  }
  return result;
}

/** Removes what the instance owns and no longer wants, but no claims and Secrets, and no copies that people have made. */
export async function pruneObjects(
  { client, owned, instance, log, signal }: Omit<ApplyContext, 'repairs' | 'events'>,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const wanted = new Set(objects.map(getId));
  // An object from a backup was applied by nobody.
  const named = new Set(allNames(instance.name));
  const isSuperfluous = (object: OwnedObject): boolean =>
    !wanted.has(getId({ kind: object.kind, metadata: object })) &&
    !NEVER_DELETED.has(object.kind) &&
    !object.deleting &&
    object.marked &&
    (object.ownerUid === undefined || object.ownerUid === instance.uid);
  // An Ingress goes before its Service, without which the edge would answer errors.
  const superfluous = owned.of(instance.key).filter(isSuperfluous);
  for (const object of superfluous.sort((one, other) => applyStage(other) - applyStage(one))) {
    signal.throwIfAborted();
    const live = await client.get(findResource(object), object.namespace, object.name);
    if (!live || !(appliedFields(live) || named.has(object.name))) continue;
    log.info({ instance: instance.key, kind: object.kind, object: object.name }, 'removing what is no longer wanted');
    await client.remove(findResource(object), object.namespace, object.name, object.uid);
  }
}

interface Outcome {
  trouble?: Trouble;
  remarks?: string[];
  answer?: KubernetesObject;
}

async function applyObject(context: ApplyContext, wanted: KubernetesObject): Promise<Outcome> {
  const digest = hashValue(wanted);
  if (context.owned.isApplied(wanted, digest)) return {};
  return context.owned.whileApplied(wanted, () => sendObject(context, wanted, digest));
}

async function sendObject(context: ApplyContext, wanted: KubernetesObject, digest: string): Promise<Outcome> {
  const { client, owned, repairs, events, instance, log } = context;
  const known = owned.find(wanted);
  let live: KubernetesObject | undefined;
  try {
    // Most objects that no watch has shown do not exist: asking first would double the requests of a new instance.
    const made = known ? undefined : await createObject(context, wanted);
    if (made) {
      owned.recordApply(made, digest);
      return { answer: made };
    }
    const isOurs = known?.ownerUid === instance.uid && !known.deleting;
    if (!isOurs || READ_FIRST.has(wanted.kind) || isScaledByOthers(wanted)) {
      live = await client.get(findResource(wanted), wanted.metadata.namespace, wanted.metadata.name);
      const trouble = live && ownershipTrouble(live, instance);
      if (trouble) return { trouble };
      if (live && !isOwned(live)) await expectNotDeleted(context);
      if (live && isScaledByOthers(wanted)) await handOverReplicas(client, live);
    }
    const { object, notes: remarks } = live ? toAttainable(wanted, live) : { object: wanted, notes: [] };
    const answer = await write(context, markApplied(object), live, isOurs ? known.uid : live?.metadata.uid);
    // With a remark it is applied each time, or the remark would be forgotten.
    if (remarks.length === 0 && owned.recordApply(answer, digest, object === wanted ? digest : hashValue(object))) {
      const { namespace, name } = answer.metadata;
      log.info({ namespace, kind: answer.kind, object: name }, 'repaired');
      repairs.count(getId(answer));
      const note = `Somebody changed it, and it is as SvcInstance ${instance.name} wants it again: change the spec of that instead.`;
      events.record(answer, { type: 'Normal', reason: 'Repaired', note });
    }
    return { answer, remarks };
  } catch (error) {
    const trouble = toTrouble(error);
    if (!trouble) throw error;
    // A volume that its class cannot enlarge does its work as it is.
    return live && wanted.kind === 'PersistentVolumeClaim' ? { remarks: [trouble.message] } : { trouble };
  }
}

function isScaledByOthers(wanted: KubernetesObject): boolean {
  return wanted.kind === 'Deployment' && (wanted as Deployment).spec?.replicas === undefined;
}

/** A number that nobody owns any more would become 1, so another field manager has it until an autoscaler changes it. */
async function handOverReplicas(client: Client, live: KubernetesObject): Promise<void> {
  if (appliedFields(live)?.['f:spec']?.['f:replicas'] === undefined) return;
  const { apiVersion, kind, metadata, spec } = live as Deployment;
  const { namespace, name, uid, resourceVersion } = metadata;
  const number = { metadata: { namespace, name, uid, resourceVersion }, spec: { replicas: spec?.replicas } };
  await client.apply(findResource(live), { apiVersion, kind, ...number } as Deployment, { manager: HANDOVER_MANAGER });
}

/** Before an object is adopted: in a deletion with `--cascade=orphan` it would be deleted with the instance. */
async function expectNotDeleted({ client, instance }: ApplyContext): Promise<void> {
  if (await isDeleted(client, instance.key, instance.uid)) throw new Error('the instance was deleted meanwhile');
}

/** Asks the API server whether an instance is gone or being deleted. */
export async function isDeleted(client: Client, key: string, uid: string): Promise<boolean> {
  const [namespace, name] = splitKey(key);
  const now = await client.get(RESOURCES.svcInstance, namespace, name);
  return now?.metadata.uid !== uid || now.metadata.deletionTimestamp !== undefined;
}

/** @returns undefined where there is such an object already */
async function createObject({ client }: ApplyContext, wanted: KubernetesObject): Promise<KubernetesObject | undefined> {
  try {
    const options = { manager: MANAGED_BY, onlyNew: true };
    return await client.apply(findResource(wanted), markApplied(wanted), options);
  } catch (error) {
    if (hasStatus(error, 409)) return undefined;
    throw error;
  }
}

/** @param uid of the object: another one of its name is refused with 409 */
async function write(
  { client, log }: ApplyContext,
  desired: KubernetesObject,
  read: KubernetesObject | undefined,
  uid: string | undefined,
): Promise<KubernetesObject> {
  const resource = findResource(desired);
  const { namespace, name } = desired.metadata;
  const replace = async (live: KubernetesObject): Promise<KubernetesObject> => {
    log.info({ namespace, kind: desired.kind, object: name }, 'replacing what can never become what is wanted');
    await client.remove(resource, namespace, name, live.metadata.uid ?? '');
    // Somebody may have made another one meanwhile, or a finalizer holds the old one.
    return client.apply(resource, desired, { manager: MANAGED_BY, onlyNew: true });
  };
  if (read && mustBeReplaced(desired, read)) return replace(read);
  try {
    const object = uid === undefined ? desired : { ...desired, metadata: { ...desired.metadata, uid } };
    return await client.apply(resource, object, { manager: MANAGED_BY });
  } catch (error) {
    if (!hasStatus(error, 422)) throw error;
    const live = await client.get(resource, namespace, name);
    if (live && live.metadata.uid === uid && mustBeReplaced(desired, live)) return replace(live);
    throw error;
  }
}

/** Returns whether another try of an apply would be refused, too. */
export function isRefused(error: unknown): error is ApiError {
  if (hasStatus(error, 400, 403, 404, 422)) return true;
  // A member that the kind does not have, or a value that it cannot take.
  return hasStatus(error, 500) && /failed to (create typed patch|convert new) object/.test(error.message);
}

function toTrouble(error: unknown): Trouble | undefined {
  if (!isRefused(error)) return undefined;
  // A quota or a role can change any time; a value that is wrong stays so.
  const message = `The API server refused: ${error.message}.${hintFor(error)}`;
  return { reason: 'Refused', stalled: error.status !== 403, message };
}

function hintFor({ status, message }: ApiError): string {
  if (status === 404) return ' Is the kind installed in this cluster?';
  // The admission plug-in OwnerReferencesPermissionEnforcement.
  if (message.includes("ownerRef on a resource you can't delete")) {
    return ' To adopt it, the controller needs rbac.adopt=true in its chart.';
  }
  return '';
}

/** Adds the annotation by which the controller knows its objects that have no owner. */
export function markApplied(object: KubernetesObject): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [ANNOTATION.applied]: 'true' };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
