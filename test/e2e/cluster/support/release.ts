import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CHART, helm } from '../../../support/helm.ts';
import type { Cluster } from '../cluster.ts';
import type { Images } from '../images/build.ts';

/** Namespace of the release `svc`. */
export const SYSTEM = 'svc-system';

/** The chart in a cluster, by the commands of docs/kubernetes.md. */
export type Release = ReturnType<typeof createRelease>;

/** A line of a service's log. */
export interface Line {
  level: string;
  msg?: string;
  err?: { reason?: string; code?: string };
  [member: string]: unknown;
}

/** @param keys JWK Set that licences are verified with */
export function createRelease(cluster: Cluster, images: Images, keys: object) {
  const folder = dirname(cluster.kubeconfig);
  const kubectl = (...parameters: string[]) => cluster.kubectl(['--namespace', SYSTEM, ...parameters]);
  /** Runs helm on the release's namespace. */
  const runHelm = (...parameters: string[]) =>
    helm([...parameters, '--namespace', SYSTEM], { HOME: folder, KUBECONFIG: cluster.kubeconfig });
  /** Resolves when the controller can be asked for work. */
  const ready = async () => void (await kubectl('rollout', 'status', 'deployment/svc-controller', '--timeout=120s'));
  return {
    ...{ helm: runHelm, ready },
    /** Installs the chart; what helm says. */
    async install(): Promise<string> {
      const file = join(folder, 'license-keys.json');
      await writeFile(file, JSON.stringify(keys));
      const [, registry, repository, tag] = /^([^/]+)\/(.+):(.+)$/.exec(images.editor) ?? [];
      const editor = `images.editor.registry=${registry},images.editor.repository=${repository},images.editor.tag=${tag}`;
      const flags = ['--create-namespace', '--set-file', `license.keys=${file}`, '--set', editor];
      const said = await runHelm('install', 'svc', CHART, ...flags);
      await ready();
      return said;
    },
    /** Upgrades to the chart with a value beside those of the installation, and waits for the controller. */
    async upgrade(set: string): Promise<void> {
      await runHelm('upgrade', 'svc', CHART, '--reset-then-reuse-values', '--set', set);
      await ready();
    },
    /** All lines of the controllers that live. */
    log: async () =>
      parseLog(await kubectl('logs', '--selector', 'app.kubernetes.io/component=controller', '--tail=-1')),
  };
}

export function parseLog(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line);
}
