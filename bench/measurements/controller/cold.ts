import { setTimeout as pause } from 'node:timers/promises';
import { RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import type { SvcInstance } from '../../../cmd/controller/reconcile/instances.ts';
import { mebibytes, milliseconds, table, times } from '../../format.ts';
import type { Row } from '../../measurement.ts';
import { bareWriter } from '../../subjects/bare-writer.ts';
import { type Cluster, startCluster } from '../../subjects/cluster.ts';
import { startController } from '../../subjects/controller.ts';
import { completeAll, forAll, idle, ownedObjects, watchInstances } from '../../subjects/instances.ts';

const DEMANDED_SECONDS = 60;
const DEMANDED_IDLE_MIB = 160;
const DEMANDED_KB = 60;

interface Options {
  directory: string;
  main: string;
  instances: number;
  /** Before memory is looked at. */
  calmSeconds: number;
}

interface Cold {
  rows: Row[];
  notes: string;
}

/** Many instances that are there before the controller is: how long until all is written, and what memory they take. */
export async function measureCold(options: Options): Promise<Cold> {
  const { directory, main, instances: count, calmSeconds } = options;
  const names = Array.from({ length: count }, (_, index) => `cold-${index}`);
  const ours = await startCluster(directory, main);
  const empty = await restingMemory(ours, calmSeconds);
  const watched = watchInstances(ours);
  await forAll(names, (name) => watched.create(name));

  const started = performance.now();
  const controller = await startController(ours);
  await Promise.all(names.map((name) => watched.settled(name)));
  const seconds = (performance.now() - started) / 1000;
  const objects = await ownedObjects(ours);
  const sample = await ours.client.get<SvcInstance>(RESOURCES.svcInstance, ours.namespace, names[0] ?? '');

  await completeAll(ours, watched, names);
  await idle(controller.figures);
  await pause(calmSeconds * 1000);
  const full = controller.rss();
  await controller.end('SIGTERM');
  const restarted = await restingMemory(ours, calmSeconds);
  watched.stop();
  await ours.stop();

  const bareSeconds = await writeBare({ directory, main, names, status: sample?.status ?? {} });
  const each = objects.length / count;
  const kb = (full - empty) / 1000 / count;
  return {
    rows: [
      {
        what: `${count} instances found at a cold start, until all objects are written`,
        measured: `${seconds.toFixed(1)} s, ${times(seconds / bareSeconds)} of a bare client's ${bareSeconds.toFixed(1)} s`,
        demanded: `at most ${DEMANDED_SECONDS} s`,
        holds: seconds <= DEMANDED_SECONDS && Number.isInteger(each),
      },
      {
        what: 'controller memory, without an instance',
        measured: mebibytes(empty),
        demanded: `at most ${DEMANDED_IDLE_MIB} MiB`,
        holds: empty <= DEMANDED_IDLE_MIB * 2 ** 20,
      },
      {
        what: `controller memory for each of ${count} instances`,
        measured: `${kb.toFixed(0)} kB`,
        demanded: `at most ${DEMANDED_KB} kB`,
        holds: kb <= DEMANDED_KB,
      },
    ],
    notes: `Instances are created while there is no controller; time counts from the start of its process to the last status, which follows the last object. An instance has ${each}
objects. The bare client sends the same bodies with the same parallelism to another API server that is as empty, and reads nothing before.

Memory is what is resident (VmRSS), ${calmSeconds} s after the last thing that happened, all Deployments complete; an instance's share is the difference to the same without one.

${table(
  ['controller', 'resident'],
  [
    ['without an instance', mebibytes(empty)],
    [`after making ${count}`, mebibytes(full)],
    [`started anew beside ${count}`, mebibytes(restarted)],
    ['time of each instance', milliseconds((seconds * 1000) / count)],
  ],
)}`,
  };
}

/** Measures a controller that is started, finds what there is, and has nothing to do. */
async function restingMemory(cluster: Cluster, calmSeconds: number): Promise<number> {
  const controller = await startController(cluster);
  await controller.ready();
  await idle(controller.figures);
  await pause(calmSeconds * 1000);
  const bytes = controller.rss();
  await controller.end('SIGTERM');
  return bytes;
}

interface BareOptions extends Pick<Options, 'directory' | 'main'> {
  names: readonly string[];
  status: NonNullable<SvcInstance['status']>;
}

async function writeBare({ directory, main, names, status }: BareOptions): Promise<number> {
  const cluster = await startCluster(directory, main);
  const watched = watchInstances(cluster);
  await forAll(names, (name) => watched.create(name));
  watched.stop();
  const { items } = await cluster.client.list<SvcInstance>(RESOURCES.svcInstance, { namespace: cluster.namespace });
  const seconds = await bareWriter(cluster, items).write(status);
  await cluster.stop();
  return seconds;
}
