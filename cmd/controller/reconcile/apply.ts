import type { Logger } from '../../../src/common/log.ts';
import { stageOf } from '../desired/index.ts';
import { MANAGED_BY } from '../desired/labels.ts';
import { allNames } from '../desired/names.ts';
import { ApiError } from '../k8s/api-error.ts';
import { splitKey } from '../k8s/known-versions.ts';
import { RESOURCES, resourceOf } from '../k8s/resources.ts';
import type { Client, KubernetesObject } from '../k8s/types.ts';
import { agreementOf, isAgreed, type Wanted } from './agreement.ts';
import type { Contests } from './contests.ts';
import { differences } from './diff.ts';
import { APPLIED_HASH, hashOf } from './hash.ts';
import { attainable, mustBeReplaced } from './immutable.ts';
import { appliedFields, withoutUpdates } from './managed.ts';
import { overwritten } from './overwrite.ts';
import type { Owned, OwnedCache } from './owned.ts';
import { isOwned, ownershipTrouble, type Trouble } from './ownership.ts';

/** Objects of one instance that are read and written at a time. */
const PARALLEL = 8;
/** Kinds of which the controller deletes none, nor may it by its role: they go with their instance. */
const KEPT: ReadonlySet<string> = new Set(['PersistentVolumeClaim', 'Secret']);

export interface ApplyContext {
  client: Client;
  owned: OwnedCache;
  contests: Contests;
  /** @property agreement of its status */
  instance: { key: string; uid: string; agreement: string | undefined };
  log: Pick<Logger, 'debug' | 'info' | 'warn'>;
  /** Checked before each object. */
  signal: AbortSignal;
}

export interface Applied {
  troubles: Trouble[];
  notes: string[];
  /** Something is left as it is for now. */
  contested?: boolean;
  /** `agreementOf`, where everything does agree and nothing is merely left as it is. */
  agreement?: string | undefined;
}

/**
 * Makes the cluster have `objects`, in their order, stage by stage, writing only what differs. Unexpected failures
 * reject; what the API server or another owner refuses is a trouble, and nothing that comes after its batch is written.
 */
export async function applyAll(context: ApplyContext, objects: readonly KubernetesObject[]): Promise<Applied> {
  const { owned, instance } = context;
  const result: Applied = { troubles: [], notes: [] };
  // In the order of `objects`, though they are dealt with side by side: the status is then the same each time.
  const found = new Map(objects.map((object): [KubernetesObject, Applied] => [object, { troubles: [], notes: [] }]));
  const all = objects.map((object): Wanted => ({ object, hash: hashOf(object) }));
  if (instance.agreement !== undefined && instance.agreement === agreementOf(owned, all)) {
    for (const { object, hash } of all) owned.agreeAsSeen(object, hash);
  }
  let created = 0;
  for (const batch of Map.groupBy(all, ({ object }) => stageOf(object)).values()) {
    const left = [...batch];
    const failures: unknown[] = [];
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        context.signal.throwIfAborted();
        const release = owned.hold(next.object);
        const one: Applied = { troubles: [], notes: [] };
        const made = await applyOne(context, next, one).catch((error) => void failures.push(error));
        found.set(next.object, one);
        if (made) created += 1;
        // Somebody else has been at it meanwhile.
        if (release()) left.push(next);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    if (failures.length > 0) throw failures[0];
    if ([...found.values()].some(({ troubles }) => troubles.length > 0)) break;
  }
  for (const { troubles, notes, contested } of found.values()) {
    result.troubles.push(...troubles);
    result.notes.push(...notes);
    if (contested) result.contested = true;
  }
  if (created > 0) context.log.info({ instance: instance.key, objects: created }, 'created');
  const settled = all.every(({ object, hash }) => {
    const known = owned.find(object);
    // What differs is tried again by the next controller.
    return isAgreed(known, hash) && !known?.agreed?.differing;
  });
  if (settled) result.agreement = agreementOf(owned, all);
  return result;
}

