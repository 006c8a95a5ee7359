import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { load } from 'js-yaml';
import type { Context } from 'mocha';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { clusterEnding } from '../../../support/at-end.ts';
import { helmMissing } from '../../../support/helm.ts';
import { secret } from '../../../support/logs.ts';
import { skip } from '../../../support/skip.ts';
import { isShared } from '../../../support/test-store.ts';
import { until } from '../../../support/until.ts';
import { type Cluster, clusterMissing } from '../cluster.ts';
import { sharedGround } from '../ground.ts';
import { startEdge } from './edge.ts';
import { instanceHandle } from './instance.ts';
import { type Outside, startOutside } from './outside.ts';
import { createRelease, SYSTEM } from './release.ts';
import { clusterStore } from './store.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../../docs/examples/community.yaml');
const NAMESPACE = 'office';
export const NODE_PORT = 30080;
const FRONT_WORKERS = 4;
/** The first time all images are built. */
const COLD_MS = 25 * 60_000;

/** One release, and one instance `office`, that all tests of a run share. */
export type Office = Awaited<ReturnType<typeof open>>;

interface Claims {
  conns?: number;
  features?: string[];
}

let shared: Promise<Office> | undefined;

/** For `before`: the office, Ready. Skips the suite, and says why, where there can be no cluster. */
export async function officeFor(context: Context): Promise<Office> {
  context.timeout(COLD_MS);
  const missing = clusterMissing() ?? helmMissing();
  if (missing !== undefined) skip(context, missing);
  shared ??= open();
  const office = await shared;
  await office.ready();
  return office;
}

async function open() {
  const { cluster, images } = await sharedGround();
  await clear(cluster);
  const outside = await startOutside({ address: cluster.nodeAddress, port: NODE_PORT }, cluster.hostAddress);
  const endEdge = await startEdge(cluster);
  clusterEnding.at(async () => {
    endEdge();
    await outside.stop();
    await clear(cluster, '--wait=false');
  });
  const key = generateEd25519('test');
  const release = createRelease(cluster, images, { keys: [toPublic(key)] });
  // docs/kubernetes.md says that these may be enforced.
  await makeNamespace(cluster, SYSTEM, 'restricted');
  await makeNamespace(cluster, NAMESPACE, 'baseline');
  /** Output of `helm install`. */
  const notes = await release.install();
  const handle = instanceHandle(cluster, NAMESPACE, 'office');
  const started = Date.now();
  const storage = isShared ? (await clusterStore(cluster, NAMESPACE)).storage : undefined;
  const instance = JSON.stringify(await example(outside, cluster, storage));
  await cluster.kubectl(['apply', '--namespace', NAMESPACE, '--filename', '-'], instance);
  const ready = async () => {
    await handle.ready();
    await answers(outside.url);
  };
  await ready();
  /** From `kubectl apply` until `kubectl wait` returned. */
  const readyMs = Date.now() - started;
  /** A licence that the release's keys verify. */
  const licence = async ({ conns = 100, features = ['api_full', 'callback'] }: Claims = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    return secret(await signEdDsa({ conns, features, sub: 'Office', iat: now - 60, exp: now + 400 * 86_400 }, key));
  };
  /** Makes the instance Enterprise, by the Secret `svc-license`. */
  const giveLicence = async (claims?: Claims): Promise<void> => {
    await handle.kubectl('delete', 'secret', 'svc-license', '--ignore-not-found');
    const token = `--from-literal=token=${await licence(claims)}`;
    await handle.kubectl('create', 'secret', 'generic', 'svc-license', token);
    await handle.patch({ license: { secretName: 'svc-license' } });
  };
  return { ...handle, ready, cluster, images, release, outside, notes, readyMs, licence, giveLicence };
}

/**
 * Resolves when all that is behind the fronts answers: a moment after Ready, when each node knows of the new pods. The
 * last path is one that the gate's internal port refuses; while the front cannot ask there, the editor answers.
 */
export async function answers(url: string): Promise<void> {
  const paths = ['/svc/status', '/v1/status', '/hosting/capabilities', '/browser/0/cool.html'];
  for (let rounds = 0; rounds < FRONT_WORKERS; rounds += 1) {
    await until('the service answers', async () => {
      const found = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status));
      return found.join() === '200,200,200,400';
    });
  }
}

/** The smallest example, with what the ground of the tests needs: a way in, and servers at private addresses. */
async function example({ edgePort, portal }: Outside, { hostAddress }: Cluster, storage?: object): Promise<object> {
  const instance = load(await readFile(EXAMPLE, 'utf8')) as { spec: object };
  const spec = {
    host: 'localhost',
    port: edgePort,
    tls: { mode: 'Disabled' },
    front: { service: { type: 'NodePort', nodePort: NODE_PORT } },
    embed: { allowedOrigins: [portal] },
    // The stand-in is small, and the node has two cores.
    editor: { pod: { resources: { requests: { cpu: '100m', memory: '128Mi' } } } },
    outbound: { allowHosts: [hostAddress] },
    storage,
  };
  return { ...instance, spec: { ...instance.spec, ...spec } };
}

/** @param level Pod Security that is enforced in it */
export async function makeNamespace({ kubectl }: Cluster, name: string, level: string): Promise<void> {
  await kubectl(['create', 'namespace', name]);
  await kubectl(['label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`]);
}

/** Removes what this run, or one before it that was killed, has put into a cluster that stays. */
async function clear(cluster: Cluster, ...flags: string[]): Promise<void> {
  const remove = (...what: string[]) => cluster.kubectl(['delete', '--ignore-not-found', ...flags, ...what]);
  // First: a namespace of theirs may never end once their definition has been away.
  await remove('svcinstances', '--all', '--all-namespaces').catch(() => undefined);
  await remove('namespace', NAMESPACE, SYSTEM);
  await remove('crd', 'svcinstances.svc.internal');
  await remove('clusterrole,clusterrolebinding', '--selector', 'app.kubernetes.io/instance=svc');
}
