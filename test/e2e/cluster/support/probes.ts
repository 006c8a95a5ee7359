import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { docker } from '../engine.ts';

/** For an answer that comes at once unless the machine is busy. */
const ANSWER_SECONDS = '4';

/** Who is in the cluster's network: a pod, or its node. */
export interface Party {
  ip: string;
  /** The container of the node that it is on. */
  node: string;
  /** Of a pod. */
  uid?: string;
}

export interface Target {
  protocol: 'tcp' | 'udp';
  ip: string;
  port: number;
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