/**
 * Removes what the instance owns and no longer wants. Claims and Secrets stay: a change of a spec deletes no document and
 * no key. So do copies that people have made of its objects.
 */
export async function prune(
  { client, owned, instance, log, signal }: Omit<ApplyContext, 'contests'>,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const wanted = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  // What comes from a backup was applied by nobody.
  const [, name] = splitKey(instance.key);
  const named = new Set(allNames(name));
  const superfluous = ({ kind, name, deleting, ownerUid, applied }: Owned) =>
    !wanted.has(`${kind}/${name}`) &&
    !KEPT.has(kind) &&
    !deleting &&
    applied &&
    (ownerUid === undefined || ownerUid === instance.uid);
  for (const object of owned.of(instance.key).filter(superfluous)) {
    signal.throwIfAborted();
    const live = await client.get(resourceOf(object), object.namespace, object.name);
    if (!live || !(appliedFields(live) || named.has(object.name))) continue;
    log.info({ instance: instance.key, kind: object.kind, object: object.name }, 'removing what is no longer wanted');
    await client.remove(resourceOf(object), object.namespace, object.name, object.uid);
  }
}

/** @returns whether there was none before */
async function applyOne(context: ApplyContext, { object: wanted, hash }: Wanted, result: Applied): Promise<boolean> {
  const { client, owned } = context;
  const known = owned.find(wanted);
  if (isAgreed(known, hash)) return false;

  let live: KubernetesObject | undefined;
  try {
    // Of most that no watch has shown there is none: asking first would double the requests of a new instance.
    if (!known && (await create(context, wanted, hash))) return true;

    live = await client.get(resourceOf(wanted), wanted.metadata.namespace, wanted.metadata.name);
    const [, name] = splitKey(context.instance.key);
    const trouble = live && ownershipTrouble(live, { name, uid: context.instance.uid });
    if (trouble) {
      result.troubles.push(trouble);
      return false;
    }
    if (live && !isOwned(live)) await expectNotDeleted(context);
    await correct(context, { wanted, hash, live, result });
  } catch (error) {
    const refused = refusal(error);
    if (!refused) throw error;
    // A volume that its class cannot enlarge does its work as it is.
    if (live && wanted.kind === 'PersistentVolumeClaim') result.notes.push(refused.message);
    else result.troubles.push(refused);
  }
  return false;
}

/**
 * Before an object is taken (back): it may have been let go just now because the instance is being deleted without it
 * (`--cascade=orphan`), and as its own it would go with it, documents and all.
 */
async function expectNotDeleted({ client, instance }: ApplyContext): Promise<void> {
  const [namespace, name] = splitKey(instance.key);
  const now = await client.get(RESOURCES.svcInstance, namespace, name);
  const same = now?.metadata.uid === instance.uid && now.metadata.deletionTimestamp === undefined;
  if (!same) throw new Error('the instance was deleted meanwhile');
}

/** Writes what is wanted where there is nothing yet. @returns whether it did */
async function create(context: ApplyContext, wanted: KubernetesObject, hash: string): Promise<boolean> {
  const desired = withHash(wanted, hash);
  try {
    const made = await context.client.apply(resourceOf(desired), desired, { manager: MANAGED_BY, onlyNew: true });
    context.log.debug(lineOf(desired), 'created');
    agree(context, { desired, hash }, made);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return false;
    throw error;
  }
}

interface Correction {
  wanted: KubernetesObject;
  /** Of `wanted`. */
  hash: string;
  live: KubernetesObject | undefined;
  /** Gets what cannot be had. */
  result: Applied;
}

