import type { CsvSize } from './csv.ts';
import type { Inspection, InspectOptions } from './inspect/inspect.ts';
import type { TranscodeTask } from './inspect/text.ts';
import { createEmptyFile } from './new-file.ts';
import { createThreads, moduleBeside } from './threads.ts';

/** Two, so that one large source does not hold up the next. */
const THREADS = 2;

export type SourceThreads = ReturnType<typeof createSourceThreads>;

/** Creates threads that inspect and transcode sources: both take time that grows with the file. */
export function createSourceThreads() {
  const threads = createThreads(moduleBeside(import.meta.url, 'source-thread'), THREADS);
  return {
    /** @throws {AppError} as `inspect`; the signal's reason */
    inspect: (path: string, options: InspectOptions, signal: AbortSignal): Promise<Inspection> =>
      threads.run('inspect', { path, options }, signal),
    /** Creates the task's target. @throws {AppError} as `transcode`; the signal's reason */
    async transcode(task: TranscodeTask, signal: AbortSignal): Promise<CsvSize | undefined> {
      await createEmptyFile(task.target);
      return threads.run('transcode', task, signal);
    },
    stop: threads.stop,
  };
}
