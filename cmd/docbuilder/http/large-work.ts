import { rm } from 'node:fs/promises';
import { fileTooLarge } from '../../../src/common/errors.ts';
import { type EffectivePlan, maxFileBytes } from '../jobs/limits.ts';
import type { FlatWriter } from '../script/build.ts';
import { bodyPath, writeScript } from '../script/write-script.ts';
import { createThreads, moduleBeside } from '../source/threads.ts';
import { type Bodies, type BodyKind, type BodyReader, getSize, type Incoming, readBody, scriptIn } from './bodies.ts';

/** One long task does not hold up the next. */
const THREADS = 2;
/** Bytes that take at most ten milliseconds to read. */
const SMALL = 2 * 1024;

/** Reads and writes large bodies in other threads. @param plan in force when a body is read */
export function createLargeWork(plan: () => EffectivePlan): {
  readBody: BodyReader;
  writeFlat: FlatWriter;
  stop(): Promise<void>;
} {
  const threads = createThreads(moduleBeside(import.meta.url, 'large-work-thread'), THREADS);

  async function readElsewhere<Kind extends BodyKind>(
    kind: Kind,
    incoming: Incoming,
    signal: AbortSignal,
  ): Promise<Bodies[Kind]> {
    const inForce = plan();
    return threads.run<Bodies[Kind]>('read', { kind, incoming, plan: inForce }, signal).catch((error) => {
      if (!(error instanceof RangeError)) throw error;
      throw fileTooLarge(maxFileBytes(inForce), { subject: 'body', reason: 'memory_limit' }, error);
    });
  }

  return {
    readBody: async (kind, incoming, signal) =>
      getSize(incoming) > SMALL ? readElsewhere(kind, incoming, signal) : readBody(kind, incoming, plan()),
    async writeFlat(task, signal) {
      if (task.text.length <= SMALL && task.fetched.size === 0) return writeScript(scriptIn(task.text), task);
      try {
        await threads.run('write', task, signal);
      } catch (error) {
        // A thread that is ended leaves its files.
        await Promise.all([task.path, bodyPath(task.path)].map((path) => rm(path, { force: true })));
        throw error;
      }
    },
    stop: threads.stop,
  };
}