/** Writes what is wanted unless what there is agrees with it. */
async function correct(context: ApplyContext, { wanted, hash, live, result }: Correction): Promise<void> {
  const { object, notes: kept } = live ? attainable(wanted, live) : { object: wanted, notes: [] };
  result.notes.push(...kept);
  const desired = withHash(object, hash);
  const differing = live ? differences(desired, live) : ['all'];
  let now = live;
  if (differing.length > 0) {
    // Once agreed to what is wanted still, it is somebody else who has changed it since.
    const theirs = context.owned.find(wanted)?.agreed?.desired === hash;
    const repair = live && theirs ? { live, paths: differing } : undefined;
    const lost = repair && context.contests.lost(repair);
    if (lost) {
      context.log.warn(
        { ...lineOf(desired), differing },
        'somebody else keeps changing this object: leaving it for now',
      );
      result.notes.push(lost);
      result.contested = true;
      return;
    }
    context.log.info({ ...lineOf(desired), differing }, 'correcting');
    now = await write(context, desired, live);
    if (repair) context.contests.made(repair);
  }
  now = now && (await appliedOnly(context, now));
  // With a note it is looked at each time, or the note would be forgotten.
  if (now && kept.length === 0) agree(context, { desired, hash }, now);
}

/** Settled even if something still differs: a webhook that insists on its own way must not be fought for ever. */
function agree(
  { owned, log }: ApplyContext,
  { desired, hash }: { desired: KubernetesObject; hash: string },
  now: KubernetesObject,
): void {
  const differing = differences(desired, now);
  if (differing.length > 0)
    log.warn({ ...lineOf(desired), differing }, 'the object in the API server differs from what was written');
  owned.agree(now, hash, differing);
}

function lineOf({ kind, metadata: { namespace, name } }: KubernetesObject): object {
  return { namespace, kind, object: name };
}

async function write(
  { client }: ApplyContext,
  desired: KubernetesObject,
  live: KubernetesObject | undefined,
): Promise<KubernetesObject> {
  const resource = resourceOf(desired);
  const apply = () => client.apply(resource, desired, { manager: MANAGED_BY });
  if (live && mustBeReplaced(desired, live)) {
    await client.remove(resource, live.metadata.namespace, live.metadata.name, live.metadata.uid ?? '');
    return apply();
  }
  try {
    return await apply();
  } catch (error) {
    if (!live || !(error instanceof ApiError) || error.status !== 422) throw error;
    // Elements that others have put into our lists can make the merged whole invalid, such as a second port of the same
    // name: then the lists become ours alone.
    await client.replace(resource, overwritten(desired, live));
    return apply();
  }
}

/**
 * What a PUT has set is owned twice, by it and by the apply after it, and would stay when the spec no longer has it: the
 * PUT's part in that is given up.
 */
async function appliedOnly({ client }: ApplyContext, live: KubernetesObject): Promise<KubernetesObject> {
  const managedFields = withoutUpdates(live);
  if (!managedFields) return live;
  return client.replace(resourceOf(live), { ...live, metadata: { ...live.metadata, managedFields } });
}

/** What the API server refuses for good, as far as trying again at once is concerned. */
function refusal(error: unknown): Trouble | undefined {
  if (!(error instanceof ApiError)) return undefined;
  // A member that the kind does not have is a 500 to server-side apply.
  const untyped = error.status === 500 && error.message.includes('failed to create typed patch object');
  if (!untyped && ![400, 403, 404, 422].includes(error.status)) return undefined;
  const hint = hintOf(error);
  // A quota or a role can change any time; a value that is wrong stays so.
  return {
    reason: 'Refused',
    stalled: error.status !== 403,
    message: `The API server refused: ${error.message}.${hint}`,
  };
}

function hintOf({ status, message }: ApiError): string {
  if (status === 404) return ' Is the kind installed in this cluster?';
  // The admission plug-in OwnerReferencesPermissionEnforcement.
  if (message.includes("ownerRef on a resource you can't delete")) {
    return ' To adopt it, the controller needs rbac.adopt=true in its chart.';
  }
  return '';
}

function withHash(object: KubernetesObject, hash: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: hash };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
