import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { copyFile, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { toSheetName } from '../source/filename.ts';
import { EngineFailure, type EngineTask } from './task.ts';

export type JobFolder = Awaited<ReturnType<typeof createJobFolder>>;

/**
 * Creates a job's folder in `directory`, with `out/` for the results and a copy of the task's source: a worker that a
 * document has taken over must not be able to change the file that a second attempt reads.
 * @param uid owner of `out/`; a worker with its own uid can write nowhere else
 */
export async function createJobFolder(directory: string, task: EngineTask, uid?: number) {
  const name = randomBytes(8).toString('hex');
  const folder = join(directory, name);
  const stem = task.from === 'csv' ? toSheetName(task.stem) : task.stem;
  const input = `${stem}.${task.from}`;
  const outputs = task.outputs.map(({ to }, index) => (index === 0 ? `${stem}.${to}` : `${index}-${stem}.${to}`));
  let out: number | undefined;
  // Synchronous calls are faster here than the thread pool, and the worker is idle meanwhile.
  try {
    fs.mkdirSync(folder, { mode: 0o755 });
    await copyFile(task.input, join(folder, input), fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
    if (uid !== undefined) fs.chmodSync(join(folder, input), 0o644);
    const results = join(folder, 'out');
    fs.mkdirSync(results, { mode: 0o700 });
    if (uid !== undefined) fs.chownSync(results, uid, uid);
    // From here on the folder is used by its descriptor, so a link in its place has no effect.
    out = fs.openSync(results, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
    if (fs.readlinkSync(`/proc/self/fd/${out}`) !== results)
      throw new EngineFailure('crashed', 'the job folder was replaced');
  } catch (error) {
    if (out !== undefined) fs.closeSync(out);
    fs.rmSync(folder, { recursive: true, force: true });
    throw fileError(error);
  }
  const results = out;
  return {
    /** Paths in `directory`. */
    input: join(name, input),
    outputs: outputs.map((output) => join(name, 'out', output)),
    /** Moves result `index` to `target`, which must not exist. @throws {EngineFailure} */
    deliver: (index: number, target: string, maxBytes: number) =>
      deliver(`/proc/self/fd/${results}/${outputs[index]}`, target, maxBytes),
    remove(): void {
      fs.closeSync(results);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function deliver(source: string, target: string, maxBytes: number): Promise<void> {
  const made = fs.lstatSync(source, { throwIfNoEntry: false });
  if (!made?.isFile()) throw new EngineFailure('corrupt', 'no result was written');
  if (made.size > maxBytes) throw new EngineFailure('output_limit', `the result has ${made.size} bytes`);
  try {
    await move(source, target);
    // The worker may have replaced the file before it was moved.
    const moved = fs.lstatSync(target);
    if (!moved.isFile() || moved.nlink !== 1 || moved.size > maxBytes) {
      throw new EngineFailure('crashed', 'the result was replaced');
    }
    if (process.getuid && moved.uid !== process.getuid())
      fs.chownSync(target, process.getuid(), process.getgid?.() ?? 0);
    if ((moved.mode & 0o777) !== 0o600) fs.chmodSync(target, 0o600);
  } catch (error) {
    fs.rmSync(target, { force: true });
    throw fileError(error);
  }
}

async function move(source: string, target: string): Promise<void> {
  try {
    fs.renameSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const from = await open(source, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      await copyFile(`/proc/self/fd/${from.fd}`, target, fs.constants.COPYFILE_EXCL);
    } finally {
      await from.close();
    }
    await unlink(source);
  }
}

/** Returns an error of a file system as `disk_full`, or without its path, which contains the document's name. */
export function fileError(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  const { syscall, code } = error;
  const cause = Object.assign(new Error(`${syscall}: ${code}`), { syscall, code });
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return full ? new EngineFailure('disk_full', 'no space for a job', { cause }) : cause;
}
