import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { freePorts } from '../../cmd/local/port.ts';
import { processIds, readProcess } from '../../scripts/support/processes.ts';
import type { Environment } from '../../src/common/config.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/common/node-flags.ts';
import { runEnding } from './at-end.ts';
import { keepLines, secret } from './logs.ts';
import { withStore } from './test-store.ts';
import { until } from './until.ts';

const MAIN = resolve(import.meta.dirname, '../../cmd/docbuilder/main.ts');

/** DocBuilder as a process of its own. */
export type ServiceProcess = Awaited<ReturnType<typeof spawnService>>;

/** Starts DocBuilder from its sources, or from another `main`. */
export async function spawnService(environment: Environment = {}, main = MAIN) {
  const key = secret(`svc_${randomBytes(16).toString('hex')}`);
  const dataDir = environment['SVC_DOCBUILDER_DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'svc-process-')));
  const listen = environment['SVC_DOCBUILDER_LISTEN'] ?? `127.0.0.1:${await freePort()}`;
  const settings: Environment = {
    SVC_DOCBUILDER_LISTEN: listen,
    SVC_DOCBUILDER_DATA_DIR: dataDir,
    SVC_DOCBUILDER_API_KEYS: `test:${key}`,
    SVC_DOCBUILDER_WORKERS: '1',
    ...environment,
  };
  const { child, ended, log } = spawnMain(main, await withStore(settings, dataDir));
  const url = `http://${listen}`;
  return {
    ...{ url, key, dataDir, child, ended, log },
    call: (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } }),
  };
}

/** An entry point as a process; only `environment` and the PATH are handed on. */
export function spawnMain(main: string, environment: Environment, flags: readonly string[] = NODE_FLAGS) {
  const child = spawn(process.execPath, [...flags, main], {
    env: { ...NODE_ENVIRONMENT, PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A test that fails while it starts several ends none of them.
  runEnding.at(async () => void child.kill('SIGKILL'));
  return { child, ...listen(child) };
}

/** Keeps all that a program writes, which is searched for secrets once it has ended. */
export function listen(child: ChildProcessByStdio<null, Readable, Readable>) {
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      log += chunk;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => {
    keepLines(log);
    return code ?? signal;
  });
  return {
    /** Resolves with exit code or signal. */
    ended,
    /** Everything logged so far. */
    log: () => log,
  };
}

/** Resolves when the service answers. */
export async function ready(service: ServiceProcess, ms = 60_000): Promise<ServiceProcess> {
  const answers = async () => {
    if (service.child.exitCode !== null) throw new Error(`ended early:\n${service.log()}`);
    return fetch(`${service.url}/v1/status`).then(
      (response) => response.ok,
      () => undefined,
    );
  };
  await until('the service is ready', answers, ms);
  return service;
}

/** Processes whose command line names `text`. */
export function processesNaming(text: string): number[] {
  return processIds().filter((pid) => readProcess(pid, 'cmdline').includes(text));
}

/** A port of the loopback address that nothing listens on. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
