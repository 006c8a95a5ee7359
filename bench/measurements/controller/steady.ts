import { setTimeout as pause } from 'node:timers/promises';
import type { Row } from '../../measurement.ts';
import { sum } from '../../statistics.ts';
import type { Cluster } from '../../subjects/cluster.ts';
import type { ControllerSubject } from '../../subjects/controller.ts';
import { ownedObjects } from '../../subjects/instances.ts';

/** The requests of a leader as long as it leads. */
const LEASE = /^\w+ leases$/;

interface Options {
  seconds: number;
  instances: number;
}

/** The writes of the controller while nothing changes. */
export async function measureSteady(
  cluster: Cluster,
  controller: ControllerSubject,
  { seconds, instances }: Options,
): Promise<{ row: Row; notes: string }> {
  const [before, versions, cpu] = [await cluster.writes(), await readVersions(cluster), controller.cpu()];
  await pause(seconds * 1000);
  const after = await cluster.writes();
  const used = (controller.cpu() - cpu) / seconds;
  const changed = [...(await readVersions(cluster))].filter(([name, version]) => versions.get(name) !== version);
  const counts = [...after].map(([name, count]): [string, number] => [name, count - (before.get(name) ?? 0)]);
  const writes = counts.filter(([name, count]) => count > 0 && !LEASE.test(name));
  const renewals = sum(counts.filter(([name]) => LEASE.test(name)).map(([, count]) => count));
  const total = sum(writes.map(([, count]) => count));
  return {
    row: {
      what: `writes in ${seconds} s in which nothing changes, ${instances} instances`,
      measured: total === 0 ? '0' : `${total} (${writes.map(([name, count]) => `${count} ${name}`).join(', ')})`,
      demanded: '0',
      holds: total === 0 && changed.length === 0,
    },
    notes: `Writes are what the API server's audit log has of the controller's account. Beside them it renewed its Lease ${renewals} times, as a leader must. Of the ${versions.size}
objects ${changed.length === 0 ? 'none has another' : `${changed.length} have another`} version afterwards. The controller used ${(100 * used).toFixed(1)} % of a core.`,
  };
}

async function readVersions(cluster: Cluster): Promise<Map<string, string | undefined>> {
  const objects = await ownedObjects(cluster);
  return new Map(objects.map(({ kind, metadata: { name, resourceVersion } }) => [`${kind}/${name}`, resourceVersion]));
}
