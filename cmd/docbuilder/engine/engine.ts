import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { createCanary } from './canary.ts';
import { WorkerLost } from './failures.ts';
import { findOffice } from './office.ts';
import { WorkerPool } from './pool.ts';
import { createRunDirectory, isOpen } from './run-directory.ts';
import { createSandbox } from './sandbox.ts';
import { type Engine, EngineFailure, type EngineResult, type EngineTask, type SandboxKind } from './task.ts';
import { startWarmWorker } from './warm-up.ts';
import type { Worker, WorkerSettings } from './worker.ts';

export interface EngineSettings {
  /** Workers that run jobs, at first; one more stands by. */
  workers: number;
  /** A worker is replaced after so many jobs, */
  maxJobs: number;
  /** or minutes. */
  maxAgeMinutes: number;
  /** What LibreOffice may use in a job; after a job with over 60 % in use the worker is replaced. */
  memoryMb: number;
  /** A job may use this much CPU time on each of two cores. */
  jobTimeoutSeconds: number;
  /** Where workers have their folders. */
  workDir: string;
  /** `auto` takes the first kind that proves itself on this machine. */
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

/**
 * Starts the engine: finds LibreOffice, finds a sandbox that holds, and keeps a pool of workers in it.
 * @throws when LibreOffice is missing, or no sandbox of the kind wanted proves itself
 */
export async function createEngine(settings: EngineSettings): Promise<Engine> {
  const { log, clock = systemClock, memoryMb } = settings;
  const office = await findOffice(settings.officeDir);
  const runDirectory = await createRunDirectory(settings.workDir);
  const canary = await createCanary(runDirectory);
  const stopping = new AbortController();
  let started = 0;
  const directory = (slot: number) => join(runDirectory, `w${slot}-${started++}`);

  async function tryKind(kind: SandboxKind): Promise<{ first: Worker; settings: WorkerSettings }> {
    const sandbox = createSandbox(kind, office, Math.floor(TMP_SHARE * memoryMb) * MiB, await isOpen(runDirectory));
    const { jobTimeoutSeconds } = settings;
    const worker = { office, sandbox, canary, memoryMb, jobTimeoutSeconds, stopping: stopping.signal, log, clock };
    return { first: await startWarmWorker(0, directory(0), worker), settings: worker };
  }

  async function remove(): Promise<void> {
    canary.close();
    await rm(runDirectory, { recursive: true, force: true });
  }

  const { first, settings: worker } = await firstThatHolds(settings.sandbox, tryKind, log).catch(async (error) => {
    await remove();
    throw error;
  });
  if (worker.sandbox.kind === 'off') log.warn('workers run without a sandbox');
  const pool = new WorkerPool((slot) => startWarmWorker(slot, directory(slot), worker), first, {
    size: settings.workers,
    maxJobs: settings.maxJobs,
    maxAgeMinutes: settings.maxAgeMinutes,
    maxResidentBytes: WORN_SHARE * memoryMb * MiB,
    clock,
    log,
  });

  async function attempt(task: EngineTask, signal: AbortSignal): Promise<EngineResult> {
    const borrowed = await pool.acquire(signal);
    try {
      return await borrowed.run(task, signal);
    } finally {
      void pool.giveBack(borrowed);
    }
  }

  return {
    async run(task, signal) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(task, signal);
        } catch (error) {
          if (!(error instanceof WorkerLost)) throw error;
          log.warn({ err: error, tries }, 'a worker died during a job');
          if (tries === ATTEMPTS)
            throw new EngineFailure('crashed', 'two workers died while processing it', { cause: error });
        }
      }
    },
    status: () => ({
      core: { name: 'LibreOffice', version: office.version, source: office.vendor },
      sandbox: worker.sandbox.kind,
      workers: pool.counts(),
    }),
    resize: (workers) => pool.resize(workers),
    async stop() {
      stopping.abort(new EngineFailure('no_worker', 'the engine has stopped'));
      await pool.stop();
      await remove();
    },
  };
}

/** Tries the kinds of sandbox in order of strength. That one is available is not guessed: a worker must come up in it. */
async function firstThatHolds<T>(
  wanted: EngineSettings['sandbox'],
  tryKind: (kind: SandboxKind) => Promise<T>,
  log: Logger,
): Promise<T> {
  const reasons: string[] = [];
  for (const kind of wanted === 'auto' ? (['namespaces', 'landlock'] as const) : [wanted]) {
    try {
      return await tryKind(kind);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.info({ sandbox: kind, reason }, 'a kind of sandbox is not available');
      reasons.push(`${kind}: ${reason}`);
    }
  }
  throw new Error(`no sandbox for the workers (${reasons.join('; ')})`);
}
