import type { Bench, Outcome } from '../measurement.ts';
import { startCluster } from '../subjects/cluster.ts';
import { startController } from '../subjects/controller.ts';
import { buildController } from '../subjects/controller-build.ts';
import { completeAll, forAll, idle, watchInstances } from '../subjects/instances.ts';
import { measureCold } from './controller/cold.ts';
import { measureOutages } from './controller/outages.ts';
import { measureRepairs } from './controller/repairs.ts';
import { measureSteady } from './controller/steady.ts';
import { measureSuccessions } from './controller/succession.ts';
import { measureApplies } from './controller/writing.ts';

/**
 * The controller against a real API server: how soon it writes, repairs, catches up and hands over, and what it costs
 * at rest.
 */
export async function measureController({ directory, options }: Bench): Promise<Outcome> {
  const main = await buildController(directory);
  const cluster = await startCluster(directory, main);
  const instances = watchInstances(cluster);

  const controller = await startController(cluster);
  await controller.ready();
  const applied = Array.from({ length: options.applies }, (_, index) => `applied-${index}`);
  const applies = await measureApplies(instances, applied);

  const others = Array.from({ length: Math.max(0, options.steadyInstances - options.applies) }, (_, n) => `other-${n}`);
  await forAll(others, (name) => instances.create(name));
  await Promise.all(others.map((name) => instances.settled(name)));
  const names = [...applied, ...others];
  await completeAll(cluster, instances, names);
  await idle(controller.figures);
  const steady = await measureSteady(cluster, controller, {
    seconds: options.steadySeconds,
    instances: names.length,
  });
  const repairs = await measureRepairs(cluster, applied.slice(0, 10), options.alteredEvery);
  await controller.end('SIGTERM');

  const successions = await measureSuccessions(cluster, instances, options.successions);
  const outages = await measureOutages(cluster, { seconds: options.outageSeconds, names: applied.slice(1) });
  instances.stop();
  await cluster.stop();
  const cold = await measureCold({
    ...{ directory, main, instances: options.coldInstances },
    calmSeconds: options.calmSeconds,
  });

  return {
    rows: [
      applies,
      ...cold.rows.slice(0, 1),
      steady.row,
      repairs.row,
      ...outages.rows,
      ...successions,
      ...cold.rows.slice(1),
    ],
    notes: `A kube-apiserver and an etcd of their own, on the same cores as everything else; nobody plays kubelet but where it says so. The controller is a process of its own, built
and started as in its image, in a pod as far as it can tell, with ${cluster.rights === 'chart' ? 'the rights that the chart grants it' : 'the rights of a cluster admin (no helm here to say what the chart grants)'}. Written means that the API server has it.

${[cold.notes, steady.notes, repairs.notes, outages.notes].join('\n\n')}`,
  };
}
