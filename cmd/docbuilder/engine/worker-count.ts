import { readSmallFile } from '../../../src/common/fs/read-small.ts';
import type { Logger } from '../../../src/common/log.ts';
import { MAX_WORKERS } from '../../../src/common/plan.ts';
import { FILE_LOOK_MS, repeat } from '../../../src/common/repeat.ts';

interface WorkerCountOptions {
  /** File with the number, which may change at any time. Absent: it is always the fallback. */
  path?: string | undefined;
  /** The number until the file has held one. */
  fallback: number;
  log: Pick<Logger, 'info' | 'warn'>;
  pollMs?: number;
}

interface WorkerCount {
  current(): number;
  /** Calls `changed` after each change from now on, until it is ended by the function that it returns. */
  watch(changed: () => void): () => void;
}

/** Resolves when the file has been read once, whatever is in it. A file without a number leaves the last one. */
export async function readWorkerCount({
  path,
  fallback,
  log,
  pollMs = FILE_LOOK_MS,
}: WorkerCountOptions): Promise<WorkerCount> {
  if (path === undefined) return { current: () => fallback, watch: () => () => undefined };
  const file = path;
  let count = fallback;
  let warned: string | undefined;

  async function read(): Promise<void> {
    const found = await readSmallFile(file);
    const number = found.ok ? parseCount(found.text) : undefined;
    count = number ?? count;
    const missing = found.ok && found.text === null ? 'is missing' : `holds no number from 1 to ${MAX_WORKERS}`;
    const problem = number === undefined ? (found.ok ? missing : found.problem) : undefined;
    if (problem !== undefined && problem !== warned)
      log.warn({ path, workers: count }, `the file with the number of workers ${problem}`);
    warned = problem;
  }

  await read();
  return {
    current: () => count,
    watch: (changed) =>
      repeat(pollMs, async () => {
        const before = count;
        await read();
        if (count === before) return;
        log.info({ workers: count, before }, 'the number of workers changes');
        changed();
      }),
  };
}

function parseCount(text: string | null): number | undefined {
  const count = /^[0-9]{1,2}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return count >= 1 && count <= MAX_WORKERS ? count : undefined;
}
