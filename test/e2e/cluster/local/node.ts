import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { writeKubeconfig } from '../../../support/kubeconfig.ts';
import { kubernetesProgram } from '../../../support/kubernetes.ts';
import { removeFolder } from '../../../support/own-folder.ts';
import { makeAuthority, makeIdentity, makeSigningKey } from '../../../support/pki.ts';
import { until } from '../../../support/until.ts';
import { makeControlGroup, removeControlGroups } from './cgroup.ts';
import { connect, type Link } from './link.ts';

const run = promisify(execFile);

const SCRIPT = resolve(import.meta.dirname, 'node.sh');

export interface NodeOptions {
  /** Of this run: keys, state, logs. Removed in the end. */
  folder: string;
  /** What containerd keeps of images, from run to run. */
  images: string;
  link: Link;
  /** The image of a pod's own process, as an archive. */
  pause: string;
  /** It stays when this process ends. */
  detached: boolean;
}

/** A machine of its own, made of namespaces. */
export interface RunningNode {
  /** Of its process 1, as this machine counts. */
  pid: number;
  folder: string;
  kubeconfig: string;
  link: Link;
}

/** Starts the node; resolves when its processes have been started, not when they are ready. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { folder, images, link } = options;
  await Promise.all(['logs', 'pki', 'kubelet', 'pod-logs', 'volumes'].map((name) => mkdir(join(folder, name))));
  await mkdir(images, { recursive: true });
  // Pods whose user is not root look for their volumes below it.
  await chmod(folder, 0o711);
  await copyFile(options.pause, join(folder, 'pause.tar'));
  const kubeconfig = await makeCredentials(folder, link);
  const cgroup = cgroupName(folder);
  await makeControlGroup(cgroup);
  const isolate = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
  const programs = dirname(kubernetesProgram('kubectl'));
  const node = [SCRIPT, folder, images, programs, `/${cgroup}`, link.hostAddress, link.nodeAddress];
  const command = ['flock', '--nonblock', '--no-fork', link.lock, 'unshare', ...isolate, ...node];
  if (!options.detached) command.unshift('setpriv', '--pdeathsig', 'KILL', '--');
  const log = openSync(join(folder, 'logs/node.log'), 'a');
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, {
    detached: options.detached,
    stdio: ['ignore', log, log],
    env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin`, HOME: '/root' },
  });
  closeSync(log);
  child.unref();
  const pid = await until('the node has started', async () => {
    if (child.exitCode !== null) throw new Error(`the node ended: ${await nodeLog(folder, 'node')}`);
    return onlyChild(child.pid);
  });
  await connect(link, pid);
  await writeFile(join(folder, 'pid'), String(pid));
  return { pid, folder, kubeconfig, link };
}

/** Ends all that runs on the node, and removes what it leaves. */
export async function stopNode({ pid, folder }: Pick<RunningNode, 'pid' | 'folder'>): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended before.
  }
  await until('the node has ended', async () => ((await isNode({ pid, folder })) ? undefined : true));
  await removeTraces(folder);
}

/** Removes what a node leaves whose processes have ended; of one that lives, nothing. */
export async function removeTraces(folder: string): Promise<void> {
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => 0));
  if (await isNode({ pid, folder })) return;
  await until('the control groups are empty', () =>
    removeControlGroups(cgroupName(folder)).then(
      () => true,
      () => undefined,
    ),
  );
  await removeFolder(folder);
}

/** Whether this process is process 1 of the node with this folder. */
export async function isNode({ pid, folder }: Pick<RunningNode, 'pid' | 'folder'>): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(SCRIPT) && command.includes(folder);
}

/** Runs a command on the node. @param input becomes its stdin */
export async function onNode({ pid }: RunningNode, command: readonly string[], input?: Readable): Promise<string> {
  const running = run('nsenter', ['--target', String(pid), '--all', '--', ...command], {
    env: { PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    maxBuffer: 64 * 1024 * 1024,
  });
  const { stdin } = running.child;
  if (stdin !== null) {
    if (input === undefined) stdin.end();
    // The command's own end says more than a pipe that it broke.
    else await pipeline(input, stdin).catch(() => undefined);
  }
  return (await running).stdout;
}

/** The end of what a part of the node logged. */
export async function nodeLog(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, `logs/${name}.log`), 'utf8').catch(() => '')).slice(-2000);
}

async function makeCredentials(folder: string, { nodeAddress }: Link): Promise<string> {
  const pki = join(folder, 'pki');
  const authority = await makeAuthority(pki);
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'].map((name) => `DNS:${name}`);
  const hosts = [`IP:${nodeAddress}`, 'IP:127.0.0.1', 'IP:10.96.0.1', 'DNS:localhost', ...service];
  const [admin, node] = await Promise.all([
    makeIdentity(pki, 'admin', authority, { name: 'admin', group: 'system:masters' }),
    makeIdentity(pki, 'node', authority, {
      name: 'system:node:node',
      group: 'system:nodes',
      hosts: [`IP:${nodeAddress}`, 'DNS:node'],
    }),
    makeIdentity(pki, 'server', authority, { name: 'kube-apiserver', hosts }),
    makeSigningKey(pki),
  ]);
  const cluster = { server: `https://${nodeAddress}:6443`, authority: authority.certificate };
  const kubeconfig = join(folder, 'admin.kubeconfig');
  await writeKubeconfig(kubeconfig, { ...cluster, identity: admin });
  await writeKubeconfig(join(folder, 'node.kubeconfig'), { ...cluster, identity: node });
  return kubeconfig;
}

async function onlyChild(pid = 0): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return Number.parseInt(children, 10) || undefined;
}

function cgroupName(folder: string): string {
  return folder.split('/').at(-1) ?? '';
}
