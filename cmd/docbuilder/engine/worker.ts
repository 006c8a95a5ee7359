import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import { deathFailure, taskFailure } from './failures.ts';
import { toConversion } from './filters.ts';
import { createJobFolder, fileError, type JobFolder } from './job-folder.ts';
import { hasFontsOfDocuments } from './profile.ts';
import { deliverAll } from './result.ts';
import { removeFolder, removeSockets } from './run-directory.ts';
import { getUid, makeWorkerFolder, setupMessage, type WorkerSetup, workerCommand } from './sandbox.ts';
import type { EngineResult, EngineTask } from './task.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerSettings extends WorkerSetup {
  jobTimeoutSeconds: number;
  /** Time for its start, and for the conversions that warm it up. */
  startMs: number;
  /** Ends all workers when it aborts, also those that are starting. */
  stopping: AbortSignal;
  log: Logger;
  clock: Clock;
}

const MiB = 1024 * 1024;
const CLOSE_MS = 10_000;
const CORES_OF_A_JOB = 2;
/** A temporary file of LibreOffice may be so much larger than the result. */
const FILE_SLACK = 128 * MiB;

/** One LibreOffice in its sandbox. It does one job at a time. */
export class Worker {
  readonly slot: number;
  readonly startedAt: number;
  /** Resolves when all of its processes have ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Bytes of memory of its own after the last job. */
  memory = 0;
  /** LibreOffice would use fonts of an earlier document for the next one. */
  marked = false;
  readonly #directory: string;
  readonly #settings: WorkerSettings;
  readonly #uid: number | undefined;
  readonly #process: WorkerProcess;
  #alive = true;
  #settled: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;

  private constructor(slot: number, directory: string, settings: WorkerSettings, process: WorkerProcess, uid?: number) {
    this.slot = slot;
    this.startedAt = settings.clock();
    this.ended = process.ended;
    this.#directory = directory;
    this.#settings = settings;
    this.#uid = uid;
    this.#process = process;
    settings.stopping.addEventListener('abort', this.end);
    void process.ended.then(() => {
      this.#alive = false;
    });
  }

  /**
   * Starts a worker in the new folder `directory`. It is ready when it has proven its confinement and LibreOffice answers.
   * @param slot decides its uid; no two living workers have the same
   * @throws when it does not start; nothing is left of it then
   */
  static async start(slot: number, directory: string, settings: WorkerSettings): Promise<Worker> {
    const { office, sandbox, stopping, log } = settings;
    const uid = getUid(slot, sandbox);
    let worker: Worker | undefined;
    try {
      await makeWorkerFolder(directory, office, uid);
      const { command, environment } = workerCommand(directory, office, sandbox);
      stopping.throwIfAborted();
      const process = await WorkerProcess.start(command, environment);
      worker = new Worker(slot, directory, settings, process, uid);
      stopping.throwIfAborted();
      process.send(setupMessage(directory, settings, uid));
      if (await process.next('ready', settings.startMs)) return worker;
      const refused = process.lastWords?.['refused'];
      if (refused) throw new Error(`it is not confined: ${refused}`);
      throw new Error(worker.alive ? 'LibreOffice does not answer' : `it did not start: ${process.errorOutput.trim()}`);
    } catch (error) {
      await (worker ? worker.end() : removeFolder(directory, log));
      throw error;
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Resolves when the last job's document is closed and its folder removed; only then may the next job begin. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /**
   * Does a task. The worker dies of a WorkerLost and of an abort, which rejects with the signal's reason.
   * @throws {EngineFailure | WorkerLost}
   */
  async run(task: EngineTask, signal: AbortSignal): Promise<EngineResult> {
    signal.throwIfAborted();
    const folder = await createJobFolder(join(this.#directory, 'jobs'), task, this.#uid);
    const abort = () => void this.end();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await this.#perform(task, folder);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#settled = this.#settle(folder).catch((error) => {
        this.#settings.log.warn({ err: fileError(error), slot: this.slot }, 'the folder of a job could not be removed');
        this.#process.kill();
      });
    }
  }

  /** Ends the worker and removes its folder. */
  readonly end = (): Promise<void> => {
    this.#alive = false;
    this.#process.kill();
    this.#ending ??= this.#remove();
    return this.#ending;
  };

  async #remove(): Promise<void> {
    const { sandbox, stopping, log } = this.#settings;
    stopping.removeEventListener('abort', this.end);
    await this.ended;
    await this.#settled;
    if (sandbox.kind !== 'namespaces') await removeSockets([this.#directory]);
    await removeFolder(this.#directory, log);
  }

  async #perform(task: EngineTask, folder: JobFolder): Promise<EngineResult> {
    const { sandbox, jobTimeoutSeconds } = this.#settings;
    const { outputs, ...conversion } = toConversion(task);
    const inside = (path: string) => pathToFileURL(join(sandbox.home(this.#directory), 'jobs', path)).href;
    this.#process.send({
      ...conversion,
      input: inside(folder.input),
      outputs: folder.outputs.map((path, index) => ({ url: inside(path), ...outputs[index] })),
      cpuSeconds: jobTimeoutSeconds * CORES_OF_A_JOB,
      fileBytes: task.maxOutputBytes + FILE_SLACK,
    });
    const answer = await this.#process.next('answer');
    if (!answer) throw deathFailure(this.#process.lastWords);
    if (answer['answer'] !== 'done') throw await taskFailure(answer, task);
    const pages = await deliverAll(task, folder, Number(answer['counted']));
    return { pages, loadMs: Number(answer['loadMs']), storeMs: Number(answer['storeMs']) };
  }

  /** Waits until the document is closed; a worker that cannot close it is killed. */
  async #settle(folder: JobFolder): Promise<void> {
    const closed = await this.#process.next('closed', CLOSE_MS);
    if (closed) this.memory = Number(closed['memory']);
    else this.#process.kill();
    this.marked ||= hasFontsOfDocuments(this.#directory);
    folder.remove();
  }
}
