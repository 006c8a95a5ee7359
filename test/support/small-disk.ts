import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A file system of so many megabytes and 4,000 files for the suite around the call, which is skipped where none can be mounted: that
 * needs root.
 * @param stop ends what works on it
 */
export function useSmallDisk(megabytes: number, stop: () => Promise<unknown> | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const ballast = join(folder, 'ballast');
  const free = () => rmSync(ballast, { recursive: true, force: true });
  let isMounted = false;
  before(function () {
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,nr_inodes=4000,mode=700`, 'tmpfs', folder];
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
  /** Leaves room for so many files, until `free`. */
  const fillFiles = (count: number) => {
    free();
    mkdirSync(ballast);
    for (let left = Number(statfsSync(folder).ffree); left > count; left--) writeFileSync(join(ballast, `${left}`), '');
  };
  return { folder, free, fill, fillFiles };
}
