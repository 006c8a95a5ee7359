import { open, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { TemplateFiller, TemplateTask } from '../domain/template.ts';
import type { FillReport } from './fill-worker.ts';
import { outputTooLarge } from './package-writer.ts';

/** Beside this file, whether as source or as JavaScript. */
const WORKER = new URL(`./fill-worker${extname(import.meta.url)}`, import.meta.url);

export interface FillerOptions {
  /** Heap of one worker in MiB. 100,000 rows of three cells take about 400. */
  memoryMb?: number;
}

/** A filler of Word templates. Each template is filled in a thread of its own, which may be ended at any time. */
export function createTemplateFiller({ memoryMb = 1024 }: FillerOptions = {}): TemplateFiller {
  return {
    async fill(task, signal) {
      // Made here, so that what is removed after a failure is what was made here.
      await (await open(task.output, 'wx', 0o600)).close();
      try {
        signal.throwIfAborted();
        await run(task, memoryMb, signal);
      } catch (error) {
        await rm(task.output, { force: true });
        throw error;
      }
    },
  };
}

async function run(task: TemplateTask, memoryMb: number, signal: AbortSignal): Promise<void> {
  const worker = start(task, memoryMb);
  try {
    const { error } = await answer(worker, signal, task.maxOutputBytes);
    if (error) throw new AppError(error.code, error.detail, { cause: error.cause });
  } finally {
    await worker.terminate();
  }
}

function start(task: TemplateTask, maxOldGenerationSizeMb: number): Worker {
  const { template, data, output, missing, maxOutputBytes } = task;
  try {
    return new Worker(WORKER, {
      workerData: { template, data, output, missing, maxOutputBytes },
      resourceLimits: { maxOldGenerationSizeMb },
      env: {},
      stdin: false,
    });
  } catch (error) {
    // A copy is made of the data, level by level.
    if (error instanceof RangeError) throw tooDeep(error);
    throw error;
  }
}

/** The worker's report. */
function answer(worker: Worker, signal: AbortSignal, maxOutputBytes: number): Promise<FillReport> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(isMemory ? outputTooLarge(maxOutputBytes, 'memory_limit', error) : error);
    });
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', onAbort);
      reject(new Error(`the template worker ended with code ${code} and said nothing`));
    });
  });
}

function tooDeep(cause: unknown): AppError {
  const error = badRequest({ path: '/data', message: 'lồng nhau quá sâu' });
  return new AppError(error.code, error.detail, { cause });
}
