import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { deathFailure, taskFailure } from './failures.ts';
import { toConversion } from './filters.ts';
import { createJobFolder, fileError, type JobFolder, type User } from './job-folder.ts';
import { hasFontsOfDocuments } from './profile.ts';
import { deliverAll } from './result.ts';
import { removeFolder, removeSockets } from './run-directory.ts';
import type { EngineResult, EngineTask } from './task.ts';
import { WorkerProcess } from './worker-process.ts';
import { getUser, makeWorkerFolder, setupMessage, type WorkerSetup, workerCommand } from './worker-setup.ts';

export interface WorkerSettings extends WorkerSetup {
  jobTimeoutSeconds: number;
  /** Ends every worker when it is aborted, also those that are just starting. */
  stopping: AbortSignal;
  log: Logger;
  clock: Clock;
}

const MiB = 1024 * 1024;
const START_MS = 30_000;
const CLOSE_MS = 10_000;
const CORES_OF_A_JOB = 2;
/** Temporary files of LibreOffice may be larger than the result by this much. */
const FILE_SLACK = 128 * MiB;

/** One LibreOffice in its sandbox. It does one job at a time. */
export class Worker {
  readonly slot: number;
  readonly startedAt: number;
  /** Bytes of memory after the last job. */
  resident = 0;
  /** A document has left something in LibreOffice that the next one would be made with. */
  marked = false;
  readonly #directory: string;
  readonly #settings: WorkerSettings;
  readonly #user: User | undefined;
  readonly #starting: Promise<WorkerProcess>;
  #process: WorkerProcess | undefined;
  #alive = true;
  #jobs = 0;
  #settled: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;

  private constructor(slot: number, directory: string, settings: WorkerSettings) {
    this.slot = slot;
    this.startedAt = settings.clock();
    this.#directory = directory;
    this.#settings = settings;
    this.#user = getUser(slot, settings.sandbox);
    settings.stopping.addEventListener('abort', this.end);
    this.#starting = this.#start();
  }

  /**
   * Starts a worker in `directory`, which it makes, and waits until it has proven its confinement and LibreOffice
   * answers.
   * @param slot decides its uid; no two living workers have the same
   * @throws when it does not start; nothing is left of it then
   */
  static async start(slot: number, directory: string, settings: WorkerSettings): Promise<Worker> {
    const worker = new Worker(slot, directory, settings);
    try {
      await worker.#starting;
      return worker;
    } catch (error) {
      await worker.end();
      throw error;
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when all of it has ended, however that came. */
  get ended(): Promise<void> {
    return this.#starting.then((process) => process.ended);
  }

  /** Resolves when the last job's document is closed and its folder gone: only then may the next one come. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /**
   * Does a task. The worker dies of a WorkerLost and of an abort, which rejects with the signal's reason.
   * @throws {EngineFailure | WorkerLost}
   */
  async run(task: EngineTask, signal: AbortSignal): Promise<EngineResult> {
    signal.throwIfAborted();
    const id = ++this.#jobs;
    const process = await this.#starting;
    const folder = await createJobFolder(join(this.#directory, 'jobs'), task, this.#user);
    const abort = () => void this.end();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await this.#perform(process, task, folder, id);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#settled = this.#settle(process, folder).catch((error) => {
        this.#settings.log.warn({ err: fileError(error), slot: this.slot }, 'the folder of a job could not be removed');
        process.kill();
      });
    }
  }

  /** Ends the worker and removes its folder. */
  readonly end = (): Promise<void> => {
    this.#alive = false;
    this.#process?.kill();
    this.#ending ??= this.#remove();
    return this.#ending;
  };

  async #remove(): Promise<void> {
    const { sandbox, stopping, log } = this.#settings;
    stopping.removeEventListener('abort', this.end);
    await this.#starting.catch(() => undefined);
    await this.#process?.ended;
    await this.#settled;
    if (sandbox.kind !== 'namespaces') await removeSockets([this.#directory]);
    await removeFolder(this.#directory, log);
  }

  async #start(): Promise<WorkerProcess> {
    const { office, sandbox, stopping } = this.#settings;
    await makeWorkerFolder(this.#directory, office, this.#user);
    const { command, environment } = workerCommand(this.#directory, office, sandbox);
    stopping.throwIfAborted();
    const process = await WorkerProcess.start(command, environment);
    this.#process = process;
    if (!this.#alive) process.kill();
    void process.ended.then(() => {
      this.#alive = false;
    });
    process.send(setupMessage(this.#directory, this.#settings, this.#user));
    if (await process.next('ready', START_MS)) return process;
    const refused = process.lastWords?.['refused'];
    throw new Error(refused ? `it is not confined: ${refused}` : `it did not start: ${process.errorOutput.trim()}`);
  }

  async #perform(process: WorkerProcess, task: EngineTask, folder: JobFolder, id: number): Promise<EngineResult> {
    const { sandbox, jobTimeoutSeconds } = this.#settings;
    const { load, outputs, ...rest } = toConversion(task);
    const inside = (path: string) => pathToFileURL(join(sandbox.home(this.#directory), 'jobs', path)).href;
    process.send({
      ...{ id, input: inside(folder.input), load, ...rest },
      outputs: folder.outputs.map((path, index) => ({ url: inside(path), ...outputs[index] })),
      cpuSeconds: jobTimeoutSeconds * CORES_OF_A_JOB,
      fileBytes: task.maxOutputBytes + FILE_SLACK,
    });
    const answer = await process.next('answer');
    if (!answer) throw deathFailure(process.lastWords);
    if (answer['answer'] !== 'done') throw await taskFailure(answer, task, this.#directory);
    const pages = await deliverAll(task, folder, Number(answer['counted']));
    return { pages, loadMs: Number(answer['loadMs']), storeMs: Number(answer['storeMs']) };
  }

  /** Waits for the document to be closed. A worker that cannot even do that is of no more use. */
  async #settle(process: WorkerProcess, folder: JobFolder): Promise<void> {
    const closed = await process.next('closed', CLOSE_MS);
    if (closed) this.resident = Number(closed['resident']);
    else process.kill();
    this.marked ||= hasFontsOfDocuments(this.#directory);
    folder.remove();
  }
}
