import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the suite around the call, or each of its tests, a folder that is removed afterwards. */
export function useFolder(scope: 'suite' | 'test' = 'suite') {
  let [path, count] = ['', 0];
  const [begin, end] = scope === 'suite' ? [before, after] : [beforeEach, afterEach];
  begin(async () => {
    path = await mkdtemp(join(tmpdir(), 'svc-test-'));
  });
  end(() => rm(path, { recursive: true, force: true }));
  /** Joins names to its path. */
  const at = (...names: string[]) => join(path, ...names);
  return {
    get path() {
      return path;
    },
    at,
    /** Writes a file with a name of its own. Returns its path. */
    async file(content: string | Uint8Array): Promise<string> {
      const name = at(`file-${++count}`);
      await writeFile(name, content);
      return name;
    },
  };
}
