import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { kubernetesProgram } from './kubernetes.ts';

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
