/** A member's name, or what names an element of a list. */
export type Step = string | number | { key: string; value: unknown };

/** Members that name an element of a list of objects, as far as the controller's objects have such lists. */
const NAMING = ['mountPath', 'name', 'topologyKey', 'uid'];

/** Paths of all values that are no objects or lists, empty ones aside. */
export function leaves(value: unknown, path: readonly Step[] = []): Step[][] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => {
      const key = NAMING.find((name) => isObject(element) && element[name] !== undefined);
      const step = key === undefined ? index : { key, value: (element as Record<string, unknown>)[key] };
      return leaves(element, [...path, step]);
    });
  }
  if (isObject(value)) return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
  return [[...path]];
}

export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce((current, step) => child(current, step), value);
}

/** Sets the value at a path, or removes it when `to` is undefined. Changes `value`. */
export function setAt(value: unknown, path: readonly Step[], to: unknown): void {
  const last = path.at(-1);
  const parent = valueAt(value, path.slice(0, -1)) as Record<string | number, unknown> | undefined;
  if (!parent || last === undefined) return;
  if (Array.isArray(parent)) {
    const index = typeof last === 'object' ? parent.findIndex((one) => one?.[last.key] === last.value) : Number(last);
    if (to === undefined) parent.splice(index, 1);
    else parent[index] = to;
  } else if (to === undefined) delete parent[String(last)];
  else parent[String(last)] = to;
}

export function shownPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'object' ? `[${step.value}]` : step)).join('.');
}

function child(value: unknown, step: Step): unknown {
  if (typeof step !== 'object') return (value as Record<string, unknown> | undefined)?.[step];
  return (value as Record<string, unknown>[] | undefined)?.find((element) => element[step.key] === step.value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
