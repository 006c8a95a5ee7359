import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Office } from './office.ts';
import { writeProfile } from './profile.ts';
import { pipeName, profileUrl } from './run-directory.ts';
import type { SandboxKind } from './task.ts';

const MiB = 1024 * 1024;

/** The way to start a worker inside a sandbox. */
export interface Sandbox {
  kind: SandboxKind;
  /** Returns the worker's folder as the worker sees it. */
  home(directory: string): string;
  /** The folder of the worker's Python files as the worker sees it. */
  code: string;
  /** Returns the whole command that runs `command` inside. */
  wrap(directory: string, command: string[], environment: Record<string, string>): string[];
  /** Returns the rules for confine.py, landlock. */
  paths(directory: string): [path: string, access: 'read' | 'write' | 'device' | 'socket'][];
  /** Each worker has its own uid. */
  ownUser: boolean;
}

const CODE = import.meta.dirname;
const HOME = '/svc';
const CODE_INSIDE = '/engine';

/** Paths that LibreOffice reads beside its own folder. */
const READABLE = ['/etc/fonts', '/etc/libreoffice', '/etc/ld.so.cache', '/etc/localtime', '/var/cache/fontconfig'];
const SYSTEM = ['/usr', '/bin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * Creates a sandbox. It may not work on this machine: a worker that starts in it proves it (confine.py, breaches).
 * @param open any user can reach the workers' folders by their paths, which a mount namespace does not need
 */
export function createSandbox(kind: SandboxKind, office: Office, tmpBytes: number, open: boolean): Sandbox {
  const root = process.getuid?.() === 0;
  if (kind === 'namespaces') {
    return {
      kind,
      home: () => HOME,
      code: CODE_INSIDE,
      wrap: bubblewrap(office, tmpBytes, root),
      paths: () => [],
      ownUser: root,
    };
  }
  return {
    kind,
    home: (directory) => directory,
    code: CODE,
    wrap: (_directory, command) => command,
    paths: (directory) => [
      ...[...SYSTEM, ...READABLE, dirname(office.program), CODE, '/proc', '/sys/devices/system/cpu'].map(
        (path): [string, 'read'] => [path, 'read'],
      ),
      ...['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'].map((path): [string, 'device'] => [path, 'device']),
      [directory, 'write'],
      ['/tmp', 'socket'],
    ],
    ownUser: root && open && kind === 'landlock',
  };
}

/**
 * Returns what wraps commands in bubblewrap: no network, no other process, a root file system of the paths above. As root
 * it makes no user namespace and keeps the capabilities with which the worker takes its own uid (confine.py).
 */
function bubblewrap(office: Office, tmpBytes: number, root: boolean): Sandbox['wrap'] {
  const users = root
    ? ['--cap-drop', 'ALL', ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name])]
    : ['--unshare-user'];
  return (directory, command, environment) => [
    'bwrap',
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...users,
    ...['--info-fd', '3', '--die-with-parent', '--new-session', '--hostname', 'svc', '--clearenv'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    // Folders that bubblewrap makes by itself on the way to a mount can only be entered by root.
    ...['/etc', '/var', '/var/cache'].flatMap((path) => ['--perms', '0755', '--dir', path]),
    ...SYSTEM.flatMap(systemFolder),
    ...READABLE.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(office.program.startsWith('/usr/') ? [] : ['--ro-bind', dirname(office.program), dirname(office.program)]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(tmpBytes), '--perms', '1777', '--tmpfs', '/tmp'],
    ...['--ro-bind', CODE, CODE_INSIDE, '--bind', directory, HOME, '--chdir', HOME],
    '--',
    ...command,
  ];
}

/** Merged systems have links to /usr where older ones have folders. */
function systemFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

const PROCESSES = 512;
const FIRST_UID = 61_500;
/** Data that is allocated and never touched, such as thread stacks. */
const DATA_SLACK = 512 * MiB;

/** Returns the worker's own uid, which is its gid, too; undefined if it has the service's. */
export function getUid(slot: number, sandbox: Sandbox): number | undefined {
  return sandbox.ownUser ? FIRST_UID + slot : undefined;
}

/** Creates a worker's folder: `profile/` and `tmp/`, which it may write, and `jobs/`. No other worker's own uid can enter. */
export async function makeWorkerFolder(directory: string, office: Office, uid?: number): Promise<void> {
  await mkdir(directory, { mode: 0o750 });
  await mkdir(join(directory, 'jobs'), { mode: 0o755 });
  await mkdir(join(directory, 'tmp'), { mode: 0o700 });
  const made = await writeProfile(join(directory, 'profile'), office);
  if (uid === undefined) return;
  for (const path of [...made, join(directory, 'tmp')]) await chown(path, uid, uid);
  await chown(directory, process.getuid?.() ?? 0, uid);
  await chmod(directory, 0o750);
}

/** Returns the command and environment that start a worker; the environment has nothing of the service's own. */
export function workerCommand(directory: string, office: Office, sandbox: Sandbox) {
  const temporary = sandbox.kind === 'namespaces' ? '/tmp' : join(directory, 'tmp');
  const environment = {
    HOME: temporary,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    PATH: '/usr/bin:/bin',
    TZ: 'UTC',
    MALLOC_ARENA_MAX: '2',
    SAL_USE_VCLPLUGIN: 'svp',
    FONTCONFIG_FILE: join(sandbox.code, 'fonts.conf'),
  };
  const command = [office.python, '-B', '-E', '-s', join(sandbox.code, 'worker.py')];
  return { command: sandbox.wrap(directory, command, environment), environment };
}

/** The settings of all workers. */
export interface WorkerSetup {
  office: Office;
  sandbox: Sandbox;
  /** A server on the loopback interface and a file, which a worker must not reach. */
  canary: { port: number; file: string };
  memoryMb: number;
  stallSeconds: number;
}

/** Returns the first message to a worker (worker.py, main). */
export function setupMessage(
  directory: string,
  { office, sandbox, canary, memoryMb, stallSeconds }: WorkerSetup,
  uid?: number,
) {
  return {
    sandbox: sandbox.kind,
    program: office.program,
    profile: profileUrl(sandbox.home(directory)),
    pipe: pipeName(directory),
    memory: memoryMb * MiB,
    stallSeconds,
    dataBytes: memoryMb * MiB + DATA_SLACK,
    // The kernel counts them per uid, so only a worker with its own has a limit.
    processes: uid === undefined ? 0 : PROCESSES,
    uid: uid ?? null,
    gid: uid ?? null,
    paths: sandbox.paths(directory),
    canary,
  };
}
