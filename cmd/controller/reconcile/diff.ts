import { isObject } from '../../../src/common/is-object.ts';
import type { KubernetesObject } from '../k8s/types.ts';
import { sameQuantity } from './quantity.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Lists that server-side apply merges element by element, and what names an element (the API's
 * `x-kubernetes-list-map-keys`).
 */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  volumeMounts: ['mountPath'],
  imagePullSecrets: ['name'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  hostAliases: ['ip'],
  ownerReferences: ['uid'],
};
/** Maps and structures that have one owner as a whole: one more member, and they mean something else. */
const ATOMIC = new Set([
  'selector',
  'labelSelector',
  'podSelector',
  'namespaceSelector',
  'nodeSelector',
  'configMapKeyRef',
  'secretKeyRef',
  'fieldRef',
]);
/** What the API server fills into the elements of lists that have one owner as a whole. */
const DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  protocol: ['TCP'],
  apiVersion: ['v1'],
  group: ['', 'gateway.networking.k8s.io'],
  kind: ['Service', 'Gateway'],
  weight: [1],
  matches: [[{ path: { type: 'PathPrefix', value: '/' } }]],
};
const QUANTITIES = new Set(['limits', 'requests', 'sizeLimit']);
/** Not sent by the API server when false. */
const FALSE_IS_ABSENT = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'readOnly']);
/** Not sent by the API server when empty. */
const EMPTY_IS_ABSENT = new Set(['annotations', 'labels', 'matchLabels', 'nodeSelector', 'data', 'binaryData']);

/**
 * Where a live object is not as we set it, as paths such as `spec.template.spec.containers[gate].image`. Only what
 * `desired` sets counts: fields of others stay theirs. Follows what server-side apply would merge and replace.
 */
export function differences(desired: KubernetesObject, live: KubernetesObject): string[] {
  const found: string[] = [];
  compareMembers(desired as unknown as Members, live as unknown as Members, '', { found, kind: desired.kind });
  return found;
}

interface Walk {
  found: string[];
  kind: string;
  /** Inside of something that has one owner as a whole. */
  strict?: boolean;
}

function compareMembers(desired: Members, live: Members, path: string, walk: Walk): void {
  for (const [name, value] of Object.entries(desired)) {
    if (value === undefined || value === null) continue;
    compare(name, value, live[name], path === '' ? name : `${path}.${name}`, walk);
  }
  if (!walk.strict) return;
  for (const [name, value] of Object.entries(live)) {
    if (desired[name] === undefined && !isDefault(name, value)) walk.found.push(`${path}.${name}`);
  }
}

function compare(name: string, desired: unknown, live: unknown, path: string, walk: Walk): void {
  if (live === undefined || live === null) {
    if (!mayBeAbsent(name, desired)) walk.found.push(path);
  } else if (Array.isArray(desired)) {
    if (Array.isArray(live)) compareLists(name, desired, live, path, walk);
    else walk.found.push(path);
  } else if (isObject(desired)) {
    if (!isObject(live)) walk.found.push(path);
    else if (QUANTITIES.has(name)) compareQuantities(desired, live, path, walk);
    else compareMembers(desired, live, path, { ...walk, strict: walk.strict || ATOMIC.has(name) });
  } else if (desired !== live && !(QUANTITIES.has(name) && sameQuantity(desired, live))) {
    walk.found.push(path);
  }
}

function compareQuantities(desired: Members, live: Members, path: string, { found }: Walk): void {
  for (const [name, value] of Object.entries(desired)) {
    if (!sameQuantity(value, live[name])) found.push(`${path}.${name}`);
  }
}

function compareLists(name: string, desired: unknown[], live: unknown[], path: string, walk: Walk): void {
  const keys = walk.strict ? undefined : listKeys(name, walk.kind);
  if (keys) {
    const byKey = new Map(live.filter(isObject).map((element) => [keyOf(element, keys), element]));
    for (const element of desired.filter(isObject)) {
      const key = keyOf(element, keys);
      compare(name, element, byKey.get(key), `${path}[${key}]`, walk);
    }
    return;
  }
  if (desired.length !== live.length) walk.found.push(path);
  else {
    for (const [index, element] of desired.entries()) {
      compare('', element, live[index], `${path}[${index}]`, { ...walk, strict: true });
    }
  }
}

/** What names an element of a list that is merged; undefined: the list has one owner as a whole. */
function listKeys(name: string, kind: string): readonly string[] | undefined {
  if (name !== 'ports') return LIST_KEYS[name];
  if (kind === 'NetworkPolicy') return undefined;
  return kind === 'Service' ? ['port', 'protocol'] : ['containerPort', 'protocol'];
}

function keyOf(element: Members, keys: readonly string[]): string {
  return keys.map((key) => String(element[key] ?? (key === 'protocol' ? 'TCP' : ''))).join(',');
}

function mayBeAbsent(name: string, desired: unknown): boolean {
  if (desired === '') return name !== 'storageClassName';
  if (desired === false) return FALSE_IS_ABSENT.has(name);
  if (Array.isArray(desired)) return desired.length === 0;
  return isObject(desired) && Object.keys(desired).length === 0 && EMPTY_IS_ABSENT.has(name);
}

function isDefault(name: string, value: unknown): boolean {
  const text = JSON.stringify(value);
  return DEFAULTS[name]?.some((known) => JSON.stringify(known) === text) ?? false;
}
