import type { Bench, Outcome } from '../measurement.ts';
import { startCluster } from '../subjects/cluster.ts';
import { startController } from '../subjects/controller.ts';
import { buildController } from '../subjects/controller-build.ts';
import { completeAll, idle, watchInstances } from '../subjects/instances.ts';
import { measureCold } from './controller/cold.ts';
import { measureOutages } from './controller/outages.ts';
import { measureApplies } from './controller/writing.ts';

/** The controller against a real API server: how soon it writes and catches up, and the memory that it takes. */
export async function measureController({ directory, options }: Bench): Promise<Outcome> {
  const main = await buildController(directory);
  const cluster = await startCluster(directory, main);
  const instances = watchInstances(cluster);

  const controller = await startController(cluster);
  await controller.ready();
  const names = Array.from({ length: options.applies }, (_, index) => `applied-${index}`);
  const applies = await measureApplies(instances, names);
  await completeAll(cluster, instances, names);
  await idle(controller.figures);
  await controller.end('SIGTERM');

  const outages = await measureOutages(cluster, { seconds: options.outageSeconds, names });
  instances.stop();
  await cluster.stop();
  const { coldInstances, calmSeconds } = options;
  const cold = await measureCold({ directory, main, instances: coldInstances, calmSeconds });

  return {
    rows: [applies, ...cold.rows, ...outages.rows],
    notes: `A kube-apiserver and an etcd of their own, on the same cores as everything else; there is no kubelet. The controller is a process of its own, built
and started as in its image, with the rights that the chart grants it. Written means that the API server has it.

${[cold.notes, outages.notes].join('\n\n')}`,
  };
}
