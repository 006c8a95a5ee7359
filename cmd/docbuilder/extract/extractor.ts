import { availableParallelism } from 'node:os';
import { fileTooLarge } from '../../../src/common/errors.ts';
import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import { createEmptyFile } from '../source/new-file.ts';
import { createThreads, moduleBeside } from '../source/threads.ts';
import type { TextTask } from './document.ts';
import { createFonts } from './fonts.ts';
import type { Facts, MetaTask } from './meta.ts';

export type Extractor = ReturnType<typeof createExtractor>;

/** At least two, so that one large document does not hold up the next. */
const THREADS = Math.max(2, availableParallelism());

/**
 * Creates threads that read flat OpenDocument files. Their functions throw AppErrors `file_too_large` and `corrupt_source`,
 * and the signal's reason.
 */
export function createExtractor() {
  const threads = createThreads(moduleBeside(import.meta.url, 'extract-thread'), THREADS);
  const fonts = createFonts();
  const run = <Value>(name: string, task: { maxBytes: number }, signal: AbortSignal) =>
    threads.run<Value>(name, task, signal).catch((error) => {
      if (!(error instanceof RangeError)) throw error;
      throw fileTooLarge(task.maxBytes, { subject: 'output', reason: 'memory_limit' }, error);
    });
  return {
    async writeText(task: TextTask, signal: AbortSignal): Promise<void> {
      await createEmptyFile(task.target);
      await run('text', task, signal);
    },
    async readMeta(task: MetaTask & { maxBytes: number }, signal: AbortSignal): Promise<ExtractedMeta> {
      const facts = await run<Facts>('meta', task, signal);
      return { ...facts, fonts: await fonts.lookUp(facts.fonts, signal) };
    },
    stop: threads.stop,
  };
}
