import type { Logger } from '../../../src/common/log.ts';
import { stageOf } from '../desired/index.ts';
import { MANAGED_BY } from '../desired/labels.ts';
import { ApiError } from '../k8s/api-error.ts';
import { resourceOf } from '../k8s/resources.ts';
import type { Client, KubernetesObject } from '../k8s/types.ts';
import { differences } from './diff.ts';
import { hashOf } from './hash.ts';
import { attainable, mustBeReplaced } from './immutable.ts';
import { overwritten } from './overwrite.ts';
import { APPLIED_HASH, type Owned, type OwnedCache } from './owned.ts';
import { ownershipTrouble, type Trouble } from './ownership.ts';

/** Objects of one instance that are read and written at a time. */
const PARALLEL = 8;

export interface ApplyContext {
  client: Client;
  owned: OwnedCache;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Checked before each object. */
  signal: AbortSignal;
}

export interface Applied {
  troubles: Trouble[];
  notes: string[];
}

/**
 * Makes the cluster have `objects`, in their order, stage by stage, writing only what differs. Unexpected failures reject; what the API server or
 * another owner refuses is a trouble, and nothing that comes after its batch is written.
 */
export async function applyAll(context: ApplyContext, objects: readonly KubernetesObject[]): Promise<Applied> {
  const result: Applied = { troubles: [], notes: [] };
  for (const batch of Map.groupBy(objects, stageOf).values()) {
    const left = [...batch];
    const failures: unknown[] = [];
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        context.signal.throwIfAborted();
        await applyOne(context, next, result).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    if (failures.length > 0) throw failures[0];
    if (result.troubles.length > 0) break;
  }
  return result;
}

/** Removes what the instance owns and no longer wants. Claims stay: a change of a spec deletes no document. */
export async function prune(
  { client, owned, log, signal }: ApplyContext,
  instance: { key: string; uid: string },
  objects: readonly KubernetesObject[],
): Promise<void> {
  const wanted = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const superfluous = ({ kind, name, deleting, ownerUid, applied }: Owned) =>
    !wanted.has(`${kind}/${name}`) &&
    kind !== 'PersistentVolumeClaim' &&
    !deleting &&
    applied &&
    (ownerUid === undefined || ownerUid === instance.uid);
  for (const object of owned.of(instance.key).filter(superfluous)) {
    signal.throwIfAborted();
    log.info({ instance: instance.key, kind: object.kind, object: object.name }, 'removing what is no longer wanted');
    await client.remove(resourceOf(object), object.namespace, object.name, object.uid);
  }
}

async function applyOne(context: ApplyContext, wanted: KubernetesObject, result: Applied): Promise<void> {
  const { client, owned, log } = context;
  const hash = hashOf(wanted);
  const known = owned.find(wanted);
  if (known?.agreed?.desired === hash && known.agreed.content === known.content && !known.deleting) return;

  const resource = resourceOf(wanted);
  const { namespace, name } = wanted.metadata;
  const live = await client.get(resource, namespace, name);
  const [owner] = wanted.metadata.ownerReferences ?? [];
  const trouble = live && owner && ownershipTrouble(live, owner);
  if (trouble) {
    result.troubles.push(trouble);
    return;
  }
  const { object, notes } = live ? attainable(wanted, live) : { object: wanted, notes: [] };
  result.notes.push(...notes);
  const desired = withHash(object, hash);
  const differing = live ? differences(desired, live) : [];
  if (live && differing.length === 0) {
    // With a note it is looked at each time, or the note would be forgotten.
    if (notes.length === 0) owned.agree(live, hash);
    return;
  }
  log.info(
    { namespace, kind: wanted.kind, object: name, ...(live && { differing }) },
    live ? 'correcting' : 'creating',
  );
  try {
    const now = await write(context, desired, live);
    // Agreed even if something still differs: a webhook that insists on its own way must not be fought for ever.
    const left = differences(desired, now);
    if (left.length > 0)
      log.warn({ kind: wanted.kind, object: name, differing: left }, 'the API server has it otherwise');
    if (notes.length === 0) owned.agree(now, hash);
  } catch (error) {
    const refused = refusal(error);
    if (!refused) throw error;
    // A volume that its class cannot enlarge does its work as it is.
    if (live && wanted.kind === 'PersistentVolumeClaim') result.notes.push(refused.message);
    else result.troubles.push(refused);
  }
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

/** What the API server refuses for good, as far as trying again at once is concerned. */
function refusal(error: unknown): Trouble | undefined {
  if (!(error instanceof ApiError)) return undefined;
  // A member that the kind does not have is a 500 to server-side apply.
  const untyped = error.status === 500 && error.message.includes('failed to create typed patch object');
  if (!untyped && ![400, 403, 404, 422].includes(error.status)) return undefined;
  const hint = error.status === 404 ? ' Is the kind installed in this cluster?' : '';
  // A quota or a role can change any time; a value that is wrong stays so.
  return {
    reason: 'Refused',
    stalled: error.status !== 403,
    message: `The API server refused: ${error.message}.${hint}`,
  };
}

function withHash(object: KubernetesObject, hash: string): KubernetesObject {
  const annotations = { ...object.metadata.annotations, [APPLIED_HASH]: hash };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
