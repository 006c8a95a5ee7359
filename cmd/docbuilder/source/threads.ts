import { once } from 'node:events';
import { extname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { parentPort, Worker } from 'node:worker_threads';
import { createPool } from 'generic-pool';
import { AppError, type ErrorCode, type ErrorDetail, MB } from '../../../src/common/errors.ts';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { unlessAborted } from '../../../src/common/net/deadline.ts';

/** The result of a task. Any other error than an AppError or a full disk ends the thread. */
type Report<Value> = { value: Value } | { error: { code: ErrorCode; detail: ErrorDetail; cause: string | undefined } };

async function toReport<Value>(work: () => Value | Promise<Value>): Promise<Report<Value>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const error = orDiskFull(thrown);
    if (!(error instanceof AppError)) throw error;
    return { error: { code: error.code, detail: error.detail, cause: describeCause(error.cause) } };
  }
}

/** Returns an error without its message, which may contain text of a document. */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const frames = cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [cause.name, ...frames.slice(0, 5)].join('\n');
}

export type Threads = ReturnType<typeof createThreads>;

/** Returns a module beside another one, whether as TypeScript or as JavaScript. @param url of the other one */
export function moduleBeside(url: string, name: string): URL {
  return new URL(`${name}${extname(url)}`, url);
}

/**
 * Creates threads for work that would block the event loop. Each does one task at a time, and is kept for the next one.
 * @param module calls `serveTasks`
 * @param size most threads at a time
 * @param memoryMb heap of a thread in MiB; by default that of the main thread
 */
export function createThreads(module: URL, size: number, memoryMb = getHeapStatistics().heap_size_limit / MB) {
  const stopping = new AbortController();
  const pool = createPool<Worker | AppError>(
    {
      create: async () => start(module, memoryMb),
      destroy: async (thread) => void (thread instanceof Worker && (await thread.terminate())),
      // A thread that has ended has no id.
      validate: async (thread) => !(thread instanceof Worker) || thread.threadId !== -1,
    },
    { max: size, testOnBorrow: true },
  );
  return {
    /**
     * Does a task in the next free thread. Input and value are copied.
     * @throws {AppError} as the task does; `pool_unavailable` where no thread can be started; RangeError if the heap is too
     *   small; the signal's reason
     */
    async run<Value>(task: string, input: unknown, signal: AbortSignal): Promise<Value> {
      const ended = AbortSignal.any([signal, stopping.signal]);
      // A task that was ended before its turn leaves the thread as it is.
      const asked = pool.use(async (thread) => {
        // Also for a task that has ended: the pool would keep the error, and fail the next task with it.
        if (!(thread instanceof Worker)) throw thread;
        return ended.aborted ? undefined : ask(thread, { task, input }, ended);
      });
      const report = (await unlessAborted(asked, ended)) as Report<Value>;
      if ('value' in report) return report.value;
      const { code, detail, cause } = report.error;
      throw new AppError(code, detail, { cause });
    },
    /** Ends all threads, and the tasks in them. */
    async stop(): Promise<void> {
      stopping.abort(new Error('the threads are stopped'));
      await pool.drain();
      await pool.clear();
    },
  };
}

/** Does the tasks that `Threads` sends to this thread. */
export function serveTasks(tasks: Readonly<Record<string, (input: never) => unknown>>): void {
  parentPort?.on('message', async ({ task, input }: { task: string; input: never }) => {
    parentPort?.postMessage(await toReport(() => tasks[task]?.(input)));
  });
}

/**
 * Starts a thread that keeps no process alive while it waits. @returns the error for the task where none can be started:
 * generic-pool would try again at once, for ever
 */
function start(module: URL, maxOldGenerationSizeMb: number): Worker | AppError {
  try {
    const thread = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb }, env: {}, stdin: false });
    thread.unref();
    // `once` (in `ask`) rejects for the caller.
    thread.on('error', () => undefined);
    return thread;
  } catch (error) {
    return noThread(error);
  }
}

function noThread(cause: unknown): AppError {
  return new AppError('pool_unavailable', { reason: 'no_worker' }, { cause });
}

async function ask(thread: Worker, message: object, signal: AbortSignal): Promise<Report<unknown>> {
  thread.ref();
  try {
    thread.postMessage(message);
    const [report] = await once(thread, 'message', { signal });
    return report;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_WORKER_INIT_FAILED') throw noThread(error);
    throw code === 'ERR_WORKER_OUT_OF_MEMORY' ? new RangeError('out of memory', { cause: error }) : error;
  } finally {
    thread.unref();
  }
}
