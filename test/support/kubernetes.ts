import { accessSync, constants, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The version of Kubernetes that tests run against; `scripts/kubernetes.sh` builds it. */
export const KUBERNETES_VERSION: string =
  /k8s\.io\/kubernetes v(\S+)/.exec(readFileSync(join(ROOT, 'test/e2e/cluster/kubernetes/go.mod'), 'utf8'))?.[1] ?? '';

const FOLDER = join(ROOT, '.cache/kubernetes', KUBERNETES_VERSION);

/** What an API server alone needs. */
export const API_SERVER_PROGRAMS: readonly string[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** Path of a program that `scripts/kubernetes.sh` has built. */
export function kubernetesProgram(name: string): string {
  return join(FOLDER, name);
}

/** Those of `programs` that have not been built. */
export function missingPrograms(programs: readonly string[]): string[] {
  return programs.filter((name) => {
    try {
      accessSync(kubernetesProgram(name), constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
}
