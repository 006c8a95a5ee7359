import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../src/common/node-flags.ts';

const READY_SECONDS = 60;
const LAST_LINES = 6;

export interface ServiceOptions {
  name: string;
  command: string;
  parameters: string[];
  /** Log of its output. */
  logFile: string;
  /** Answers 200 when the service is ready; or a check without HTTP. */
  readyUrl: string | (() => Promise<boolean>);
  /** A minute by default. */
  readySeconds?: number;
  environment: Record<string, string>;
}

export interface RunningService {
  name: string;
  logFile: string;
  stop(signal: NodeJS.Signals): void;
  /** Kills it and all its processes. */
  kill(): Promise<void>;
  /** Returns the last lines of its output. */
  lastWords(): Promise<string>;
  /** True when it answers; false when it has ended, or does not answer in time. */
  ready: Promise<boolean>;
  ended: Promise<number>;
}

/** Returns the command that runs a TypeScript entry point. */
export function node(main: string, flags = NODE_FLAGS): Pick<ServiceOptions, 'command' | 'parameters'> {
  return { command: process.execPath, parameters: [...flags, main] };
}

/** Starts a service as a process. */
export async function startService({ name, logFile, ...options }: ServiceOptions): Promise<RunningService> {
  const log = await open(logFile, 'a', 0o600);
  const { size } = await log.stat();
  // It ends with this process, even if that is killed.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', options.command, ...options.parameters], {
    env: { ...process.env, ...NODE_ENVIRONMENT, ...options.environment },
    stdio: ['ignore', log.fd, log.fd],
    // Ctrl+C reaches only this process, which passes it on once.
    detached: true,
  });
  const over = new AbortController();
  const ended = Promise.race([
    once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : 1)),
    once(child, 'error').then(() => 127),
  ]).finally(() => over.abort());
  await log.close();
  return {
    name,
    logFile,
    stop: (signal) => void child.kill(signal),
    async kill() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
    lastWords: async () =>
      (await readFile(logFile)).subarray(size).toString().split('\n').slice(-LAST_LINES).join('\n'),
    ready: becomesReady(options.readyUrl, options.readySeconds ?? READY_SECONDS, over.signal),
    ended,
  };
}

async function becomesReady(url: ServiceOptions['readyUrl'], seconds: number, over: AbortSignal): Promise<boolean> {
  const isReady = typeof url === 'string' ? () => answers(url, over) : url;
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline && !over.aborted; await delay(100)) {
    if (await isReady()) return !over.aborted;
  }
  return false;
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(url, { signal }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** The services on one machine, which end together. */
export interface Run {
  stopping: AbortSignal;
  /**
   * Starts a service, and waits until it is ready. A failure is printed, and stops all.
   * @param ends first: the editor, which saves to the gate; last: the stores
   */
  start(start: () => Promise<RunningService>, ends?: 'first' | 'last'): Promise<void>;
  stop(signal: NodeJS.Signals): void;
  /** Prints unexpected ends. Resolves with the exit code when all have ended. */
  ended(): Promise<number>;
}

export function createRun(): Run {
  const services: RunningService[] = [];
  const stopping = new AbortController();
  const last: RunningService[] = [];
  let editor: RunningService | undefined;
  let [stops, failed] = [0, false];

  async function stop(signal: NodeJS.Signals): Promise<void> {
    stops += 1;
    const round = stops;
    stopping.abort();
    editor?.stop(signal);
    if (round === 1) await editor?.ended;
    // A second Ctrl+C has signalled them already; two signals would drop their work.
    const others = services.filter((service) => service !== editor && !last.includes(service));
    if (round === stops) for (const service of others) service.stop(signal);
    if (round === 1) await Promise.all(others.map(({ ended }) => ended));
    if (round === stops) for (const service of last) service.stop(signal);
  }

  return {
    stopping: stopping.signal,
    stop: (signal) => void stop(signal),
    async start(start, ends) {
      if (stopping.signal.aborted) return;
      const service = await start();
      services.push(service);
      if (ends === 'first') editor = service;
      if (ends === 'last') last.push(service);
      if (stopping.signal.aborted) service.stop('SIGTERM');
      if ((await service.ready) || stopping.signal.aborted) return;
      console.error(`${service.name} did not start. The end of ${service.logFile}:\n`);
      console.error(await service.lastWords());
      failed = true;
      void stop('SIGTERM');
    },
    async ended() {
      const isUp = !stopping.signal.aborted;
      const codes = services.map(async ({ name, ended, logFile }) => {
        const code = await ended;
        if (code !== 0 && isUp) console.error(`${name} ended with exit code ${code}; see ${logFile}`);
        // The others are useless alone.
        if (!stopping.signal.aborted) void stop('SIGTERM');
        return code;
      });
      return Math.max(failed ? 1 : 0, ...(await Promise.all(codes)));
    },
  };
}
