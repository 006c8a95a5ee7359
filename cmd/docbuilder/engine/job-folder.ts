import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rm,
  unlink,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MAX_STEM_BYTES, truncate } from '../domain/filename.ts';
import type { ConvertTask } from '../domain/ports.ts';
import { EngineFailure } from '../domain/ports.ts';

/** The user a worker runs as, where that is not the service's own. */
export interface User {
  uid: number;
  gid: number;
}

/** A fresh folder for one job: the source, and `out/` in which the worker makes the result. */
export interface JobFolder {
  /** Names below the folder given to `createJobFolder`. */
  input: string;
  output: string;
  /** Moves the result to `target`, which does not exist yet. @throws {EngineFailure} */
  deliver(target: string, maxBytes: number): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Makes a job's folder in `directory` with a copy of the task's source. A copy, because a worker that a document has
 * taken over must not be able to change the file that a second attempt starts from.
 * @param user owner of `out/`; all the rest stays out of the worker's hands where it has a uid of its own
 */
export async function createJobFolder(directory: string, task: ConvertTask, user?: User): Promise<JobFolder> {
  const name = randomBytes(8).toString('hex');
  const folder = join(directory, name);
  const stem = safeStem(task.stem);
  const input = `${stem}.${task.from}`;
  const output = `${stem}.${task.to}`;
  await mkdir(folder, { mode: 0o755 });
  let out: FileHandle | undefined;
  try {
    await copyFile(task.input, join(folder, input), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    if (user) await chmod(join(folder, input), 0o644);
    const results = join(folder, 'out');
    await mkdir(results, { mode: 0o700 });
    if (user) await chown(results, user.uid, user.gid);
    // From here on the folder is known by its descriptor: a link put in its place leads nowhere.
    out = await open(results, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const held = `/proc/self/fd/${out.fd}`;
    if ((await readlink(held)) !== results) throw new EngineFailure('crashed', 'the job folder was replaced');
  } catch (error) {
    await out?.close();
    await rm(folder, { recursive: true, force: true });
    throw diskFull(error);
  }
  const results = out;
  return {
    input: join(name, input),
    output: join(name, 'out', output),
    deliver: (target, maxBytes) => deliver(`/proc/self/fd/${results.fd}/${output}`, target, maxBytes),
    async remove() {
      await results.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function deliver(source: string, target: string, maxBytes: number): Promise<void> {
  const made = await lstat(source).catch(() => undefined);
  if (!made?.isFile()) throw new EngineFailure('corrupt', 'no result was written');
  if (made.size > maxBytes) throw new EngineFailure('output_limit', `the result has ${made.size} bytes`);
  try {
    await move(source, target);
    // Checked again where the worker cannot reach it: it may have swapped the file in between.
    const moved = await lstat(target);
    if (!moved.isFile() || moved.nlink !== 1 || moved.size > maxBytes) {
      throw new EngineFailure('crashed', 'the result was replaced');
    }
    if (process.getuid && moved.uid !== process.getuid())
      await chown(target, process.getuid(), process.getgid?.() ?? 0);
    if ((moved.mode & 0o777) !== 0o600) await chmod(target, 0o600);
  } catch (error) {
    await rm(target, { force: true });
    throw diskFull(error);
  }
}

async function move(source: string, target: string): Promise<void> {
  try {
    await rename(source, target);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
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

/** Errors of a file system without space as EngineFailure; others unchanged. */
export function diskFull(error: unknown): unknown {
  if (!hasCode(error, 'ENOSPC') && !hasCode(error, 'EDQUOT')) return error;
  return new EngineFailure('disk_full', 'no space for a job', { cause: error });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
