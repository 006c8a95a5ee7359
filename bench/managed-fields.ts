import type { KubernetesObject } from '../cmd/controller/k8s/api.ts';

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
 * The fields that a manager has applied to a live object, by the API server's own books (`metadata.managedFields`): paths
 * of single values, and of lists and maps that have one owner as a whole. What names an element of a list is left out.
 */
export function appliedFields(object: KubernetesObject, name: string): Path[] {
  const managers = (object.metadata.managedFields ?? []) as Manager[];
  const applied = managers.find(({ manager, operation }) => manager === name && operation === 'Apply');
  return applied ? paths(applied.fieldsV1, object, []) : [];
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
