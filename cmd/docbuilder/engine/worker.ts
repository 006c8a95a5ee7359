import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../src/common/clock.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Canary } from './canary.ts';
import { type Conversation, converse } from './conversation.ts';
import { deathOf, taskFailure } from './failures.ts';
import { conversionOf } from './filters.ts';
import { createJobFolder, type JobFolder } from './job-folder.ts';
import type { Office } from './office.ts';
import { hasFontsOfDocuments } from './profile.ts';
import { deliverAll } from './result.ts';
import type { Sandbox } from './sandbox.ts';
import { removeSockets } from './sockets.ts';
import type { EngineResult, EngineTask } from './task.ts';
import { makeWorkerFolder, setupMessage, userOf, workerCommand } from './worker-setup.ts';

export interface WorkerSettings {
  office: Office;
  sandbox: Sandbox;
  canary: Canary;
  memoryMb: number;
  jobTimeoutSeconds: number;
  /** Ends every worker when it is aborted, also those that are just starting. */
  stopping: AbortSignal;
  log: Logger;
  clock: Clock;
}

/** One LibreOffice in its sandbox. It does one job at a time. */
export interface Worker {
  readonly slot: number;
  readonly startedAt: number;
  readonly alive: boolean;
  /** Bytes of memory after the last job. */
  readonly resident: number;
  /** Whether a document has left something in LibreOffice that the next one would be made with. */
  readonly marked: boolean;
  /**
   * Does a task. The worker dies of a WorkerLost and of an abort, which rejects with the signal's reason.
   * @throws {EngineFailure | WorkerLost}
   */
  run(task: EngineTask, signal: AbortSignal): Promise<EngineResult>;
  /** Resolves when all of it has ended, however that came. */
  readonly ended: Promise<void>;
  /** Resolves when the last job's document is closed and its folder gone: only then may the next one come. */
  settled(): Promise<void>;
  /** Ends the worker and removes its folder. */
  end(): Promise<void>;
}

const MiB = 1024 * 1024;
const START_MS = 30_000;
const CLOSE_MS = 10_000;
const CORES_OF_A_JOB = 2;
/** What a temporary file of LibreOffice may be larger than the result may. */
const FILE_SLACK = 128 * MiB;

/**
 * Starts a worker in `directory`, which it makes, and waits until it has proven its confinement and LibreOffice
 * answers.
 * @param slot decides its uid; no two living workers have the same
 * @throws when it does not start; nothing is left of it then
 */
export async function startWorker(slot: number, directory: string, settings: WorkerSettings): Promise<Worker> {
  const { office, sandbox, stopping, log, clock } = settings;
  const user = userOf(slot, sandbox);
  const startedAt = clock();
  let settled: Promise<void> = Promise.resolve();
  let child: Conversation | undefined;
  let alive = true;
  let jobs = 0;
  let resident = 0;
  let marked = false;

  function end(): Promise<void> {
    alive = false;
    child?.kill();
    ending ??= (async () => {
      stopping.removeEventListener('abort', end);
      await starting.catch(() => undefined);
      await child?.ended;
      await settled;
      if (sandbox.kind !== 'namespaces') await removeSockets([directory]);
      await rm(directory, { recursive: true, force: true });
    })();
    return ending;
  }
  let ending: Promise<void> | undefined;
  let starting: Promise<unknown> = Promise.resolve();
  stopping.addEventListener('abort', end);

  async function start(): Promise<Conversation> {
    await makeWorkerFolder(directory, office, user);
    const { command, environment } = workerCommand(directory, office, sandbox);
    stopping.throwIfAborted();
    child = await converse(command, environment);
    if (!alive) child.kill();
    void child.ended.then(() => {
      alive = false;
    });
    child.send(setupMessage(directory, settings, user));
    const ready = await child.next('ready', START_MS);
    if (ready) return child;
    const refused = child.lastWords()?.['refused'];
    throw new Error(refused ? `it is not confined: ${refused}` : `it did not start: ${child.errorOutput().trim()}`);
  }

  const conversation = start();
  starting = conversation;
  const worker = await conversation.catch(async (error) => {
    await end();
    throw error;
  });

  async function perform(task: EngineTask, folder: JobFolder, id: number): Promise<EngineResult> {
    const { load, outputs, ...told } = conversionOf(task);
    const inside = (path: string) => pathToFileURL(join(sandbox.home(directory), 'jobs', path)).href;
    worker.send({
      ...{ id, input: inside(folder.input), load, ...told },
      outputs: folder.outputs.map((path, index) => ({ url: inside(path), ...outputs[index] })),
      cpuSeconds: settings.jobTimeoutSeconds * CORES_OF_A_JOB,
      fileBytes: task.maxOutputBytes + FILE_SLACK,
    });
    const answer = await worker.next('answer');
    if (!answer) throw deathOf(worker.lastWords());
    if (answer['answer'] !== 'done') throw await taskFailure(answer, task, directory);
    const pages = await deliverAll(task, folder, Number(answer['counted']));
    return { pages, loadMs: Number(answer['loadMs']), storeMs: Number(answer['storeMs']) };
  }

  /** Waits for the document to be closed. A worker that cannot even do that is of no more use. */
  async function settle(folder: JobFolder): Promise<void> {
    const closed = await worker.next('closed', CLOSE_MS);
    if (closed) resident = Number(closed['resident']);
    else worker.kill();
    marked ||= hasFontsOfDocuments(directory);
    folder.remove();
  }

  async function run(task: EngineTask, signal: AbortSignal): Promise<EngineResult> {
    signal.throwIfAborted();
    const id = ++jobs;
    const folder = await createJobFolder(join(directory, 'jobs'), task, user);
    const abort = () => void end();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await perform(task, folder, id);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      settled = settle(folder).catch((error) => {
        log.warn({ err: error, slot }, 'the folder of a job could not be removed');
        worker.kill();
      });
    }
  }

  return {
    slot,
    startedAt,
    get alive() {
      return alive;
    },
    get resident() {
      return resident;
    },
    get marked() {
      return marked;
    },
    ended: worker.ended,
    run,
    settled: () => settled,
    end,
  };
}
