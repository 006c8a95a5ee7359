import { findResource, type KubernetesObject } from '../../../cmd/controller/k8s/api.ts';
import {
  ADDS_MEMBERS,
  change,
  isMarked,
  mark,
  otherValues,
  type Path,
  remove,
  repairedFields,
  setAt,
  valueAt,
} from '../../../test/support/drift.ts';
import { until } from '../../../test/support/until.ts';
import { milliseconds } from '../../format.ts';
import type { Row } from '../../measurement.ts';
import { quantile } from '../../statistics.ts';
import type { Cluster } from '../../subjects/cluster.ts';
import { forAll, ownedObjects } from '../../subjects/instances.ts';

const DEMANDED_MS = 2_000;
const GIVEN_UP_MS = 30_000;
const PARALLEL = 4;

/**
 * Measures the time until each object of an instance is there again after it was deleted, and each field of ours as it
 * was after it was altered. The fields are divided among equal instances: the more often one object was repaired, the
 * longer the controller waits.
 */
export async function measureRepairs(
  cluster: Cluster,
  instances: readonly string[],
  alteredEvery: number,
): Promise<{ row: Row; notes: string }> {
  const [first = ''] = instances;
  const deletions: number[] = [];
  const objects = await ownedObjects(cluster, first);
  await forAll(objects, async (object) => deletions.push(await repairOfDeletion(cluster, object)), PARALLEL);

  const alterations: number[] = [];
  let refused = 0;
  for (const [turn, instance] of instances.entries()) {
    const anew = await ownedObjects(cluster, instance);
    if (instance === first) await forAll(anew, (object) => mark(cluster.client, object), PARALLEL);
    await forAll(
      anew,
      async (object) => {
        const fields = listFields(object).filter((_, index) => index % alteredEvery === 0);
        for (const path of fields.filter((_, index) => index % instances.length === turn)) {
          const ms = await repairOfAlteration(cluster, object, path);
          if (ms === undefined) refused += 1;
          else alterations.push(ms);
        }
      },
      PARALLEL,
    );
  }
  const after = await ownedObjects(cluster, first);
  const kept = after.filter(isMarked).length;
  const all = [...deletions, ...alterations];
  const p95 = quantile(all, 0.95);
  const kinds = new Set(objects.map(({ kind }) => kind)).size;
  return {
    row: {
      what: `an object deleted or a field altered: repaired, p95 of ${all.length}; foreign fields untouched`,
      measured: `${milliseconds(p95)} (slowest ${milliseconds(Math.max(...all))}), ${kept} of ${after.length} kept`,
      demanded: `at most ${DEMANDED_MS} ms, all`,
      holds: p95 <= DEMANDED_MS && kept === after.length && after.length === objects.length,
    },
    notes: `Each of an instance's ${objects.length} objects (${kinds} kinds) was deleted, and ${alteredEvery === 1 ? 'each field' : `one field in ${alteredEvery}`} that the controller has applied, by the API server's managedFields, was
altered, ${PARALLEL} objects at a time: ${deletions.length} deletions (median ${milliseconds(quantile(deletions, 0.5))}) and ${alterations.length} alterations (median ${milliseconds(quantile(alterations, 0.5))}); ${refused} fields the API server lets nobody alter. Left
out are the values of Secrets, what a claim asks for, and fields of Deployments whose other values add something that stays. Every object had a label and an annotation of somebody else meanwhile.`,
  };
}

function listFields(object: KubernetesObject): Path[] {
  return repairedFields(object).filter((path) => path.join('.') !== ADDS_MEMBERS);
}

async function repairOfDeletion({ client, namespace }: Cluster, object: KubernetesObject): Promise<number> {
  const resource = findResource(object);
  const { name, uid = '' } = object.metadata;
  const started = performance.now();
  await remove(client, object);
  await until(
    `${object.kind} ${name} is there again`,
    async () => {
      const live = await client.get(resource, namespace, name);
      return (live !== undefined && live.metadata.uid !== uid) || undefined;
    },
    GIVEN_UP_MS,
  );
  return performance.now() - started;
}

/** @returns milliseconds, or undefined when the API server takes no other value */
async function repairOfAlteration(cluster: Cluster, object: KubernetesObject, path: Path): Promise<number | undefined> {
  const { client, namespace } = cluster;
  const text = (value: unknown): string => JSON.stringify(valueAt(value, path)) ?? '';
  let original = '';
  for (const other of otherValues(valueAt(object, path))) {
    const started = performance.now();
    const altered = await change(client, object, (live) => {
      original = text(live);
      setAt(live, path, other);
    });
    if (!altered || text(altered) === original) continue;
    await until(
      `${object.kind} ${object.metadata.name} has ${path.join('.')} again`,
      async () => {
        const live = await client.get(findResource(object), namespace, object.metadata.name);
        return text(live) === original || undefined;
      },
      GIVEN_UP_MS,
    );
    return performance.now() - started;
  }
  return undefined;
}
