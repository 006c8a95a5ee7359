import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { copyFile, open, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { truncate } from '../../../src/common/truncate.ts';
import { MAX_STEM_BYTES, toSheetName } from '../source/filename.ts';
import { EngineFailure, type EngineTask } from './task.ts';

/** The user a worker runs as, where that is not the service's own. */
export interface User {
  uid: number;
  gid: number;
}

/** A fresh folder for one job: the source, and `out/` in which the worker makes the results. */
export interface JobFolder {
  /** Names below the folder given to `createJobFolder`. */
  input: string;
  outputs: string[];
  /** Moves result `index` to `target`, which does not exist yet. @throws {EngineFailure} */
  deliver(index: number, target: string, maxBytes: number): Promise<void>;
  remove(): void;
}

/**
 * Makes a job's folder in `directory` with a copy of the task's source. A copy, because a worker that a document has
 * taken over must not be able to change the file that a second attempt starts from.
 * @param user owner of `out/`; all the rest stays out of the worker's hands where it has a uid of its own
 */
export async function createJobFolder(directory: string, task: EngineTask, user?: User): Promise<JobFolder> {
  const name = randomBytes(8).toString('hex');
  const folder = join(directory, name);
  const stem = safeStem(task.from === 'csv' ? toSheetName(task.stem) : task.stem);
  const input = `${stem}.${task.from}`;
  // Numbers keep two of one format apart.
  const outputs = task.outputs.map(({ to }, index) => (index === 0 ? `${stem}.${to}` : `${index}-${stem}.${to}`));
  let out: number | undefined;
  // A handful of names in a folder of our own: done at once they take less time than to be handed to a thread each, and
  // all the while the worker would stand idle.
  try {
    mkdirSync(folder, { mode: 0o755 });
    await copyFile(task.input, join(folder, input), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    if (user) chmodSync(join(folder, input), 0o644);
    const results = join(folder, 'out');
    mkdirSync(results, { mode: 0o700 });
    if (user) chownSync(results, user.uid, user.gid);
    // From here on the folder is known by its descriptor: a link put in its place leads nowhere.
    out = openSync(results, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    if (readlinkSync(`/proc/self/fd/${out}`) !== results)
      throw new EngineFailure('crashed', 'the job folder was replaced');
  } catch (error) {
    if (out !== undefined) closeSync(out);
    rmSync(folder, { recursive: true, force: true });
    throw fileError(error);
  }
  const results = out;
  return {
    input: join(name, input),
    outputs: outputs.map((output) => join(name, 'out', output)),
    deliver: (index, target, maxBytes) => deliver(`/proc/self/fd/${results}/${outputs[index]}`, target, maxBytes),
    remove() {
      closeSync(results);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function deliver(source: string, target: string, maxBytes: number): Promise<void> {
  const made = lstatSync(source, { throwIfNoEntry: false });
  if (!made?.isFile()) throw new EngineFailure('corrupt', 'no result was written');
  if (made.size > maxBytes) throw new EngineFailure('output_limit', `the result has ${made.size} bytes`);
  try {
    await move(source, target);
    // Checked again where the worker cannot reach it: it may have swapped the file in between.
    const moved = lstatSync(target);
    if (!moved.isFile() || moved.nlink !== 1 || moved.size > maxBytes) {
      throw new EngineFailure('crashed', 'the result was replaced');
    }
    if (process.getuid && moved.uid !== process.getuid()) chownSync(target, process.getuid(), process.getgid?.() ?? 0);
    if ((moved.mode & 0o777) !== 0o600) chmodSync(target, 0o600);
  } catch (error) {
    rmSync(target, { force: true });
    throw fileError(error);
  }
}

async function move(source: string, target: string): Promise<void> {
  try {
    renameSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const from = await open(source, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await copyFile(`/proc/self/fd/${from.fd}`, target, constants.COPYFILE_EXCL);
    } finally {
      await from.close();
    }
    await unlink(source);
  }
}

/** The stem as a file name of one component, whatever the caller sent. */
function safeStem(stem: string): string {
  const name = basename(stem.replaceAll('\0', '')).replace(/^\.+/, '');
  return truncate(name, MAX_STEM_BYTES) || 'document';
}

/** Errors of a file system: without space as EngineFailure, others without the path, in which the document's name stands. */
export function fileError(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  const { syscall, code } = error;
  const cause = Object.assign(new Error(`${syscall}: ${code}`), { syscall, code });
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return full ? new EngineFailure('disk_full', 'no space for a job', { cause }) : cause;
}
