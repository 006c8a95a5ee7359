import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { WorkerLost } from './failures.ts';
import { findOffice } from './office.ts';
import { WorkerPool } from './pool.ts';
import { createRunDirectory, isOpen, removeFolder } from './run-directory.ts';
import { createSandbox } from './sandbox.ts';
import { type Engine, EngineFailure, type EngineResult, type EngineTask, type SandboxKind } from './task.ts';
import { startWarmWorker } from './warm-up.ts';
import type { Worker, WorkerSettings } from './worker.ts';
import type { Canary } from './worker-setup.ts';

export interface EngineSettings {
  /** Workers that run jobs, at first; one more stands by. */
  workers: number;
  /** A worker is replaced after so many jobs, */
  maxJobs: number;
  /** or minutes. */
  maxAgeMinutes: number;
  /** Memory that LibreOffice may use in a job; after a job with over 60 % in use the worker is replaced. */
  memoryMb: number;
  /** A job may use this much CPU time on each of two cores. */
  jobTimeoutSeconds: number;
  /** LibreOffice may stand still over a document for so long. */
  stallSeconds?: number;
  /** Workers have their folders here. */
  workDir: string;
  /** `auto` takes the first kind that proves itself on this machine. */
  sandbox: 'auto' | SandboxKind;
  /** The folder of `soffice.bin`, where it is not a usual one. */
  officeDir?: string | undefined;
  log: Logger;
  clock?: Clock;
}

/** Starts a worker in a slot and a new folder. */
type Start = (slot: number, settings: WorkerSettings) => Promise<Worker>;

const MiB = 1024 * 1024;
const WORN_SHARE = 0.6;
const TMP_SHARE = 0.5;
const ATTEMPTS = 2;
const STALL_SECONDS = 20;

/**
 * Starts the engine: finds LibreOffice, finds a sandbox that holds, and keeps a pool of workers in it.
 * @throws when LibreOffice is missing, or no sandbox of the kind wanted proves itself
 */
export async function createEngine(options: EngineSettings): Promise<Engine> {
  const { workers, maxJobs, maxAgeMinutes, memoryMb, jobTimeoutSeconds, log } = options;
  const { stallSeconds = STALL_SECONDS, clock = systemClock } = options;
  const office = await findOffice(options.officeDir);
  const runDirectory = await createRunDirectory(options.workDir, log);
  const { canary, close } = await createCanary(runDirectory);
  const stopping = new AbortController();
  let started = 0;
  const start: Start = (slot, settings) => startWarmWorker(slot, join(runDirectory, `w${slot}-${started++}`), settings);
  const remove = () => {
    close();
    return removeFolder(runDirectory, log);
  };

  const limits = { memoryMb, jobTimeoutSeconds, stallSeconds };
  const parts = { office, canary, ...limits, stopping: stopping.signal, log, clock };
  const open = await isOpen(runDirectory);
  const toSettings = (kind: SandboxKind): WorkerSettings => {
    const sandbox = createSandbox(kind, office, Math.floor(TMP_SHARE * memoryMb) * MiB, open);
    return { ...parts, sandbox };
  };
  const { first, settings } = await findSandbox(options.sandbox, toSettings, start, log).catch(async (error) => {
    await remove();
    throw error;
  });
  const { kind } = settings.sandbox;
  if (kind === 'off') log.warn('workers run without a sandbox');
  const maxResidentBytes = WORN_SHARE * memoryMb * MiB;
  const poolOptions = { size: workers, maxJobs, maxAgeMinutes, maxResidentBytes, clock, log };
  const pool = new WorkerPool((slot) => start(slot, settings), first, poolOptions);

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

/** Tries the kinds of sandbox in order of strength. One is available only if a worker comes up in it. */
async function findSandbox(
  wanted: EngineSettings['sandbox'],
  toSettings: (kind: SandboxKind) => WorkerSettings,
  start: Start,
  log: Logger,
): Promise<{ first: Worker; settings: WorkerSettings }> {
  const reasons: string[] = [];
  for (const kind of wanted === 'auto' ? (['namespaces', 'landlock'] as const) : [wanted]) {
    try {
      const settings = toSettings(kind);
      return { first: await start(0, settings), settings };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.info({ sandbox: kind, reason }, 'a kind of sandbox is not available');
      reasons.push(`${kind}: ${reason}`);
    }
  }
  throw new Error(`no sandbox for the workers (${reasons.join('; ')})`);
}

/** Runs a task, once more where its worker dies of no known fault. */
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

/** Puts up things that a worker must not reach: a server on the loopback interface, and a file in `directory`. */
export async function createCanary(directory: string): Promise<{ canary: Canary; close(): void }> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const file = join(directory, 'canary');
  await writeFile(file, 'a worker that reads this is not confined\n', { mode: 0o644 });
  return { canary: { port: (server.address() as AddressInfo).port, file }, close: () => void server.close() };
}
