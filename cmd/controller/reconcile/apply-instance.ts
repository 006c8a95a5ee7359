import type { Logger } from '../../../src/common/log.ts';
import { licenseSecret } from '../desired/data-service.ts';
import { notAllowed } from '../desired/policy.ts';
import type { Policy, Settings, Situation } from '../desired/types.ts';
import { getKey, type KubernetesObject } from '../k8s/api.ts';
import { isRequestFailure } from '../k8s/api-error.ts';
import type { Client } from '../k8s/client.ts';
import type { EventRecorder } from '../k8s/events.ts';
import { type ApplyContext, type ApplyResult, applyObjects, pruneObjects } from './apply.ts';
import type { DocbuilderFound, DocbuilderResizer } from './docbuilder-size.ts';
import type { SvcInstance } from './instances.ts';
import type { Trouble } from './live-object.ts';
import { getId, type OwnedObjects } from './owned-objects.ts';
import type { RepairLimiter } from './queue.ts';
import { isPaused } from './readiness.ts';
import type { SecretsRead } from './secrets.ts';
import { reportGenerated, requestedAt } from './status.ts';

export interface Applied extends ApplyResult {
  /** The share of the spec that has been applied. */
  extent: 'nothing' | 'something' | 'everything';
  /** The licence's Secret is as wanted. */
  licensed: boolean;
  /** A resize is not done yet, and no event tells when it is. */
  pending: boolean;
}

interface Parts {
  client: Client;
  owned: OwnedObjects;
  repairs: RepairLimiter;
  resizer: DocbuilderResizer;
  settings: () => Settings;
  events: Pick<EventRecorder, 'record'>;
  log: Pick<Logger, 'info' | 'warn'>;
}

interface Found {
  situation: Situation;
  secrets: SecretsRead;
  found: DocbuilderFound;
}

/** Applies the licence's Secret unless the instance is paused, and the other objects where nothing is wrong with the spec. */
export async function applyInstance(
  parts: Parts,
  { situation, secrets, found }: Found,
  signal: AbortSignal,
): Promise<Applied> {
  const { client, owned, repairs, events, log, settings } = parts;
  const instance = situation.instance as SvcInstance;
  const key = getKey(instance);
  const { remarks } = secrets;
  const troubles = [...policyTroubles(instance.spec, settings().policy), ...secrets.troubles];
  if (isPaused(instance))
    return { ...nothing({ troubles, remarks, answers: [], applied: new Set() }), licensed: false };
  const { name, uid } = instance.metadata;
  const context = { client, owned, repairs, events, signal, log, instance: { key, name, uid } };
  if (troubles.length === 0 && isAsked(instance)) owned.forgetApplies(key);
  // A renewal or a revocation does not wait for the correction of a spec.
  const license = await applyObjects(context, [licenseSecret(situation)]);
  const licensed = license.troubles.length === 0;
  if (troubles.length > 0) {
    const all = distinct([...troubles, ...license.troubles]);
    return { ...nothing({ ...license, troubles: all, remarks }), licensed };
  }
  // A new instance has none yet.
  const runs = owned.of(key).some(({ kind }) => kind === 'Deployment');
  // Reported first: a process that ends in between reports twice rather than never.
  if (runs) reportGenerated(parts, instance, secrets.made, secrets.lost);
  const result = await applySpec({ ...context, resizer: parts.resizer, log }, situation, found, license);
  return { ...result, remarks: [...remarks, ...result.remarks], licensed };
}

/** @param license the outcome of applying the licence's Secret, which is not applied again */
async function applySpec(
  context: ApplyContext & Pick<Parts, 'resizer' | 'log'>,
  situation: Situation,
  found: DocbuilderFound,
  license: ApplyResult,
): Promise<Omit<Applied, 'licensed'>> {
  const { resizer, instance, log } = context;
  let objects: KubernetesObject[];
  try {
    objects = await resizer.objects(situation, found);
  } catch (error) {
    if (isRequestFailure(error)) throw error;
    // A spec that the schema should have refused, or did before it was changed.
    const message = `The spec cannot be turned into objects: ${(error as Error).message}.`;
    log.warn({ instance: instance.key, err: error }, 'the spec cannot be turned into objects');
    return nothing({ ...license, troubles: [{ reason: 'InvalidSpec', stalled: true, message }, ...license.troubles] });
  }
  const dealtWith = getId(licenseSecret(situation));
  const others = objects.filter((object) => getId(object) !== dealtWith);
  const result = await applyObjects(context, others, license);
  if (result.troubles.length > 0) return { ...result, extent: 'something', pending: false };
  await pruneObjects(context, objects);
  const { pending, remark } = await resizer.resize(situation, found);
  const remarks = [...result.remarks, ...(remark === undefined ? [] : [remark])];
  return { ...result, remarks, extent: 'everything', pending };
}

function nothing(result: ApplyResult): Omit<Applied, 'licensed'> {
  return { ...result, extent: 'nothing', pending: false };
}

/** Returns whether the annotation `svc.internal/reconcile-at` has a new value. */
function isAsked({ metadata, status }: SvcInstance): boolean {
  const requested = requestedAt(metadata);
  return requested !== undefined && requested !== status?.lastHandledReconcileAt;
}

/** Why a spec is not applied at all: a part of it may be less safe than none. */
function policyTroubles(spec: SvcInstance['spec'], policy: Policy): Trouble[] {
  return notAllowed(spec, policy).map((message) => ({ reason: 'NotAllowed', stalled: true, message }));
}

/** Leaves out repeated messages, as of reading and writing a Secret. */
function distinct(troubles: readonly Trouble[]): Trouble[] {
  return [...new Map(troubles.map((trouble) => [trouble.message, trouble])).values()];
}
