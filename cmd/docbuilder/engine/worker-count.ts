import { readSmallFile } from '../../../src/common/fs/read-small.ts';
import type { Logger } from '../../../src/common/log.ts';
import { MAX_WORKERS } from '../../../src/common/plan.ts';
import { FILE_LOOK_MS, repeat } from '../../../src/common/repeat.ts';

interface WorkerCountOptions {
  /** A file with the number, which may change at any time. Without one the number is always `fallback`. */
  path?: string | undefined;
  /** The number until the file has had one. */
  fallback: number;
  log: Pick<Logger, 'info' | 'warn'>;
  pollMs?: number;
}

interface WorkerCount {
  current(): number;
  /** Calls `changed` after each change, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** Reads the number of workers from a file. While the file has no number, the last one stays. */
export async function readWorkerCount(options: WorkerCountOptions): Promise<WorkerCount> {
  const { path, fallback, log, pollMs = FILE_LOOK_MS } = options;
  if (path === undefined) return { current: () => fallback, watch: () => () => undefined };
  let count = fallback;
  let warned: string | undefined;

  async function read(file: string): Promise<void> {
    const found = await readSmallFile(file);
    const number = found.ok ? parseCount(found.text) : undefined;
    count = number ?? count;
    const missing = found.ok && found.text === null ? 'is missing' : `holds no number from 1 to ${MAX_WORKERS}`;
    const problem = number === undefined ? (found.ok ? missing : found.problem) : undefined;
    if (problem !== undefined && problem !== warned)
      log.warn({ path, workers: count }, `the file with the number of workers ${problem}`);
    warned = problem;
  }

  await read(path);
  return {
    current: () => count,
    watch: (changed) =>
      repeat(pollMs, async () => {
        const before = count;
        await read(path);
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
