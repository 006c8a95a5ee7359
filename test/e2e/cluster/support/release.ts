import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CHART, helm, type Values } from '../../../support/helm.ts';
import type { Cluster } from '../cluster.ts';
import type { Images } from '../images/build.ts';

/** Namespace of the release `svc`. */
export const SYSTEM = 'svc-system';

/** The chart in a cluster, by the commands of docs/kubernetes.md. */
export interface Release {
  /** Runs helm on the release's namespace. */
  helm(...parameters: string[]): Promise<string>;
  /** Installs the chart; what helm says. */
  install(): Promise<string>;
  /** Upgrades to the chart with values beside those of the installation, and waits for the controller. */
  upgrade(...set: string[]): Promise<void>;
  /** The controller can be asked for work. */
  ready(): Promise<void>;
  /** All lines of the controllers that live. */
  log(): Promise<Line[]>;
  /** Pod of the controller that works; undefined while none does. */
  leader(): Promise<string | undefined>;
}

/** A line of a service's log. */
export interface Line {
  level: string;
  msg?: string;
  err?: { reason?: string };
  [member: string]: unknown;
}

/** @param keys JWK Set that licences are verified with */
export function releaseOf(cluster: Cluster, images: Images, keys: object): Release {
  const folder = dirname(cluster.kubeconfig);
  const kubectl = (...parameters: string[]) => cluster.kubectl(['--namespace', SYSTEM, ...parameters]);
  const [, registry, repository, tag] = /^([^/]+)\/(.+):(.+)$/.exec(images.editor) ?? [];
  const release: Release = {
    helm: (...parameters) =>
      helm([...parameters, '--namespace', SYSTEM], { HOME: folder, KUBECONFIG: cluster.kubeconfig }),
    async install() {
      const file = join(folder, 'license-keys.json');
      await writeFile(file, JSON.stringify(keys));
      const editor = `images.editor.registry=${registry},images.editor.repository=${repository},images.editor.tag=${tag}`;
      const flags = ['--create-namespace', '--set-file', `license.keys=${file}`, '--set', editor];
      const said = await release.helm('install', 'svc', CHART, ...flags);
      await release.ready();
      return said;
    },
    async upgrade(...set) {
      const values: Values['set'] = set.flatMap((value) => ['--set', value]);
      await release.helm('upgrade', 'svc', CHART, '--reset-then-reuse-values', ...values);
      await release.ready();
    },
    async ready() {
      await kubectl('rollout', 'status', 'deployment/svc-controller', '--timeout=120s');
    },
    async log() {
      const text = await kubectl('logs', '--selector', 'app.kubernetes.io/component=controller', '--tail=-1');
      return parseLog(text);
    },
    async leader() {
      const lease = await kubectl('get', 'lease', 'svc-controller', '--output', 'jsonpath={.spec.holderIdentity}');
      return lease.split('_')[0] || undefined;
    },
  };
  return release;
}

export function parseLog(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Line);
}
