import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/common/node-flags.ts';

const READY_SECONDS = 60;

export interface ServiceOptions {
  name: string;
  command: string;
  parameters: string[];
  /** Takes what it says. */
  logFile: string;
  /** Answers 200 when the service is ready. */
  readyUrl: string;
  environment: Record<string, string>;
}

export interface RunningService {
  name: string;
  logFile: string;
  stop(signal: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  ended: Promise<number>;
}

/** How a TypeScript entry point is run. */
export function node(main: string): Pick<ServiceOptions, 'command' | 'parameters'> {
  return { command: process.execPath, parameters: [...NODE_FLAGS, main] };
}

/** Starts one service as a process of its own and waits until it is ready; ends this process when it can't be. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const log = await open(options.logFile, 'a', 0o600);
  const child = spawn(options.command, options.parameters, {
    env: { ...process.env, ...NODE_ENVIRONMENT, ...options.environment },
    stdio: ['ignore', log.fd, log.fd],
    // Its own group: Ctrl+C reaches only this process, which passes it on once.
    detached: true,
  });
  await log.close();
  const ended = Promise.race([
    once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : 1)),
    once(child, 'error').then(() => 127),
  ]);
  process.once('exit', () => child.kill('SIGKILL'));

  const ready = await Promise.race([answers(options.readyUrl), ended.then(() => false)]);
  if (!ready) {
    console.error(`${options.name} did not start. The end of ${options.logFile}:\n`);
    console.error((await readFile(options.logFile, 'utf8')).split('\n').slice(-6).join('\n'));
    process.exit(1);
  }
  return { name: options.name, logFile: options.logFile, stop: (signal) => void child.kill(signal), ended };
}

async function answers(url: string): Promise<boolean> {
  for (const deadline = Date.now() + READY_SECONDS * 1000; Date.now() < deadline; await delay(100)) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return true;
  }
  return false;
}
