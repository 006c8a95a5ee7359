import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { User } from './job-folder.ts';
import type { Office } from './office.ts';
import { writeProfile } from './profile.ts';
import { pipeName, profileUrl } from './run-directory.ts';
import type { Sandbox } from './sandbox.ts';

const MiB = 1024 * 1024;
const PROCESSES = 512;
const FIRST_UID = 61_500;
/** Data that is allocated and never touched, such as thread stacks. */
const DATA_SLACK = 512 * MiB;

/** Returns the uid of the worker in `slot`, where it has one of its own. */
export function getUser(slot: number, sandbox: Sandbox): User | undefined {
  return sandbox.ownUser ? { uid: FIRST_UID + slot, gid: FIRST_UID + slot } : undefined;
}

/** Creates a worker's folder: `profile/` and `tmp/`, which it may write, and `jobs/`. No other worker's own uid can enter. */
export async function makeWorkerFolder(directory: string, office: Office, user?: User): Promise<void> {
  await mkdir(directory, { mode: 0o750 });
  await mkdir(join(directory, 'jobs'), { mode: 0o755 });
  await mkdir(join(directory, 'tmp'), { mode: 0o700 });
  const made = await writeProfile(join(directory, 'profile'), office);
  if (!user) return;
  for (const path of [...made, join(directory, 'tmp')]) await chown(path, user.uid, user.gid);
  await chown(directory, process.getuid?.() ?? 0, user.gid);
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

/** A server on the loopback interface and a file, which a worker must not reach. */
export interface Canary {
  port: number;
  file: string;
}

/** The settings of all workers. */
export interface WorkerSetup {
  office: Office;
  sandbox: Sandbox;
  canary: Canary;
  memoryMb: number;
  stallSeconds: number;
}

/** Returns the first message to a worker (worker.py, main). */
export function setupMessage(
  directory: string,
  { office, sandbox, canary, memoryMb, stallSeconds }: WorkerSetup,
  user?: User,
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
    processes: user ? PROCESSES : 0,
    uid: user?.uid ?? null,
    gid: user?.gid ?? null,
    paths: sandbox.paths(directory),
    canary,
  };
}
