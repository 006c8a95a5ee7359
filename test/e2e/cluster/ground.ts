import { CACHE, type Cluster, clusterMissing, sharedCluster } from './cluster.ts';
import { buildImages, type Images } from './images/build.ts';
import { serviceLogs } from './support/instance.ts';

/** How much of the logs is printed after a failure. */
const LOG_SECONDS = 180;
/** Lines of a log that kubelet and front cause every few seconds. */
const PROBES = /^.*"path":"(?:\/ready|\/v1\/status|\/svc\/healthz)","status":200.*\n/gm;

/** A cluster whose node has all images. */
export interface Ground {
  cluster: Cluster;
  images: Images;
}

let shared: Promise<Ground> | undefined;

/** The ground of all tests of a run that are on a cluster. Minutes the first time. */
export function sharedGround(): Promise<Ground> {
  shared ??= prepare();
  return shared;
}

/** Begins with it before anybody asks, so that a run with other tests before those on a cluster does not wait for it. */
export function prepareGround(): void {
  if (clusterMissing() !== undefined) return;
  // Each caller gets it.
  sharedGround().catch(() => {});
}

async function prepare(): Promise<Ground> {
  const images = await buildImages(CACHE);
  const cluster = await sharedCluster();
  await cluster.load(...Object.values(images));
  return { cluster, images };
}

/** The first things to look at when a test on the cluster has failed. */
export async function describeGround(): Promise<string> {
  const ground = await shared?.catch(() => undefined);
  if (ground === undefined) return 'there is no cluster to look at';
  const { kubectl } = ground.cluster;
  const look = (...parameters: string[]) => kubectl(parameters).catch(String);
  const found = [
    await look('get', 'svcinstances,pods,endpointslices', '--all-namespaces', '--output=wide'),
    await look('get', 'events', '--all-namespaces', '--sort-by=.lastTimestamp'),
  ];
  const namespaces = await look('get', 'pods', '--all-namespaces', '--output=jsonpath={.items[*].metadata.namespace}');
  for (const namespace of new Set(namespaces.split(' '))) {
    const log = await look('--namespace', namespace, ...serviceLogs(LOG_SECONDS));
    found.push(log.replace(PROBES, ''));
  }
  return found.join('\n');
}
