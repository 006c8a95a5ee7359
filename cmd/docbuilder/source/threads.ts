import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { parentPort, Worker } from 'node:worker_threads';
import { createPool } from 'generic-pool';
import { AppError, type ErrorCode, type ErrorDetail, MB } from '../../../src/common/errors.ts';
import { orDiskFull } from '../../../src/common/fs/disk-full.ts';
import { unlessAborted } from '../../../src/common/net/deadline.ts';

/** The result of a task: a value, or an error that has a code. Anything else ends it with an exception. */
type Report<Value> = { value: Value } | { error: { code: ErrorCode; detail: ErrorDetail; cause: string | undefined } };

/** Does the work of a thread and returns its result; a full disk is one, too. */
async function toReport<Value>(work: () => Value | Promise<Value>): Promise<Report<Value>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    const error = orDiskFull(thrown);
    if (!(error instanceof AppError)) throw error;
    return { error: { code: error.code, detail: error.detail, cause: describeCause(error.cause) } };
  }
}

/** Returns the value that a thread reported. @throws {AppError} what it reported instead */
function reported<Value>(report: Report<Value>): Value {
  if ('value' in report) return report.value;
  const { code, detail, cause } = report.error;
  throw new AppError(code, detail, { cause });
}

/** A message may hold text of a document; a name and the places in code do not. */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const frames = cause.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return [cause.name, ...frames.slice(0, 5)].join('\n');
}

/** Returns whether a thread ended because its heap was full. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Threads for work that would keep others waiting: each does one task at a time, and is kept for the next one. */
export interface Threads {
  /**
   * Does a task in the next free thread. The input is copied, and so is the value.
   * @throws {AppError} as the task does; RangeError if it needs more memory than there is; the signal's reason
   */
  run<Value>(task: string, input: unknown, signal: AbortSignal): Promise<Value>;
  /** Ends all threads, whatever they are doing. */
  stop(): Promise<void>;
}

/**
 * @param module which calls `serveTasks`; a thread that runs it is started when none is free
 * @param size most threads at a time
 * @param memoryMb heap of a thread in MiB; unless given, as much as the one that it takes work from may have
 */
export function createThreads(module: URL, size: number, memoryMb = getHeapStatistics().heap_size_limit / MB): Threads {
  const stopping = new AbortController();
  const pool = createPool<Worker>(
    {
      create: async () => start(module, memoryMb),
      destroy: async (thread) => void (await thread.terminate()),
      // A thread that has ended has no id.
      validate: async (thread) => thread.threadId !== -1,
    },
    { max: size, testOnBorrow: true },
  );
  return {
    async run<Value>(task: string, input: unknown, signal: AbortSignal): Promise<Value> {
      const ended = AbortSignal.any([signal, stopping.signal]);
      // Nobody waits for what was ended before its turn came; the thread is as good as before.
      const asked = pool.use(async (thread) => (ended.aborted ? undefined : ask(thread, { task, input }, ended)));
      return reported((await unlessAborted(asked, ended)) as Report<Value>);
    },
    async stop() {
      stopping.abort(new Error('the threads are stopped'));
      await pool.drain();
      await pool.clear();
    },
  };
}

/** The other side: does the tasks that `Threads` hands to this thread, one after the other. */
export function serveTasks(tasks: Readonly<Record<string, (input: never) => unknown>>): void {
  parentPort?.on('message', async ({ task, input }: { task: string; input: never }) => {
    parentPort?.postMessage(await toReport(() => tasks[task]?.(input)));
  });
}

/** A thread keeps no process alive while it waits. */
function start(module: URL, maxOldGenerationSizeMb: number): Worker {
  const thread = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb }, env: {}, stdin: false });
  thread.unref();
  // `once` rejects for the caller that waits; nobody else needs to know.
  thread.on('error', () => undefined);
  return thread;
}

async function ask(thread: Worker, message: object, signal: AbortSignal): Promise<Report<unknown>> {
  thread.ref();
  try {
    thread.postMessage(message);
    const [report] = await once(thread, 'message', { signal });
    return report;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw isOutOfMemory(error) ? new RangeError('out of memory', { cause: error }) : error;
  } finally {
    thread.unref();
  }
}
