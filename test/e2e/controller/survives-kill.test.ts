import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { expect } from 'chai';
import { Agent, type Dispatcher, request } from 'undici';
import type { KubernetesObject } from '../../../cmd/controller/k8s/api.ts';
import type { ApiServer } from '../../support/api-server.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { listeningPort } from '../../support/listen.ts';
import { until } from '../../support/until.ts';

/** Controllers that are at work at the same time. */
const PARALLEL = 4;
/** Cuts every fourth write; with SVC_TEST_EXHAUSTIVE=1 each. */
const STEP = process.env['SVC_TEST_EXHAUSTIVE'] === '1' ? 1 : 4;
const MOST_MS = 60_000;

/** Something that is under way when the controller ends. */
interface Act {
  name: string;
  /** Before it, with a controller at work. */
  prepare(cluster: TestCluster): Promise<void>;
  /** Starts it, with no controller. */
  begin(cluster: TestCluster): Promise<void>;
}

const ACTS: Act[] = [
  {
    name: 'create',
    prepare: async () => undefined,
    begin: async (cluster) => void (await cluster.apply('office')),
  },
  {
    name: 'update',
    prepare: async (cluster) => void (await cluster.apply('office')),
    begin: async (cluster) => {
      const spec = { host: 'other.example', front: { replicas: 3 }, ingress: { gating: 'Front' } };
      const embed = { allowedOrigins: ['https://a.example'] };
      await cluster.apply('office', { ...spec, docbuilder: { workers: 2 }, embed });
    },
  },
  {
    name: 'rotation',
    prepare: async (cluster) => {
      await cluster.putSecret('svc-license', { token: await cluster.license(100) });
      await cluster.apply('office', { license: { secretName: 'svc-license' } });
    },
    begin: async (cluster) => cluster.putSecret('svc-license', { token: await cluster.license(500) }),
  },
];

/** It keeps nothing on a disk: a kill is that nothing of it reaches the API server any more, nor the other way round. */
describe('a controller that is cut off for ever after any write', function () {
  this.timeout(240_000);

  for (const act of ACTS) {
    it(`of a ${act.name} leaves nothing that the next one does not bring to the same end`, async function () {
      const whole = await scene(this, act);
      const writes = await run(whole);
      const expected = await state(whole);
      expect(writes).to.be.greaterThan(1);

      const points = Array.from({ length: writes - 1 }, (_, index) => index + 1).filter((point) => point % STEP === 0);
      const cut: { point: number; cluster: TestCluster; secrets: Record<string, string> }[] = [];
      const worker = async () => {
        for (let point = points.pop(); point !== undefined; point = points.pop()) {
          const cluster = await scene(this, act);
          expect(await run(cluster, point), `cut after write ${point}`).to.be.at.least(point);
          cut.push({ point, cluster, secrets: await cluster.secretValues('office-secrets') });
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, worker));
      await withController(whole, cut.length);
      for (const { point, cluster, secrets } of cut) {
        await cluster.settled('office');
        expect(await state(cluster), `after write ${point}`).to.deep.equal(expected);
        expect(await cluster.secretValues('office-secrets'), `secrets after write ${point}`).to.include(secrets);
        await cluster.close();
      }
      await whole.close();
    });
  }
});

async function scene(context: Mocha.Context, act: Act): Promise<TestCluster> {
  const cluster = await startTestCluster(context);
  await act.prepare(cluster);
  if (act.name !== 'create') await withController(cluster, 1);
  await act.begin(cluster);
  return cluster;
}

/** A controller that works until it is cut off or has nothing more to do. @returns how often it has written */
async function run(cluster: TestCluster, cutAfter = Number.POSITIVE_INFINITY): Promise<number> {
  const proxy = await startCuttingProxy(cluster.server, cutAfter);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: 'proxy', server: proxy.url, skipTLSVerify: true }, { name: 'nobody' });
  await cluster.startController({ kubeConfig, lookAgainMs: 60_000 });
  const over = async () => proxy.writes() >= cutAfter || (await isIdle(cluster, 1));
  await until('it is cut off, or has nothing more to do', over, MOST_MS);
  await cluster.stopController();
  await proxy.close();
  return proxy.writes();
}

async function isIdle(cluster: TestCluster, instances: number): Promise<boolean> {
  const { queue } = await cluster.figures();
  return queue.done >= instances && queue.waiting + queue.running === 0;
}

/** Lets a controller finish the work that there is, with that many instances in whatever namespace. */
async function withController(cluster: TestCluster, instances: number): Promise<void> {
  const environment = instances > 1 ? { SVC_CONTROLLER_NAMESPACES: '' } : {};
  await cluster.startController({ lookAgainMs: 60_000 }, environment);
  await until('it has nothing more to do', () => isIdle(cluster, instances), MOST_MS);
  await cluster.stopController();
}

/** Stands before an API server, lets everybody in, and nothing through from its n-th write on, whose answer is lost. */
async function startCuttingProxy({ url, ca, token }: ApiServer, limit: number) {
  const agent = new Agent({ connect: { ca }, bodyTimeout: 0 });
  let writes = 0;

  async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (writes >= limit) return void response.destroy();
    const stopping = new AbortController();
    response.once('close', () => stopping.abort());
    const answer = await request(url + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        authorization: `Bearer ${token}`,
        accept: headers.accept ?? '*/*',
        ...(headers['content-type'] && { 'content-type': headers['content-type'] }),
      },
      ...(method !== 'GET' && { body: incoming }),
      dispatcher: agent,
      signal: stopping.signal,
    });
    // Leases and events are no writes.
    if (method !== 'GET' && !/\/(leases|events)\b/.test(path)) writes += 1;
    if (writes >= limit) return void server.closeAllConnections();
    response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) });
    answer.body.on('error', () => response.destroy()).pipe(response);
  }

  const server = createServer((incoming, response) => {
    forward(incoming, response).catch(() => response.destroy());
  });
  const port = await listeningPort(server.listen(0, '127.0.0.1'));
  return {
    url: `http://127.0.0.1:${port}`,
    writes: () => writes,
    async close() {
      server.closeAllConnections();
      server.close();
      await agent.destroy();
    },
  };
}

/** All objects, without parts that are others in each namespace. */
async function state(cluster: TestCluster): Promise<string[]> {
  const objects = await cluster.objects();
  const { uid = '' } = (await cluster.get('office')).metadata;
  return [...objects]
    .map(([name, object]) => {
      const { labels, ownerReferences } = object.metadata;
      const { spec } = object as KubernetesObject & { spec?: Record<string, unknown> };
      const text = JSON.stringify({ labels, ownerReferences, spec })
        .replaceAll(uid, 'UID')
        .replaceAll(cluster.namespace, 'NAMESPACE')
        // Addresses that the API server gives out, and the digest of secrets that are random.
        .replaceAll(/"(clusterIPs?|nodePort|volumeName)":("[^"]*"|\[[^\]]*\]|\d+)/g, '')
        .replaceAll(/"svc.internal\/config-hash":"[^"]*"/g, '');
      return `${name} ${text}`;
    })
    .sort();
}
