import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { type Canary, createCanary } from './canary.ts';
import { WorkerLost } from './failures.ts';
import { findOffice, type Office } from './office.ts';
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

const MiB = 1024 * 1024;
const WORN_SHARE = 0.6;
const TMP_SHARE = 0.5;
const ATTEMPTS = 2;
const STALL_SECONDS = 20;

/**
 * Starts the engine: finds LibreOffice, finds a sandbox that holds, and keeps a pool of workers in it.
 * @throws when LibreOffice is missing, or no sandbox of the kind wanted proves itself
 */
export async function createEngine(settings: EngineSettings): Promise<Engine> {
  const office = await findOffice(settings.officeDir);
  const runDirectory = await createRunDirectory(settings.workDir);
  const canary = await createCanary(runDirectory);
  const engine = new LibreOfficeEngine(settings, office, runDirectory, canary);
  await engine.start();
  return engine;
}

class LibreOfficeEngine implements Engine {
  readonly #settings: EngineSettings;
  readonly #office: Office;
  readonly #runDirectory: string;
  readonly #canary: Canary;
  readonly #stopping = new AbortController();
  #sandbox: SandboxKind = 'off';
  #pool: WorkerPool | undefined;
  #started = 0;

  constructor(settings: EngineSettings, office: Office, runDirectory: string, canary: Canary) {
    this.#settings = settings;
    this.#office = office;
    this.#runDirectory = runDirectory;
    this.#canary = canary;
  }

  async start(): Promise<void> {
    const { workers, maxJobs, maxAgeMinutes, memoryMb, log, clock = systemClock } = this.#settings;
    const { first, worker } = await this.#findSandbox().catch(async (error) => {
      await this.#remove();
      throw error;
    });
    this.#sandbox = worker.sandbox.kind;
    if (this.#sandbox === 'off') log.warn('workers run without a sandbox');
    const maxResidentBytes = WORN_SHARE * memoryMb * MiB;
    const options = { size: workers, maxJobs, maxAgeMinutes, maxResidentBytes, clock, log };
    this.#pool = new WorkerPool((slot) => startWarmWorker(slot, this.#newDirectory(slot), worker), first, options);
  }

  async run(task: EngineTask, signal: AbortSignal): Promise<EngineResult> {
    for (let tries = 1; ; tries++) {
      const worker = await this.#workers.acquire(signal);
      try {
        return await worker.run(task, signal);
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error;
        this.#settings.log.warn({ err: error, tries }, 'a worker died during a job');
        if (tries === ATTEMPTS) {
          throw new EngineFailure('crashed', 'two workers died while processing it', { cause: error });
        }
      } finally {
        void this.#workers.giveBack(worker);
      }
    }
  }

  status() {
    const { version, vendor } = this.#office;
    return {
      core: { name: 'LibreOffice', version, source: vendor },
      sandbox: this.#sandbox,
      workers: this.#workers.counts(),
    };
  }

  resize(workers: number): void {
    this.#workers.resize(workers);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new EngineFailure('no_worker', 'the engine has stopped'));
    await this.#workers.stop();
    await this.#remove();
  }

  get #workers(): WorkerPool {
    if (!this.#pool) throw new Error('the engine has not started');
    return this.#pool;
  }

  #newDirectory(slot: number): string {
    return join(this.#runDirectory, `w${slot}-${this.#started++}`);
  }

  /** Tries the kinds of sandbox in order of strength. One is available only if a worker comes up in it. */
  async #findSandbox(): Promise<{ first: Worker; worker: WorkerSettings }> {
    const { sandbox: wanted, log } = this.#settings;
    const reasons: string[] = [];
    for (const kind of wanted === 'auto' ? (['namespaces', 'landlock'] as const) : [wanted]) {
      try {
        return await this.#startFirst(kind);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.info({ sandbox: kind, reason }, 'a kind of sandbox is not available');
        reasons.push(`${kind}: ${reason}`);
      }
    }
    throw new Error(`no sandbox for the workers (${reasons.join('; ')})`);
  }

  async #startFirst(kind: SandboxKind): Promise<{ first: Worker; worker: WorkerSettings }> {
    const { memoryMb, jobTimeoutSeconds, stallSeconds = STALL_SECONDS, log, clock = systemClock } = this.#settings;
    const office = this.#office;
    const tmpBytes = Math.floor(TMP_SHARE * memoryMb) * MiB;
    const sandbox = createSandbox(kind, office, tmpBytes, await isOpen(this.#runDirectory));
    const limits = { memoryMb, jobTimeoutSeconds, stallSeconds };
    const worker = { office, sandbox, canary: this.#canary, ...limits, stopping: this.#stopping.signal, log, clock };
    return { first: await startWarmWorker(0, this.#newDirectory(0), worker), worker };
  }

  async #remove(): Promise<void> {
    this.#canary.close();
    await rm(this.#runDirectory, { recursive: true, force: true });
  }
}
