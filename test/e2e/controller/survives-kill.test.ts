import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../cmd/controller/k8s/types.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { type KillingProxy, startKillingProxy } from '../../support/killing-proxy.ts';
import { spawnMain } from '../../support/process.ts';
import { until } from '../../support/until.ts';

const MAIN = resolve(import.meta.dirname, '../../support/controller-main.ts');
/** Controllers that are started and killed at the same time. */
const PARALLEL = 4;
/** Of the writes every third; with SVC_TEST_EXHAUSTIVE=1 each. A process for each takes its time. */
const STEP = process.env['SVC_TEST_EXHAUSTIVE'] === '1' ? 1 : 3;
const MOST_MS = 60_000;
const KILLED = 'SIGKILL';

/** What is under way when the controller is killed. */
interface Act {
  name: string;
  /** Before it, with a controller at work. */
  prepare(cluster: TestCluster): Promise<void>;
  /** What starts it, with none. */
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
      await cluster.apply('office', {
        ...spec,
        docbuilder: { workers: 2 },
        embed: { allowedOrigins: ['https://a.example'] },
      });
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

describe('a controller that is killed after any write', function () {
  this.timeout(240_000);
  /** Compiled code of the many processes. */
  let cache: string;

  before(async function () {
    await (await startTestCluster(this)).close();
    cache = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  });
  after(async () => {
    if (cache) await rm(cache, { recursive: true, force: true });
  });

  for (const act of ACTS) {
    it(`of a ${act.name} leaves nothing that the next one does not bring to the same end`, async function () {
      const whole = await scene(this, act);
      const { writes } = await run(whole);
      const expected = await state(whole);
      expect(writes).to.be.greaterThan(1);

      const points = Array.from({ length: writes - 1 }, (_, index) => index + 1).filter((point) => point % STEP === 0);
      const killed: { point: number; cluster: TestCluster; secrets: Record<string, string> }[] = [];
      const worker = async () => {
        for (let point = points.pop(); point !== undefined; point = points.pop()) {
          const cluster = await scene(this, act);
          const { ended } = await run(cluster, point);
          expect(ended, `after write ${point}`).to.equal(KILLED);
          killed.push({ point, cluster, secrets: await made(cluster) });
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, worker));
      await withController(whole, killed.length);
      for (const { point, cluster, secrets } of killed) {
        await cluster.settled('office');
        expect(await state(cluster), `after write ${point}`).to.deep.equal(expected);
        expect(await made(cluster), `secrets after write ${point}`).to.include(secrets);
        await cluster.close();
      }
      await whole.close();
    });
  }

  async function scene(context: Mocha.Context, act: Act): Promise<TestCluster> {
    const cluster = await startTestCluster(context);
    await act.prepare(cluster);
    if (act.name !== 'create') await withController(cluster, 1);
    await act.begin(cluster);
    return cluster;
  }

  /** A controller as a process, until it is killed or has nothing more to do. */
  async function run(cluster: TestCluster, killAfter = Number.POSITIVE_INFINITY) {
    const proxy = await startKillingProxy(cluster.server);
    const { child, ended, log } = spawnMain(MAIN, {
      ...cluster.environment,
      TEST_API_SERVER: proxy.url,
      NODE_COMPILE_CACHE: cache,
    });
    proxy.killAfter(killAfter, () => child.kill(KILLED));
    const done = until(
      'it has nothing more to do',
      async () => {
        const instance = await cluster.get('office');
        return instance.status?.observedGeneration === instance.metadata.generation && (await quiet(proxy, log));
      },
      MOST_MS,
    ).then(() => 'done' as const);
    done.catch(() => undefined);
    const result = await Promise.race([ended, killAfter === Number.POSITIVE_INFINITY ? done : ended]);
    // In good order it leaves its compiled code behind for the others.
    child.kill('SIGTERM');
    await ended;
    const writes = proxy.writes();
    await proxy.close();
    return { ended: result, writes };
  }
});

/** Whether there was no write for a while after the controller began. */
async function quiet(proxy: KillingProxy, log: () => string): Promise<true | undefined> {
  if (!log().includes('"leading"')) return undefined;
  const writes = proxy.writes();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return writes > 0 && proxy.writes() === writes ? true : undefined;
}

/** Lets a controller in this process finish what there is to do, with that many instances in whatever namespace. */
async function withController(cluster: TestCluster, instances: number): Promise<void> {
  const environment = instances > 1 ? { SVC_CONTROLLER_NAMESPACES: '' } : {};
  await cluster.startController({ lookAgainMs: 60_000 }, environment);
  try {
    await until(
      'it has nothing more to do',
      async () => {
        const { queue } = await cluster.figures();
        return (queue.done >= instances && queue.waiting + queue.running === 0) || undefined;
      },
      MOST_MS,
    );
  } finally {
    await cluster.stopController();
  }
}

/** All objects, without what is another in each namespace. */
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

/** The secret values that the controller has made so far. */
async function made(cluster: TestCluster): Promise<Record<string, string>> {
  const secret = (await cluster.objects()).get('Secret/office-secrets') as
    | { data?: Record<string, string> }
    | undefined;
  return secret?.data ?? {};
}
