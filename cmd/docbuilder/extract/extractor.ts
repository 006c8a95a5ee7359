import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileTooLarge } from '../../../src/common/errors.ts';
import type { ExtractedMeta } from '../../../src/common/generated/wire.ts';
import { createEmptyFile } from '../source/new-file.ts';
import { createThreads } from '../source/threads.ts';
import type { TextTask } from './document.ts';
import { createFonts } from './fonts.ts';
import type { Facts, MetaTask } from './meta.ts';

export type Extractor = ReturnType<typeof createExtractor>;

/** The source or the JavaScript beside this file. */
const MODULE = new URL(`./extract-thread${extname(import.meta.url)}`, import.meta.url);
/** At least two, so that one large document does not hold up the next. */
const THREADS = Math.max(2, availableParallelism());

/**
 * Creates threads that read flat OpenDocument files. Their functions throw AppErrors `file_too_large` and `corrupt_source`,
 * and the signal's reason.
 */
export function createExtractor() {
  const threads = createThreads(MODULE, THREADS);
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
