import { readSmallFile } from '../../../src/common/fs/read-small.ts';
import { watchFiles } from '../../../src/common/fs/watch-files.ts';
import type { Logger } from '../../../src/common/log.ts';
import { MAX_WORKERS } from '../../../src/common/plan.ts';

export interface WorkerCountOptions {
  /** File with the number, which may change at any time. Absent: it is always the fallback. */
  path?: string | undefined;
  /** Where the file is missing or says nothing of use at the start. Later the last number of use stays. */
  fallback: number;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between looks at the file that no event asked for. */
  pollMs?: number | undefined;
}

export interface WorkerCount {
  /** As the file was last read. */
  current(): number;
  /** Calls `changed` after each change from now on, until it is ended by what it returns. */
  watch(changed: () => void): () => void;
}

/** Resolves when the file has been read once. Rejects for nothing that is in it. */
export async function readWorkerCount({ path, fallback, log, pollMs }: WorkerCountOptions): Promise<WorkerCount> {
  let count = fallback;
  let told: string | undefined;
  if (path === undefined) return { current: () => count, watch: () => () => undefined };

  async function look(): Promise<void> {
    const file = await readSmallFile(path as string);
    const found = file.ok ? parseCount(file.text) : undefined;
    const problem = file.ok
      ? file.text === null
        ? 'is missing'
        : `holds no number from 1 to ${MAX_WORKERS}`
      : file.problem;
    if (found !== undefined) count = found;
    else if (problem !== told) log.warn({ path, workers: count }, `the file with the number of workers ${problem}`);
    told = found === undefined ? problem : undefined;
  }

  await look();
  return {
    current: () => count,
    watch: (changed) =>
      watchFiles(
        [path],
        async () => {
          const before = count;
          await look();
          if (count === before) return;
          log.info({ workers: count, before }, 'the number of workers changes');
          changed();
        },
        { pollMs },
      ),
  };
}

function parseCount(text: string | null): number | undefined {
  const count = /^[0-9]{1,2}$/.test(text ?? '') ? Number(text) : Number.NaN;
  return count >= 1 && count <= MAX_WORKERS ? count : undefined;
}
