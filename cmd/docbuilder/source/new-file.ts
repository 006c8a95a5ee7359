import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Creates a file, readable by this process's user only, before it returns: a stream that opens its file by itself may do so
 * after the file was removed.
 * @throws the system's error, also where `path` exists
 */
export async function createNewFile(path: string): Promise<WriteStream> {
  return (await open(path, 'wx', 0o600)).createWriteStream();
}

/** Creates an empty file that a thread writes, for the same reason. @throws the system's error, also where `path` exists */
export async function createEmptyFile(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}
