import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { WorkerLost } from './failures.ts';
import { findOffice } from './office.ts';
import { START_MS, WorkerPool } from './pool.ts';
import { createRunDirectory, isOpen, removeFolder } from './run-directory.ts';
import { createSandbox } from './sandbox.ts';
import { type Engine, EngineFailure, type EngineResult, type EngineTask, type SandboxKind } from './task.ts';
import { startWarmWorker } from './warm-up.ts';
import type { Worker } from './worker.ts';

export interface EngineSettings {
  /** Workers that run jobs, at first; one more stands by. */
  workers: number;
  /** A worker is replaced after so many jobs or minutes. */
  maxJobs: number;
  maxAgeMinutes: number;
  /** Memory of its own that LibreOffice may use in a job; after a job with over 60 % in use the worker is replaced. */
  memoryMb: number;
  /** A job may use so much CPU time on each of two cores. */
  jobTimeoutSeconds: number;
  /** A job that uses no CPU time for so long is ended. */
  stallSeconds?: number;
  /** The workers' folders are in it. */
  workDir: string;
  /** `auto` takes the first kind that works on this machine. */
  sandbox: 'auto' | SandboxKind;
  /** The folder of `soffice.bin`, where it is not a usual one. */
  officeDir?: string | undefined;
  log: Logger;
  clock?: Clock;
}

const MiB = 1024 * 1024;
const WORN_SHARE = 0.6;
const TMP_SHARE = 0.5;
const ATTEMPTS = 2;
const STALL_SECONDS = 20;

/**
 * Starts the engine: finds LibreOffice, finds a sandbox that works, and keeps a pool of workers in it.
 * @throws when LibreOffice is missing, or no sandbox of the kind asked for works
 */
export async function createEngine(options: EngineSettings): Promise<Engine> {
  const { memoryMb, jobTimeoutSeconds, stallSeconds = STALL_SECONDS, log, clock = systemClock } = options;
  const office = await findOffice(options.officeDir);
  const runDirectory = await createRunDirectory(options.workDir, log);
  const { canary, close } = await createCanary(runDirectory);
  const stopping = new AbortController();
  const open = await isOpen(runDirectory);
  let started = 0;
  const start = (slot: number, kind: SandboxKind, startMs: number): Promise<Worker> => {
    const sandbox = createSandbox(kind, office, Math.floor(TMP_SHARE * memoryMb) * MiB, open);
    const limits = { memoryMb, jobTimeoutSeconds, stallSeconds, startMs };
    const settings = { office, sandbox, canary, ...limits, stopping: stopping.signal, log, clock };
    return startWarmWorker(slot, join(runDirectory, `w${slot}-${started++}`), settings);
  };
  const remove = () => {
    close();
    return removeFolder(runDirectory, log);
  };

  const { first, kind } = await findSandbox(options.sandbox, start, log).catch(async (error) => {
    await remove();
    throw error;
  });
  if (kind === 'off') log.warn('workers run without a sandbox');
  const { workers: size, maxJobs, maxAgeMinutes } = options;
  const limits = { size, maxJobs, maxAgeMinutes, maxIdleBytes: WORN_SHARE * memoryMb * MiB };
  const pool = new WorkerPool((slot, limitMs) => start(slot, kind, limitMs), first, { ...limits, clock, log });

  return {
    run: (task, signal) => runOnWorker(pool, task, signal, log),
    status: () => {
      const core = { name: 'LibreOffice', version: office.version, source: office.vendor };
      return { core, sandbox: kind, workers: pool.counts() };
    },
    resize: (size) => pool.resize(size),
    async stop() {
      stopping.abort(new EngineFailure('no_worker', 'the engine has stopped'));
      await pool.stop();
      await remove();
    },
  };
}

/** Starts the first worker in the strongest kind of sandbox in which one starts. */
async function findSandbox(
  wanted: EngineSettings['sandbox'],
  start: (slot: number, kind: SandboxKind, startMs: number) => Promise<Worker>,
  log: Logger,
): Promise<{ first: Worker; kind: SandboxKind }> {
  const reasons: string[] = [];
  for (const kind of wanted === 'auto' ? (['namespaces', 'landlock'] as const) : [wanted]) {
    try {
      return { first: await start(0, kind, START_MS), kind };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.info({ sandbox: kind, reason }, 'a kind of sandbox is not available');
      reasons.push(`${kind}: ${reason}`);
    }
  }
  throw new Error(`no sandbox for the workers (${reasons.join('; ')})`);
}

/** Runs a task, and once more where its worker dies of no known fault. */
async function runOnWorker(
  pool: WorkerPool,
  task: EngineTask,
  signal: AbortSignal,
  log: Logger,
): Promise<EngineResult> {
  for (let tries = 1; ; tries++) {
    const worker = await pool.acquire(signal);
    try {
      return await worker.run(task, signal);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      log.warn({ err: error, tries }, 'a worker died during a job');
      if (tries === ATTEMPTS) {
        throw new EngineFailure('crashed', 'two workers died while processing it', { cause: error });
      }
    } finally {
      void pool.giveBack(worker);
    }
  }
}

/** Starts a server on the loopback interface and writes a file in `directory`, which no worker must reach. */
export async function createCanary(directory: string) {
  const server = createServer((socket) => socket.destroy());
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const file = join(directory, 'canary');
  await writeFile(file, 'a worker that reads this is not confined\n', { mode: 0o644 });
  return { canary: { port: (server.address() as AddressInfo).port, file }, close: () => void server.close() };
}
