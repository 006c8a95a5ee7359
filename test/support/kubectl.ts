import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { kubernetesProgram } from './kubernetes.ts';
import { until } from './until.ts';

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs kubectl; resolves with its stdout, rejects with an Error whose `stderr` says what was wrong. */
export type Kubectl = (parameters: readonly string[], input?: string) => Promise<string>;

/** kubectl for the cluster of a kubeconfig. Nothing of the user's own is read or written. */
export function kubectlFor(kubeconfig: string, folder: string): Kubectl {
  return async (parameters, input) => {
    const running = promisify(execFile)(kubernetesProgram('kubectl'), parameters, {
      env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, HOME: folder, KUBECACHEDIR: `${folder}/kubectl-cache` },
      maxBuffer: MOST_OUTPUT_BYTES,
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
}

/**
 * Resolves when objects of a CustomResourceDefinition can be made. `kubectl wait` fails, instead of waiting, for one that is so new
 * that it has no conditions at all.
 */
export async function established(kubectl: Kubectl, name: string): Promise<void> {
  await until(
    `${name} is established`,
    async () => {
      const { status = {} } = JSON.parse(await kubectl(['get', 'crd', name, '-o', 'json']));
      const conditions = (status.conditions ?? []) as { type: string; status: string }[];
      return conditions.some(({ type, status: value }) => type === 'Established' && value === 'True') || undefined;
    },
    30_000,
  );
}

/** Returns N of an API server of Kubernetes 1.N. */
export async function minorVersion(kubectl: Kubectl): Promise<number> {
  const { serverVersion } = JSON.parse(await kubectl(['version', '-o', 'json']));
  return Number.parseInt(serverVersion.minor, 10);
}
