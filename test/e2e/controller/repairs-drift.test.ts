import { expect } from 'chai';
import { loadConfig } from '../../../cmd/controller/config.ts';
import { desired } from '../../../cmd/controller/desired/index.ts';
import { findResource, type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../cmd/controller/k8s/api-error.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';
import { VERSION } from '../../../src/common/version.ts';
import { startOffice, type TestCluster, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const REPAIRED_MS = 5_000;

describe('the controller repairs', function () {
  this.timeout(240_000);
  let wanted: KubernetesObject[];
  const cluster = useTestCluster(async (cluster) => {
    await startOffice(cluster);
    wanted = await wantedObjects(cluster);
  });

  it('each object that is deleted', async () => {
    const before = await cluster.objects();
    expect(before.size).to.equal(wanted.length);
    const started = Date.now();
    await Promise.all([...before.values()].map((object) => remove(cluster, object)));
    await until('all are there again', async () => {
      const now = await cluster.objects();
      const anew = [...before].filter(([name, { metadata }]) => {
        const uid = now.get(name)?.metadata.uid;
        return uid !== undefined && uid !== metadata.uid;
      });
      return anew.length === before.size || undefined;
    });
    expect(Date.now() - started).to.be.lessThan(REPAIRED_MS);
  });

  it('each field that it sets, or tells what to put right, and leaves alone what is of others', async () => {
    await cluster.settled('office');
    await Promise.all(wanted.map((object) => foreign(cluster, object)));
    const outcomes: Outcomes = { times: [], stubborn: [], reported: [] };
    // One after the other: the status shows one stage at a time.
    for (const object of wanted) await alterAll(cluster, object, outcomes);
    const { times, stubborn, reported } = outcomes;
    for (const object of wanted) {
      const live = await readLive(cluster, object);
      const name = `${object.kind}/${object.metadata.name}`;
      expect(live.metadata.labels, name).to.include({ 'example.com/theirs': 'yes' });
      expect(live.metadata.annotations, name).to.include({ 'example.com/theirs': 'yes' });
    }
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
    expect(times.length).to.be.greaterThan(wanted.length);
    expect(p95, `p95 of ${times.length} repairs, ms`).to.be.lessThan(2_000);
    expect(stubborn).to.deep.equal([]);
    expect(reported.filter((field) => !UNFIT.test(field))).to.deep.equal([]);
  });
});

/** Fields that are not altered, by kind: names of objects and of elements of lists, and fields that the API server keeps. */
const LEFT_OUT: Record<string, RegExp> = {
  '': /^(apiVersion|kind|metadata\.name.*)$|\.uid$/,
  PersistentVolumeClaim: /^spec/,
  // The values that were made are nowhere else: who changes them there has changed them.
  Secret: /^(data|type)/,
  // Must hold all of its exceptions, which are altered.
  NetworkPolicy: /cidr$/,
  Deployment:
    /^spec\.(selector|template\.metadata\.labels|.*\.whenUnsatisfiable$|.*\.tolerations\..*effect$|.*volume.*\.name$)/,
};

/**
 * With another value of these goes what the API server itself adds, or they are keys of a list: beside what the controller sets, both are
 * too much, and what is of others is theirs to take away.
 */
const UNFIT = / spec\.(strategy\.type|.*\.ports\.\[\w+\]\.(containerPort|protocol))$/;

/** The objects that the controller should have made, from the state of the API server. */
async function wantedObjects(cluster: TestCluster): Promise<KubernetesObject[]> {
  const { images, clusterDomain, clusterDns, dnsAddress, listen } = loadConfig(cluster.environment);
  const objects = await cluster.objects();
  const data = (name: string) => (objects.get(name) as unknown as { data: Record<string, string> }).data;
  const decoded = (base64: string) => Buffer.from(base64, 'base64').toString();
  const secrets = Object.entries(data('Secret/office-secrets')).map(([name, value]) => [name, decoded(value)]);
  const licenseKeys = decoded(data('Secret/office-license')['keys.json'] ?? '');
  return desired({
    instance: await cluster.get('office'),
    settings: {
      ...{ version: VERSION, images, pullSecrets: [], clusterDomain, clusterDns, dnsAddress, listen },
      ...{ licenseKeys, policy: {} },
    },
    license: NO_LICENSE,
    plan: docbuilderPlan(NO_LICENSE),
    licenseFiles: {},
    secrets: Object.fromEntries(secrets),
  });
}

async function readLive(cluster: TestCluster, object: KubernetesObject): Promise<KubernetesObject> {
  const live = await cluster.object(findResource(object), object.metadata.name);
  if (!live) throw new Error(`no ${object.kind} ${object.metadata.name}`);
  return live;
}

async function remove(cluster: TestCluster, object: KubernetesObject): Promise<void> {
  const { name, uid = '' } = object.metadata;
  await cluster.client.remove(findResource(object), cluster.namespace, name, uid);
  if (object.kind !== 'PersistentVolumeClaim') return;
  // A controller of the cluster would take the protection away once no pod uses it.
  const live = await cluster.object<KubernetesObject>(RESOURCES.persistentVolumeClaim, name);
  if (live?.metadata.uid !== uid) return;
  await cluster.client.replace(RESOURCES.persistentVolumeClaim, {
    ...live,
    metadata: { ...live.metadata, finalizers: [] } as KubernetesObject['metadata'],
  });
}

/** Changes the live object as another client. @returns false when the API server refuses that */
async function change(cluster: TestCluster, object: KubernetesObject, by: (live: KubernetesObject) => void) {
  for (;;) {
    const live = await readLive(cluster, object);
    by(live);
    try {
      await cluster.client.replace(findResource(object), live);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 422 || error.status === 400) return false;
      if (error.status !== 409) throw error;
    }
  }
}

async function foreign(cluster: TestCluster, object: KubernetesObject): Promise<void> {
  await change(cluster, object, ({ metadata }) => {
    metadata.labels = { ...metadata.labels, 'example.com/theirs': 'yes' };
    metadata.annotations = { ...metadata.annotations, 'example.com/theirs': 'yes' };
  });
}

/** The outcome for fields that were altered. */
interface Outcomes {
  /** Milliseconds until they were repaired. */
  times: number[];
  /** Those that the API server lets nobody alter. */
  stubborn: string[];
  /** Those that the status asks to have put right. */
  reported: string[];
}

/** Alters all fields. */
async function alterAll(cluster: TestCluster, object: KubernetesObject, { times, stubborn, reported }: Outcomes) {
  /** As many at once as the API server lets pass: what it refuses is tried in halves, down to single ones. */
  const alter = async (paths: Step[][]): Promise<void> => {
    if (paths.length === 0) return;
    const halve = async (outcome: string[]): Promise<void> => {
      const middle = Math.ceil(paths.length / 2);
      if (paths.length > 1) for (const half of [paths.slice(0, middle), paths.slice(middle)]) await alter(half);
      else outcome.push(...paths.map((path) => `${object.kind}/${object.metadata.name} ${shownPath(path)}`));
    };
    const original = await readLive(cluster, object);
    const before = paths.map((path) => valueAt(original, path));
    for (let variant = 0; variant < (paths.length === 1 ? VARIANTS : 1); variant += 1) {
      const changed = await change(cluster, object, (live) => {
        for (const [index, path] of paths.entries()) setAt(live, path, otherValue(before[index], variant));
      });
      if (!changed) continue;
      const time = await repairTime(cluster, object, paths, before);
      if (time !== undefined) return void times.push(time);
      await putBack(cluster, object, original);
      return halve(reported);
    }
    await halve(stubborn);
  };
  const leftOut = ['', object.kind].map((kind) => LEFT_OUT[kind]);
  await alter(leaves(object).filter((path) => !leftOut.some((pattern) => pattern?.test(shownPath(path)))));
}

/** Milliseconds until all values are as they were; undefined where the status says that an administrator must correct that. */
async function repairTime(cluster: TestCluster, object: KubernetesObject, paths: Step[][], before: unknown[]) {
  const started = Date.now();
  let wrong: string[] = [];
  const outcome = await until(
    'repaired, or told',
    async () => {
      const live = await readLive(cluster, object);
      const same = (path: Step[], index: number) =>
        JSON.stringify(valueAt(live, path)) === JSON.stringify(before[index]);
      wrong = paths.filter((path, index) => !same(path, index)).map(shownPath);
      return wrong.length === 0
        ? { repaired: true }
        : (await isReported(cluster, object))
          ? { repaired: false }
          : undefined;
    },
    REPAIRED_MS,
  ).catch(() => {
    throw new Error(`not repaired: ${object.kind}/${object.metadata.name} ${wrong.join(', ')}`);
  });
  return outcome.repaired ? Date.now() - started : undefined;
}

async function isReported(cluster: TestCluster, { metadata: { name } }: KubernetesObject): Promise<boolean> {
  const { reason, message = '' } = (await cluster.condition('office', 'Ready')) ?? {};
  return reason === 'Refused' && message.includes(`/${name}: 422 `);
}

/** Restores the object, as the status says. */
async function putBack(cluster: TestCluster, object: KubernetesObject, original: KubernetesObject): Promise<void> {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = original as KubernetesObject & { status?: object };
  expect(await change(cluster, object, (live) => void Object.assign(live, structuredClone(content)))).to.equal(true);
  await until('that is good', async () => !(await isReported(cluster, object)) || undefined);
}

/** Other values of fields that are enumerations. */
const OTHERS: Record<string, string> = {
  ...{ TCP: 'UDP', ClusterIP: 'NodePort', RuntimeDefault: 'Unconfined', Recreate: 'RollingUpdate', Memory: '' },
  ...{ Prefix: 'Exact', Exact: 'Prefix', ImplementationSpecific: 'Prefix', In: 'NotIn', Exists: 'DoesNotExist' },
  ...{ AlwaysAllow: 'IfHealthyBudget', IfNotPresent: 'Always', OnRootMismatch: 'Always' },
};
const VARIANTS = 4;

/** Another value of the same type; the last variant is none at all. */
function otherValue(value: unknown, variant: number): unknown {
  if (variant === VARIANTS - 1) return undefined;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return variant === 0 ? value + 1 : value - 1;
  const text = String(value);
  if (variant > 0) return variant === 1 ? '7Mi' : '192.0.2.0/24';
  return OTHERS[text] ?? (/^\d+(m|[KMG]i)?$/.test(text) ? '7Mi' : `${text}x`);
}

/** A member's name, or what names an element of a list. */
type Step = string | number | { key: string; value: unknown };

/** Members that name an element of a list of objects, as far as the controller's objects have such lists. */
const NAMING = ['mountPath', 'name', 'topologyKey', 'uid'];

/** Paths of all values that are no objects or lists, empty ones aside. */
function leaves(value: unknown, path: readonly Step[] = []): Step[][] {
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

function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce((current, step) => child(current, step), value);
}

/** Sets the value at a path, or removes it when `to` is undefined. Changes `value`. */
function setAt(value: unknown, path: readonly Step[], to: unknown): void {
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

function shownPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'object' ? `[${step.value}]` : step)).join('.');
}

function child(value: unknown, step: Step): unknown {
  if (typeof step !== 'object') return (value as Record<string, unknown> | undefined)?.[step];
  return (value as Record<string, unknown>[] | undefined)?.find((element) => element[step.key] === step.value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
