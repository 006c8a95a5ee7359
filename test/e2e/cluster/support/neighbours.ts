import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPONENTS } from '../../../../cmd/controller/desired/names.ts';
import type { ComponentName } from '../../../../cmd/controller/desired/types.ts';
import { docker } from '../engine.ts';
import type { Office } from './office.ts';

/** For an answer that comes at once unless the machine is busy. */
const ANSWER_SECONDS = '4';

/** A place in the cluster's network: a pod, or its node. */
export interface Party {
  ip: string;
  /** The container of the node that it is on. */
  node: string;
  uid?: string;
}

export interface Target {
  protocol: 'tcp' | 'udp';
  ip: string;
  port: number;
}

const HOME = 'office';
const NGINX = { 'app.kubernetes.io/name': 'ingress-nginx' };
const UNKNOWN = 'a pod of the instance that no component knows';
const ofInstance = (name: string) => ({ 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': name });
const ofOther = (component: string) => ({ ...ofInstance('other'), 'app.kubernetes.io/component': component });

/** Pods around the instance `office`, by what they are to it: its example leaves the edge's namespace and labels as they are. */
const STRANGERS: Record<string, { namespace: string; labels: Record<string, string> }> = {
  'a stranger': { namespace: HOME, labels: { app: 'portal' } },
  'a stranger elsewhere': { namespace: 'elsewhere', labels: { app: 'portal' } },
  'the edge': { namespace: 'ingress-nginx', labels: NGINX },
  "the edge's neighbour": { namespace: 'ingress-nginx', labels: { app: 'job' } },
  'somebody with the labels of the edge': { namespace: HOME, labels: NGINX },
  "another instance's gate": { namespace: HOME, labels: ofOther('gate') },
  "another instance's front": { namespace: HOME, labels: ofOther('front') },
};

/** Everybody whose packets are tried. */
export type Neighbours = Awaited<ReturnType<typeof startNeighbours>>;

/** Starts pods around an instance. */
export async function startNeighbours(office: Office) {
  const { kubectl } = office.cluster;
  const made = Object.entries({ ...STRANGERS, [UNKNOWN]: { namespace: HOME, labels: ofInstance(HOME) } }).map(
    ([is, place], index) => ({ is, ...place, name: `neighbour-${index}` }),
  );
  const foreign = new Set(made.map(({ namespace }) => namespace).filter((namespace) => namespace !== HOME));
  await Promise.all(
    [...foreign].map(async (namespace) => {
      // A run that was killed has left it.
      await kubectl(['delete', 'namespace', namespace, '--ignore-not-found']);
      await kubectl(['create', 'namespace', namespace]);
      await kubectl(['--namespace', namespace, 'wait', '--for=create', 'serviceaccount/default', '--timeout=60s']);
    }),
  );
  const items = made.map((each) => waitingPod(office.images.gate, each));
  await kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const found = made.map(async ({ is, namespace, name }) => {
    await kubectl(['--namespace', namespace, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s']);
    return [is, await findParty(office, namespace, name)] as const;
  });
  const strangers: Record<string, Party> = Object.fromEntries(await Promise.all(found));
  const components = {} as Record<ComponentName, Party>;
  for (const component of COMPONENTS) {
    const [pod] = await office.pods(component);
    components[component] = await findParty(office, HOME, pod?.metadata.name ?? component);
  }
  /** A pod of the instance that no component knows. */
  const unknown = strangers[UNKNOWN] as Party;
  delete strangers[UNKNOWN];
  const end = async () => {
    for (const namespace of foreign) await kubectl(['delete', 'namespace', namespace, '--wait=false']);
    const names = made.filter(({ namespace }) => namespace === HOME).map(({ name }) => `pod/${name}`);
    await office.kubectl('delete', ...names, '--grace-period=1');
  };
  /** The node that they are all on. */
  const node: Party = { ip: office.cluster.nodeAddress, node: unknown.node };
  return { components, strangers, unknown, node, end };
}

async function findParty({ cluster }: Office, namespace: string, name: string): Promise<Party> {
  const text = await cluster.kubectl(['--namespace', namespace, 'get', 'pod', name, '--output', 'json']);
  const { metadata, spec, status } = JSON.parse(text);
  return { ip: status.podIP, node: spec.nodeName, uid: metadata.uid };
}

interface Place {
  name: string;
  namespace: string;
  labels: Record<string, string>;
}

/** A pod that only waits for commands, restricted as far as Kubernetes knows how. */
function waitingPod(image: string, metadata: Place): object {
  const command = ['node', '-e', 'process.once("SIGTERM", () => process.exit()); setInterval(() => {}, 1e9)'];
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const volumeMounts = [{ name: 'tmp', mountPath: '/tmp' }];
  const { name, namespace, labels } = metadata;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name, image, imagePullPolicy: 'Never', command, securityContext, volumeMounts }],
      volumes: [{ name: 'tmp', emptyDir: { medium: 'Memory' } }],
    },
  };
}

/** Those of the targets that a packet comes back from, which is sent in the network of a party. */
export async function answering<T extends Target>(from: Party, targets: readonly T[]): Promise<T[]> {
  const script = await readFile(join(import.meta.dirname, 'probe.sh'), 'utf8');
  const parameters = targets.flatMap(({ protocol, ip, port }) => [protocol, ip, `${port}`]);
  const said = await inNetwork(from, 'bash', '-c', script, 'probe.sh', ANSWER_SECONDS, ...parameters);
  const lines = new Set(said.split('\n'));
  return targets.filter(({ protocol, ip, port }) => {
    const target = `${protocol} ${ip} ${port}`;
    if (lines.has(`open ${target}`)) return true;
    if (lines.has(`shut ${target}`)) return false;
    throw new Error(`nothing was said of ${target}: ${said}`);
  });
}

/** The body of an answer over HTTP that is asked for in the network of a party; undefined if none comes. */
export function ask(from: Party, url: string): Promise<string | undefined> {
  return inNetwork(from, 'curl', '--silent', '--max-time', ANSWER_SECONDS, url).catch(() => undefined);
}

/** Stdout of a program of the node. Images of pods have no such programs. */
async function inNetwork({ node, uid }: Party, ...command: string[]): Promise<string> {
  if (uid === undefined) return docker('exec', node, ...command);
  const group = uid.replaceAll('-', '[-_]');
  // All others of a pod may end at any time, or have a network of their own.
  const find = `for of in $(grep -ls 'pod${group}' /proc/[0-9]*/cgroup); do grep -lx pause "\${of%/*}/comm"; done || true`;
  const [, pid] = /^\/proc\/(\d+)\//.exec(await docker('exec', node, 'sh', '-c', find)) ?? [];
  if (pid === undefined) throw new Error(`no sandbox of pod ${uid} on ${node}`);
  return docker('exec', node, 'nsenter', `--target=${pid}`, '--net', ...command);
}
