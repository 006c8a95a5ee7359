import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { clusterEnding } from '../../support/at-end.ts';
import { until } from '../../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** The folder of scripts/docker.sh. */
const FOLDER = join(ROOT, '.cache/docker');
const OWN = `unix://${FOLDER}/docker.sock`;
const OUTPUT_BYTES = 256 * 1024 * 1024;
/** Containers that an earlier run left take their time. */
const START_MS = 60_000;

/** A Docker engine. */
export interface Engine {
  /** Under which this machine finds the ports that containers publish. */
  address: string;
  /** Under which containers find this machine. */
  hostAddress: string;
}

let users: boolean | undefined;
let shared: Promise<Engine> | undefined;

/** Returns true if the user's own engine answers. */
export function hasEngine(): boolean {
  users ??= process.env['DOCKER_HOST'] !== OWN && answers(process.env);
  return users;
}

/** Why there can be no engine here, or undefined. */
export function engineMissing(): string | undefined {
  if (hasEngine()) return undefined;
  if (process.getuid?.() !== 0) return 'needs a Docker engine, or root';
  return ['dockerd', 'slirp4netns'].every(isInstalled)
    ? undefined
    : 'neither a Docker engine nor its programs are here';
}

/** The user's engine; where there is none, one of this run's own (scripts/docker.sh), which ends after its last test. */
export function sharedEngine(): Promise<Engine> {
  shared ??= hasEngine() ? usersEngine() : ownEngine();
  return shared;
}

/** Where there is none, starts an engine that stays (`scripts/docker.sh stop` ends it). */
export async function keepEngine(): Promise<void> {
  if (!hasEngine()) await run(join(ROOT, 'scripts/docker.sh'), ['start']);
}

/** Runs a program; its stdout. An error says what it wrote to stderr. */
export async function run(
  program: string,
  parameters: readonly string[],
  input: string | Uint8Array = '',
): Promise<string> {
  const running = promisify(execFile)(program, parameters, { maxBuffer: OUTPUT_BYTES });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

/** Runs a command of Docker's; its stdout. */
export function docker(...parameters: string[]): Promise<string> {
  return run('docker', parameters);
}

/** The beginning of a command that is to be in the engine's own network, as all of a machine with an engine is. */
export async function besideEngine(): Promise<string[]> {
  if (hasEngine()) return [];
  const [pid] = (await run('pgrep', ['--full', `engine\\.sh ${FOLDER} `])).split('\n');
  return ['nsenter', `--net=/proc/${pid}/ns/net`];
}

async function usersEngine(): Promise<Engine> {
  const gateway = await docker('network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}');
  return { address: '127.0.0.1', hostAddress: gateway.trim() };
}

async function ownEngine(): Promise<Engine> {
  // `scripts/docker.sh start` has started it: it stays.
  if (!answers({ ...process.env, DOCKER_HOST: OWN })) await startOwn();
  process.env['DOCKER_HOST'] = OWN;
  const [address = '', hostAddress = ''] = (await readFile(join(FOLDER, 'addresses'), 'utf8')).trim().split(' ');
  return { address, hostAddress };
}

async function startOwn(): Promise<void> {
  await rm(join(FOLDER, 'ready'), { force: true });
  const command = ['--pdeathsig', 'KILL', '--', join(ROOT, 'scripts/docker.sh'), 'run'];
  const child = spawn('setpriv', command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  child.unref();
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`the engine ended, see ${FOLDER}/engine.log`);
    return existsSync(join(FOLDER, 'ready'));
  };
  await until('the engine is ready', isReady, START_MS);
  clusterEnding.at(async () => {
    child.kill();
    await ended;
  });
}

function answers(environment: NodeJS.ProcessEnv): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', env: environment });
    return true;
  } catch {
    return false;
  }
}

function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}
