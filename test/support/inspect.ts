import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inspection, InspectOptions } from '../../cmd/docbuilder/source/inspect/inspect.ts';
import { inspect } from '../../cmd/docbuilder/source/inspect/inspect.ts';
import { AppError } from '../../src/common/errors.ts';

/** A folder for one test file, with what puts bytes into it; `remove` when done. */
export async function tempFolder(): Promise<{
  path: string;
  file: (content: string | Uint8Array) => Promise<string>;
  remove: () => Promise<void>;
}> {
  const path = await mkdtemp(join(tmpdir(), 'svc-inspect-'));
  let count = 0;
  return {
    path,
    file: async (content) => {
      const name = join(path, `source-${++count}`);
      await writeFile(name, content);
      return name;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** What is found, or the code and detail of the error that says why not. */
export async function verdict(
  path: string,
  filename?: string,
  options: Partial<InspectOptions> = {},
): Promise<Inspection | { code: string; detail: object }> {
  try {
    return await inspect(path, { hasPassword: false, ...(filename !== undefined && { filename }), ...options });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.detail };
  }
}

export const corrupt = (reason: string) => ({ code: 'corrupt_source', detail: { reason } });
export const unsupported = (from: string) => ({ code: 'unsupported_format', detail: { from } });
