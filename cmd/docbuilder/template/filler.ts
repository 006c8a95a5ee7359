import { availableParallelism } from 'node:os';
import { createEmptyFile } from '../source/new-file.ts';
import { createThreads, moduleBeside } from '../source/threads.ts';
import { outputTooLarge, type TemplateTask } from './template.ts';

/** At least two: one large template does not delay the next. */
const THREADS = Math.max(2, availableParallelism());

/** Fills Word templates in other threads (contract: POST /v1/template/render). */
export interface TemplateFiller {
  /**
   * Writes the filled document to the new file `task.output`.
   * @throws {AppError} `template_error` with `fields` and `errors`; `file_too_large` if the result is over
   *   `maxOutputBytes` or needs more memory than a template may have; `corrupt_source` if the package cannot be read;
   *   `pool_unavailable` if the disk is full; the reason of an aborted signal
   */
  fill(task: TemplateTask, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** @param memoryMb heap of one thread in MiB; 100,000 rows of three cells take about 400 */
export function createTemplateFiller(memoryMb = 1024): TemplateFiller {
  const threads = createThreads(moduleBeside(import.meta.url, 'fill-thread'), THREADS, memoryMb);
  return {
    async fill(task, signal) {
      await createEmptyFile(task.output);
      await threads.run('fill', task, signal).catch((error) => {
        throw error instanceof RangeError ? outputTooLarge(task.maxOutputBytes, 'memory_limit', error) : error;
      });
    },
    stop: threads.stop,
  };
}
