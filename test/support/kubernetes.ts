import { accessSync, constants, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The version of Kubernetes that tests run against; `scripts/kubernetes.sh` builds it. */
const KUBERNETES_VERSION: string =
  /k8s\.io\/kubernetes v(\S+)/.exec(readFileSync(join(ROOT, 'test/e2e/cluster/kubernetes/go.mod'), 'utf8'))?.[1] ?? '';

/** That of the API server in tests that need nothing else: one that `scripts/kube-versions.sh` has built, or the same. */
const API_SERVER_VERSION: string = process.env['SVC_TEST_KUBERNETES'] || KUBERNETES_VERSION;

/** Programs that an API server alone needs. */
export const API_SERVER_PROGRAMS: readonly string[] = ['etcd', 'kube-apiserver', 'kubectl'];

/** Path of a program that `scripts/kubernetes.sh` has built. */
export function kubernetesProgram(name: string): string {
  const version = name === 'kube-apiserver' ? API_SERVER_VERSION : KUBERNETES_VERSION;
  return join(ROOT, '.cache/kubernetes', version, name);
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
