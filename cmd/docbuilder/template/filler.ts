import { rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createEmptyFile } from '../../../src/common/fs/new-file.ts';
import { isOutOfMemory, type Report, reported } from '../../../src/common/threads.ts';
import { outputTooLarge, type TemplateFiller, type TemplateTask } from './template.ts';

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
      // Outside of `try`, so that what is removed after a failure is what was made here.
      await createEmptyFile(task.output);
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
    reported(await answer(worker, signal, task.maxOutputBytes));
  } finally {
    await worker.terminate();
  }
}

function start(task: TemplateTask, maxOldGenerationSizeMb: number): Worker {
  const { template, data, output, missing, maxOutputBytes } = task;
  return new Worker(WORKER, {
    workerData: { template, data, output, missing, maxOutputBytes },
    resourceLimits: { maxOldGenerationSizeMb },
    env: {},
    stdin: false,
  });
}

/** The worker's report. */
function answer(worker: Worker, signal: AbortSignal, maxOutputBytes: number): Promise<Report<void>> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', (error) => {
      reject(isOutOfMemory(error) ? outputTooLarge(maxOutputBytes, 'memory_limit', error) : error);
    });
    worker.once('exit', (code) => {
      signal.removeEventListener('abort', onAbort);
      reject(new Error(`the template worker ended with code ${code} and said nothing`));
    });
  });
}
