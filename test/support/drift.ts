import { findResource, type KubernetesObject } from '../../cmd/controller/k8s/api.ts';
import { hasStatus } from '../../cmd/controller/k8s/api-error.ts';
import type { ApiClient } from '../../cmd/controller/k8s/client.ts';

/** The controller leaves changes of these to people: generated values exist nowhere else, and volumes never shrink. */
const THEIRS: Readonly<Record<string, string>> = { Secret: 'data', PersistentVolumeClaim: 'spec' };
/** Nobody can alter these alone: a selector never, its labels in the template and the names of mounted volumes must fit. */
const FIXED = /^spec\.(selector|template\.metadata\.labels|.*\.volumeMounts\.\d+\.name$)/;
/** With another value the API server adds members that stay: the status says what people have to take away. */
export const ADDS_MEMBERS = 'spec.strategy.type';
/** The values of fields that take certain values only. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ TCP: 'UDP', ClusterIP: 'NodePort', RuntimeDefault: 'Unconfined', Recreate: 'RollingUpdate', Memory: '' },
  ...{ Prefix: 'Exact', Exact: 'Prefix', ImplementationSpecific: 'Prefix', In: 'NotIn', Exists: 'DoesNotExist' },
  ...{ AlwaysAllow: 'IfHealthyBudget', IfNotPresent: 'Always', OnRootMismatch: 'Always', HTTP: 'HTTPS' },
};
const FOREIGN = 'example.com/theirs';

/** A member's name, or an element's place in its list. */
export type Path = readonly (string | number)[];

interface Manager {
  manager: string;
  operation: string;
  fieldsV1: Fields;
}

interface Fields {
  [key: string]: Fields;
}

/**
 * The fields that the controller has applied to a live object, by the API server's own books (`metadata.managedFields`): paths of single
 * values, and of lists and maps that have one owner as a whole. What names an element of a list is left out, and what people may change.
 */
export function repairedFields(object: KubernetesObject): Path[] {
  const managers = (object.metadata.managedFields ?? []) as Manager[];
  const applied = managers.find(({ manager, operation }) => manager === 'svc-controller' && operation === 'Apply');
  const fields = applied ? paths(applied.fieldsV1, object, []) : [];
  const isFixed = (path: Path): boolean => object.kind === 'Deployment' && FIXED.test(path.join('.'));
  return fields.filter((path) => path[0] !== THEIRS[object.kind] && !isFixed(path));
}

function paths(fields: Fields, value: unknown, path: Path): Path[] {
  return Object.entries(fields).flatMap(([key, below]) => {
    const step = toStep(key, value);
    if (step === undefined) return [];
    const [at, member] = [[...path, step], (value as Record<string | number, unknown>)[step]];
    if (Object.keys(below).length === 0) return member === undefined ? [] : [at];
    const naming = key.startsWith('k:') ? Object.keys(JSON.parse(key.slice(2))).map((one) => `f:${one}`) : [];
    const others = Object.entries(below).filter(([one]) => !naming.includes(one));
    // All of an element may be what names it.
    return others.length === 0 ? [] : paths(Object.fromEntries(others), member, at);
  });
}

/** FieldsV1 (apimachinery): `f:` is a member, `k:` an element by its keys, `v:` one by its value, `.` the thing itself. */
function toStep(key: string, value: unknown): string | number | undefined {
  const [kind, rest] = [key.slice(0, 2), key.slice(2)];
  if (kind === 'f:') return rest;
  if (kind !== 'k:' || !Array.isArray(value)) return undefined;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  const index = value.findIndex((element) => keys.every(([name, wanted]) => element?.[name] === wanted));
  return index < 0 ? undefined : index;
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((current, step) => (current as Record<string | number, unknown> | undefined)?.[step], value);
}

/** Sets the value at a path, or removes it when `to` is undefined. Changes `value`. */
export function setAt(value: unknown, path: Path, to: unknown): void {
  const parent = valueAt(value, path.slice(0, -1)) as Record<string | number, unknown> | undefined;
  const last = path.at(-1);
  if (!parent || last === undefined) return;
  if (to === undefined) delete parent[last];
  else parent[last] = to;
}

/** The values to put in a value's place; the last is nothing. */
export function otherValues(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value, undefined];
  if (typeof value === 'number') return [value + 1, value - 1, undefined];
  if (Array.isArray(value)) return [value.slice(0, -1), undefined];
  if (typeof value !== 'string') return [undefined];
  const other = OTHERS[value] ?? (/^\d+(m|[KMG]i)?$/.test(value) ? '7Mi' : `${value}x`);
  return [other, '192.0.2.0/24', undefined];
}

/** Changes the live object as somebody else would. @returns undefined when the API server refuses that */
export async function change(
  client: ApiClient,
  object: KubernetesObject,
  by: (live: KubernetesObject) => void,
): Promise<KubernetesObject | undefined> {
  for (;;) {
    const live = await readLive(client, object);
    by(live);
    try {
      return await client.replace(findResource(object), live);
    } catch (error) {
      if (hasStatus(error, 400, 422)) return undefined;
      if (!hasStatus(error, 409)) throw error;
    }
  }
}

export async function readLive(client: ApiClient, object: KubernetesObject): Promise<KubernetesObject> {
  const { namespace, name } = object.metadata;
  const live = await client.get(findResource(object), namespace, name);
  if (!live) throw new Error(`no ${object.kind} ${name}`);
  return live;
}

/** Gives an object a label and an annotation of somebody else. */
export async function mark(client: ApiClient, object: KubernetesObject): Promise<void> {
  await change(client, object, ({ metadata }) => {
    metadata.labels = { ...metadata.labels, [FOREIGN]: 'yes' };
    metadata.annotations = { ...metadata.annotations, [FOREIGN]: 'yes' };
  });
}

export function isMarked({ metadata: { labels, annotations } }: KubernetesObject): boolean {
  return labels?.[FOREIGN] === 'yes' && annotations?.[FOREIGN] === 'yes';
}

/** Deletes an object; of a claim it also takes the protection away, as a controller of the cluster does once no pod uses it. */
export async function remove(client: ApiClient, object: KubernetesObject): Promise<void> {
  const resource = findResource(object);
  const { namespace, name, uid = '' } = object.metadata;
  await client.remove(resource, namespace, name, uid);
  if (object.kind !== 'PersistentVolumeClaim') return;
  const live = await client.get(resource, namespace, name);
  if (live?.metadata.uid !== uid) return;
  const metadata = { ...live.metadata, finalizers: [] } as KubernetesObject['metadata'];
  await client.replace(resource, { ...live, metadata });
}
