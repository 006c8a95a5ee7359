import { CACHE, type Cluster, clusterMissing, sharedCluster } from './cluster.ts';
import { buildImages, type Images } from './images/build.ts';

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
  // Told to whoever asks for it.
  sharedGround().catch(() => {});
}

async function prepare(): Promise<Ground> {
  const images = await buildImages(CACHE);
  const cluster = await sharedCluster();
  for (const image of Object.values(images)) await cluster.load(image);
  return { cluster, images };
}
