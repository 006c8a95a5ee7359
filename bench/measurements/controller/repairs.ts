import { findResource, type KubernetesObject } from '../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../cmd/controller/k8s/api-error.ts';
import { until } from '../../../test/support/until.ts';
import { milliseconds } from '../../format.ts';
import { appliedFields, type Path, setAt, valueAt } from '../../managed-fields.ts';
import type { Row } from '../../measurement.ts';
import { quantile } from '../../statistics.ts';
import type { Cluster } from '../../subjects/cluster.ts';
import { forAll, ownedObjects } from '../../subjects/instances.ts';

const DEMANDED_MS = 2_000;
const GIVEN_UP_MS = 30_000;
const PARALLEL = 4;
const FOREIGN = 'example.com/theirs';
/** The controller leaves changes of these to people: generated values exist nowhere else, and volumes never shrink. */
const THEIRS: Readonly<Record<string, string>> = { Secret: 'data', PersistentVolumeClaim: 'spec' };
/**
 * With another value of these goes what the API server itself adds, or they are keys of a list: the status says what is
 * too much, which people have to take away.
 */
const UNFIT = /^spec\.(strategy\.type|.*\bports\b.*\.(containerPort|protocol))$/;
/** The values of fields that take certain values only. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ TCP: 'UDP', ClusterIP: 'NodePort', RuntimeDefault: 'Unconfined', Recreate: 'RollingUpdate', Memory: '' },
  ...{ Prefix: 'Exact', Exact: 'Prefix', ImplementationSpecific: 'Prefix', In: 'NotIn', Exists: 'DoesNotExist' },
  ...{ AlwaysAllow: 'IfHealthyBudget', IfNotPresent: 'Always', OnRootMismatch: 'Always' },
};

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
    if (instance === first) await forAll(anew, (object) => mark(cluster, object), PARALLEL);
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
  const kept = after.filter(({ metadata }) => metadata.labels?.[FOREIGN] && metadata.annotations?.[FOREIGN]).length;
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
  const fields = appliedFields(object, 'svc-controller').filter(([first]) => first !== THEIRS[object.kind]);
  return fields.filter((path) => object.kind !== 'Deployment' || !UNFIT.test(path.join('.')));
}

async function repairOfDeletion({ client, namespace }: Cluster, object: KubernetesObject): Promise<number> {
  const resource = findResource(object);
  const { name, uid = '' } = object.metadata;
  const started = performance.now();
  await client.remove(resource, namespace, name, uid);
  if (object.kind === 'PersistentVolumeClaim') {
    // A controller of the cluster takes the protection away once no pod uses it.
    const live = await client.get(resource, namespace, name);
    const metadata = { ...live?.metadata, finalizers: [] } as unknown as KubernetesObject['metadata'];
    if (live?.metadata.uid === uid) await client.replace(resource, { ...live, metadata });
  }
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
    const altered = await change(cluster, object, (live) => {
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

async function mark(cluster: Cluster, object: KubernetesObject): Promise<void> {
  await change(cluster, object, ({ metadata }) => {
    metadata.labels = { ...metadata.labels, [FOREIGN]: 'yes' };
    metadata.annotations = { ...metadata.annotations, [FOREIGN]: 'yes' };
  });
}

/** Changes the live object as somebody else would. @returns undefined when the API server refuses that */
async function change(
  { client, namespace }: Cluster,
  object: KubernetesObject,
  by: (live: KubernetesObject) => void,
): Promise<KubernetesObject | undefined> {
  for (;;) {
    const live = await client.get(findResource(object), namespace, object.metadata.name);
    if (!live) throw new Error(`no ${object.kind} ${object.metadata.name}`);
    by(live);
    try {
      return await client.replace(findResource(object), live);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 422 || error.status === 400) return undefined;
      if (error.status !== 409) throw error;
    }
  }
}

/** The values to put in a value's place; the last is nothing. */
function otherValues(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value, undefined];
  if (typeof value === 'number') return [value + 1, value - 1, undefined];
  if (Array.isArray(value)) return [value.slice(0, -1), undefined];
  if (typeof value !== 'string') return [undefined];
  const other = OTHERS[value] ?? (/^\d+(m|[KMG]i)?$/.test(value) ? '7Mi' : `${value}x`);
  return [other, '192.0.2.0/24', undefined];
}
