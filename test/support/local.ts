import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, listen } from './process.ts';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export type Local = Awaited<ReturnType<typeof startLocal>>;

/**
 * The service as `make run` starts it.
 * @param options.command what is run; without it, the service itself
 */
export async function startLocal(
  environment: Record<string, string> = {},
  {
    earlierLog = '',
    command = [process.execPath, 'cmd/local/main.ts'],
  }: { earlierLog?: string; command?: string[] } = {},
) {
  const folder = environment['SVC_LOCAL_DIR'] ?? (await mkdtemp(join(tmpdir(), 'svc local-')));
  await writeFile(join(folder, 'docbuilder.log'), earlierLog);
  const port = Number(environment['PORT']) || (await freePort());
  const [program = '', ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: String(port), SVC_LOCAL_DIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { log: said, ended } = listen(child);
  return {
    ...{ child, folder, port, ended, said },
    isRunning: (ms = 50_000) =>
      until(
        'it says where',
        () => {
          if (child.exitCode !== null) throw new Error(`ended early:\n${said()}`);
          return said().includes('curl');
        },
        ms,
      ),
    /** The value of a line in what it says. */
    printed: (what: string) => new RegExp(`^ *${what} +(\\S+)$`, 'm').exec(said())?.[1] ?? '',
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Processes that were started for a folder. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SVC_LOCAL_DIR=${folder}`);
    } catch {
      return false;
    }
  });
}
