import { randomBytes } from 'node:crypto';
import { freePorts } from '../../cmd/local/port.ts';
import type { Environment } from '../../src/common/config.ts';
import type { Figures } from '../../test/support/controller.ts';
import { spawnMain } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import { residentBytes } from '../process-usage.ts';
import { onRelease } from '../releases.ts';
import type { Cluster } from './cluster.ts';

const START_MS = 60_000;
/** The flags of its image's entry point. */
const FLAGS = ['--optimize-for-size', '--enable-source-maps'];

/** The controller as a process of its own, with the environment and files of a pod. */
export interface ControllerSubject {
  /** Resolves once it has read what there is; another may lead. */
  ready(): Promise<void>;
  figures(): Promise<Figures & { leading: boolean; waits_for: string | null }>;
  /** The resident part of its memory, bytes. */
  rss(): number;
  log(): string;
  /** Resolves with its exit code or signal. */
  ended: Promise<number | NodeJS.Signals>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface Start {
  /** The URL of the API server, or of the proxy before it. */
  port?: string | undefined;
  /** Absent: one of its own. */
  identity?: string;
}

export async function startController(
  { server, root, main }: Cluster,
  { port = new URL(server.url).port, identity }: Start = {},
): Promise<ControllerSubject> {
  const [health = 0] = await freePorts(1);
  const environment: Environment = {
    NODE_ENV: 'production',
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: port,
    BENCH_ROOT: root,
    SVC_CONTROLLER_LISTEN: `127.0.0.1:${health}`,
    SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.10',
    ...(identity !== undefined && { SVC_CONTROLLER_IDENTITY: identity }),
  };
  const { child, ended, log } = spawnMain(main, environment, FLAGS);
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${health}${path}`);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  const release = onRelease(() => end('SIGKILL'));
  void ended.then(release);
  return {
    ...{ log, ended, end },
    async ready() {
      await until(
        'the controller is ready',
        async () => {
          if (child.exitCode !== null) throw new Error(`ended early:\n${log()}`);
          const answer = await ask('/readyz').catch(() => undefined);
          return answer?.ok || undefined;
        },
        START_MS,
      );
    },
    figures: async () => (await (await ask('/status')).json()) as Awaited<ReturnType<ControllerSubject['figures']>>,
    rss: () => residentBytes(child.pid),
  };
}

/** A controller that is started anew whenever it ends, as a kubelet does. */
export interface ControllerPod {
  current(): ControllerSubject;
  /** The number of times that it was started anew. */
  restarts(): number;
  end(): Promise<void>;
}

export async function startPod(cluster: Cluster, port?: string): Promise<ControllerPod> {
  // The pod's name, as the chart has it.
  const start = { port, identity: `controller-${randomBytes(4).toString('hex')}` };
  let current = await startController(cluster, start);
  let restarts = 0;
  let ending = false;
  async function keep(): Promise<void> {
    for (;;) {
      await current.ended;
      if (ending) return;
      restarts += 1;
      current = await startController(cluster, start);
    }
  }
  const kept = keep();
  return {
    current: () => current,
    restarts: () => restarts,
    async end() {
      ending = true;
      await current.end('SIGTERM');
      await kept;
    },
  };
}
