import { setTimeout as pause } from 'node:timers/promises';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { until } from '../../../test/support/until.ts';
import type { Row } from '../../measurement.ts';
import { onRelease } from '../../releases.ts';
import type { Cluster } from '../../subjects/cluster.ts';
import { type ControllerPod, startPod } from '../../subjects/controller.ts';
import { idle } from '../../subjects/instances.ts';

const DEMANDED_SECONDS = 10;
const GIVEN_UP_MS = 60_000;

interface Options {
  seconds: number;
  /** The measured instances, three a round. */
  names: readonly string[];
}

/** Changes that were made by others while or right after the controller could not see them, and when they were dealt with. */
export async function measureOutages(
  cluster: Cluster,
  { seconds, names }: Options,
): Promise<{ rows: Row[]; notes: string }> {
  const proxy = await startTcpProxy(Number(new URL(cluster.server.url).port));
  const closed = onRelease(() => proxy.close());
  // The chart starts two. A kubelet restarts one that ends because it has lost its Lease.
  const pods = [await startPod(cluster, String(proxy.port)), await startPod(cluster, String(proxy.port))];
  await settled(pods);
  const rounds = { names: names.values() };
  const rows: Row[] = [];
  const measure = async (what: string, away: () => Promise<void>, back: () => Promise<void>, meanwhile: boolean) => {
    await away();
    const some = rounds.names.take(3).toArray();
    const half = pause((seconds * 1000) / 2);
    await half;
    const changes = meanwhile ? await changeAll(cluster, some) : [];
    await pause((seconds * 1000) / 2);
    await back();
    const started = performance.now();
    if (!meanwhile) changes.push(...(await changeAll(cluster, some)));
    rows.push(await caughtUp(what, changes, started));
    await settled(pods);
  };

  const { server } = cluster;
  const away = `for ${seconds} s`;
  await measure(
    `network to the API server black-holed ${away}, changes meanwhile`,
    async () => proxy.blackHole(),
    async () => proxy.recover(),
    true,
  );
  await measure(
    `API server killed, started after ${seconds} s, changes right after`,
    () => server.kill(),
    () => server.start(),
    false,
  );
  await measure(
    `API server stopped (SIGSTOP) ${away}, changes right after`,
    async () => server.signal('SIGSTOP'),
    async () => server.signal('SIGCONT'),
    false,
  );
  const restarts = pods.map((pod) => pod.restarts());
  await Promise.all(pods.map((pod) => pod.end()));
  await closed();
  return {
    rows,
    notes: `Two controllers run, as the chart has it. The one that leads ends when it cannot renew its Lease for 10 s. It is started anew at once, as a kubelet does: ${restarts.join(' and ')} times in
the three outages. The changes are a new spec, a Deployment that was altered, and a Service that was deleted, of three instances each. Time counts from the moment at which the
API server can be reached again. If the controller that leads then has just started, it has seen no change, so it applies all instances, those with a new spec first.`,
  };
}

/** A change by another client. */
interface Change {
  name: string;
  dealtWith(): Promise<boolean>;
}

async function changeAll(cluster: Cluster, names: readonly string[]): Promise<Change[]> {
  const changes = await Promise.all(
    names.map(async (name) => [
      await newSpec(cluster, name),
      await altered(cluster, name),
      await deleted(cluster, name),
    ]),
  );
  return changes.flat();
}

interface Deployment extends KubernetesObject {
  spec: { replicas: number };
}

async function newSpec({ client, namespace }: Cluster, name: string): Promise<Change> {
  const { apiVersion, kind } = RESOURCES.svcInstance;
  const spec = { host: `${name}.example`, front: { replicas: 3 } };
  const instance = { apiVersion, kind, metadata: { name, namespace }, spec } as KubernetesObject;
  await client.apply(RESOURCES.svcInstance, instance, { manager: 'somebody' });
  return {
    name: `the spec of ${name}`,
    dealtWith: async () =>
      (await client.get<Deployment>(RESOURCES.deployment, namespace, `${name}-front`))?.spec.replicas === 3,
  };
}

async function altered({ client, namespace }: Cluster, instance: string): Promise<Change> {
  const name = `${instance}-gate`;
  const { apiVersion, kind } = RESOURCES.deployment;
  const deployment = { apiVersion, kind, metadata: { name, namespace }, spec: { replicas: 0 } } as Deployment;
  await client.apply(RESOURCES.deployment, deployment, { manager: 'somebody' });
  return {
    name: `Deployment ${name}`,
    dealtWith: async () => (await client.get<Deployment>(RESOURCES.deployment, namespace, name))?.spec.replicas === 1,
  };
}

async function deleted({ client, namespace }: Cluster, instance: string): Promise<Change> {
  const name = `${instance}-docbuilder`;
  const { metadata } = (await client.get(RESOURCES.service, namespace, name)) ?? {};
  await client.remove(RESOURCES.service, namespace, name, metadata?.uid ?? '');
  return {
    name: `Service ${name}`,
    dealtWith: async () => (await client.get(RESOURCES.service, namespace, name)) !== undefined,
  };
}

async function caughtUp(what: string, changes: readonly Change[], started: number): Promise<Row> {
  const open = new Set(changes);
  const look = async (): Promise<true | undefined> => {
    for (const change of open) if (await change.dealtWith()) open.delete(change);
    return open.size === 0 || undefined;
  };
  await until(what, look, GIVEN_UP_MS).catch(() => undefined);
  const seconds = (performance.now() - started) / 1000;
  const missed = [...open].map(({ name }) => name).join(', ');
  return {
    what,
    measured: open.size === 0 ? `0 of ${changes.length} missed, ${seconds.toFixed(1)} s` : `missed: ${missed}`,
    demanded: `0 missed, caught up within ${DEMANDED_SECONDS} s`,
    holds: open.size === 0 && seconds <= DEMANDED_SECONDS,
  };
}

/** Resolves when one of the controllers leads and has nothing to do, and the other is ready. */
async function settled(pods: readonly ControllerPod[]): Promise<void> {
  await until(
    'one leads',
    async () => {
      for (const pod of pods) await pod.current().ready();
      const figures = await Promise.all(pods.map((pod) => pod.current().figures()));
      return figures.some(({ leading }) => leading) || undefined;
    },
    GIVEN_UP_MS,
  );
  for (const pod of pods) {
    const { leading } = await pod.current().figures();
    if (leading) await idle(pod.current().figures);
  }
}
