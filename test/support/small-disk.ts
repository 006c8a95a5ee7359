import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file system of so many megabytes for the suite around the call, which is skipped where none can be mounted: that
 * needs root.
 * @param stop ends what works on it
 */
export function useSmallDisk(megabytes: number, stop: () => Promise<unknown> | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const ballast = join(folder, 'ballast');
  const free = () => rmSync(ballast, { force: true });
  let isMounted = false;
  before(function () {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder];
    try {
      execFileSync('mount', options, { stdio: 'ignore' });
      isMounted = true;
    } catch {
      this.skip();
    }
  });
  after(async () => {
    await stop();
    if (isMounted) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  /** Leaves so many bytes free, until `free`. */
  const fill = (bytes: number) => {
    free();
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, new Uint8Array(Math.max(0, bavail * bsize - bytes)));
  };
  return { folder, free, fill };
}
