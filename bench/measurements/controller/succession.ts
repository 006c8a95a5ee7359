import { RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { until } from '../../../test/support/until.ts';
import type { Row } from '../../measurement.ts';
import type { Cluster } from '../../subjects/cluster.ts';
import { type ControllerSubject, startController } from '../../subjects/controller.ts';
import type { Instances } from '../../subjects/instances.ts';

const KILLED_SECONDS = 17;
const ASKED_SECONDS = 2;
const GIVEN_UP_MS = 60_000;

/**
 * Measures the time in which nobody works after the leader was killed, and after it was asked to end, with a second
 * controller beside it. Time counts until the successor writes the first object of an instance that was created in that
 * moment.
 */
export async function measureSuccessions(cluster: Cluster, instances: Instances, count: number): Promise<Row[]> {
  let leader = await startController(cluster);
  await instances.create('succession');
  await instances.settled('succession');
  const times = { SIGKILL: [] as number[], SIGTERM: [] as number[] };
  for (let round = 0; round < count; round++) {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const successor: ControllerSubject = await startController(cluster);
      await successor.ready();
      const name = `succession-${signal.toLowerCase()}-${round}`;
      const started = performance.now();
      const ended = leader.end(signal);
      await instances.create(name);
      await firstObject(cluster, name);
      times[signal].push((performance.now() - started) / 1000);
      await ended;
      leader = successor;
    }
  }
  await leader.end('SIGTERM');
  return [
    row('a leader is killed: another works, slowest', times.SIGKILL, KILLED_SECONDS),
    row('a leader is asked to end: another works, slowest', times.SIGTERM, ASKED_SECONDS),
  ];
}

async function firstObject({ client, namespace }: Cluster, instance: string): Promise<void> {
  const labelSelector = `app.kubernetes.io/instance=${instance}`;
  const look = async (): Promise<true | undefined> => {
    const { items } = await client.list(RESOURCES.serviceAccount, { namespace, labelSelector, limit: 1 });
    return items.length > 0 || undefined;
  };
  await until('another works', look, GIVEN_UP_MS);
}

function row(what: string, seconds: readonly number[], demanded: number): Row {
  const slowest = Math.max(...seconds);
  return {
    what: `${what} of ${seconds.length}`,
    measured: `${slowest.toFixed(1)} s`,
    demanded: `at most ${demanded} s`,
    holds: slowest <= demanded,
  };
}
