import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const MAX_BYTES = 65_536;

/** The trimmed text of a file, null without a file, or the problem of reading it. */
export type SmallFile = { ok: true; text: string | null } | { ok: false; problem: string };

/** Reads at most 64 KiB of a regular file. */
export async function readSmallFile(path: string): Promise<SmallFile> {
  try {
    // Without O_NONBLOCK the opening of a named pipe waits for its writer, for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return { ok: false, problem: 'is not a file' };
      if (stat.size > MAX_BYTES) return { ok: false, problem: `is larger than ${MAX_BYTES / 1024} KiB` };
      return { ok: true, text: (await file.readFile('utf8')).trim() };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: true, text: null };
    return { ok: false, problem: `cannot be read (${code})` };
  }
}
