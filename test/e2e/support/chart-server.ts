import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Context } from 'mocha';
import { apiServerMissing, startApiServer } from '../../support/api-server.ts';
import { runEnding } from '../../support/at-end.ts';
import { CHART, getEnvironment, helm, helmMissing, render } from '../../support/helm.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { established } from '../../support/kubectl.ts';
import { spawnMain } from '../../support/process.ts';
import { skip } from '../../support/skip.ts';

const MAIN = resolve(import.meta.dirname, '../../../cmd/controller/main.ts');

/** An API server of its own with the chart as release `svc`: the CRD belongs to the release here. */
export type ChartServer = Awaited<ReturnType<typeof startChartServer>>;

/** OpenShift's rule: setting the owner of an object takes the right to delete it. */
const OPENSHIFT = '--enable-admission-plugins=OwnerReferencesPermissionEnforcement';

let shared: ChartServer | undefined;

/** The one of a run, with the release as a plain installation makes it; what tests before have made is there as well. */
export async function sharedChartServer(context: Context): Promise<ChartServer> {
  if (shared) {
    await shared.run('upgrade', '--install', 'svc', CHART, '--reset-values');
    return shared;
  }
  const started = await startChartServer(context);
  runEnding.at(started.stop);
  shared = started;
  return started;
}

/** Skips the suite, and says why, where there is no API server or no helm. */
async function startChartServer(context: Context) {
  const missing = helmMissing() ?? apiServerMissing();
  if (missing !== undefined) skip(context, missing);
  const home = await mkdtemp(join(tmpdir(), 'svc-helm-'));
  const server = await startApiServer([OPENSHIFT]);
  /** Runs helm on the release's namespace. */
  const run = (...parameters: string[]) =>
    helm([...parameters, '--namespace', 'svc-system'], { HOME: home, KUBECONFIG: server.kubeconfig });
  const installed = await run('install', 'svc', CHART, '--create-namespace');
  await established(server.kubectl, 'svcinstances.svc.internal');
  return {
    ...{ server, run },
    /** Output of `helm install`. */
    installed,
    /** The controller as a process, with the account and the variables that the chart gives it. */
    async startController(set: readonly string[] = [], more: Record<string, string> = {}) {
      const token = await server.kubectl(['create', 'token', 'svc-controller', '--namespace', 'svc-system']);
      const kubeconfig = join(home, 'controller.kubeconfig');
      await writeKubeconfig(kubeconfig, { server: server.url, authority: server.ca, token: token.trim() });
      return spawnMain(MAIN, {
        ...getEnvironment(await render({ set })),
        SVC_CONTROLLER_LISTEN: '127.0.0.1:0',
        SVC_CONTROLLER_LEASE_NAMESPACE: 'svc-system',
        SVC_CONTROLLER_CLUSTER_DNS: '10.96.0.10',
        KUBECONFIG: kubeconfig,
        ...more,
      });
    },
    async stop() {
      await server.stop();
      await rm(home, { recursive: true });
    },
  };
}
