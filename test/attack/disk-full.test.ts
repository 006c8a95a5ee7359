import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { txt } from '../support/open-documents.ts';
import { errorOf, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** A file system of 16 MB as the data folder; needs root. */
describe('a full disk', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const ballast = join(dataDir, 'ballast');
  let service: TestService | undefined;

  before(async function () {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', dataDir], { stdio: 'ignore' });
    } catch {
      this.skip();
    }
    // With an engine of its own, whose folder is there as well.
    service = await startService({ SVC_DOCBUILDER_DATA_DIR: dataDir, SVC_DOCBUILDER_WORKERS: '1' });
  });
  after(async () => {
    await service?.stop({ keep: true });
    if (service) execFileSync('umount', [dataDir]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Leaves `bytes` of the file system free, once LibreOffice has let go of the last job's files. */
  async function fill(bytes: number): Promise<void> {
    rmSync(ballast, { force: true });
    await until('free space stays as it is', isSteady);
    const { bavail, bsize } = statfsSync(dataDir);
    writeFileSync(ballast, new Uint8Array(Math.max(0, bavail * bsize - bytes)));
  }

  const isSteady = async (): Promise<boolean> => {
    const before = statfsSync(dataDir).bavail;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return statfsSync(dataDir).bavail === before;
  };

  const convert = async (): Promise<Response> => {
    if (!service) throw new Error('not started');
    return service.convert(txt({ paragraphs: 2000 }), 'a.txt', { to: 'pdf' });
  };

  for (const [what, free] of [
    ['while the file is uploaded', 0],
    ['while the text is read', 200_000],
    ['while the engine writes', 580_000],
  ] as const) {
    it(`${what}: pool_unavailable with Retry-After, and all is well once there is space`, async () => {
      await fill(free);
      const refused = await convert();
      expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
      expect(await errorOf(refused)).to.deep.include({
        status: 503,
        code: 'pool_unavailable',
        detail: { reason: 'disk_full' },
      });
      rmSync(ballast);
      const response = await convert();
      expect(response.status).to.equal(200);
      await response.arrayBuffer();
    });
  }
});
