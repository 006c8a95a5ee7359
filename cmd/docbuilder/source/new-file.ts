import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * A new file to write to, for this process alone. It is there before anything is written, so that whoever removes it after
 * a failure does remove it: a stream that opens its file by itself may still do so when it has failed.
 * @throws the system's error, also where something is at `path`
 */
export async function createNewFile(path: string): Promise<WriteStream> {
  return (await open(path, 'wx', 0o600)).createWriteStream();
}

/**
 * Creates an empty file for a thread to fill. Created here, so that a thread that is ended creates no file after somebody
 * has removed it.
 * @throws the system's error, also where something is at `path`
 */
export async function createEmptyFile(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}
