import { statfsSync } from 'node:fs';
import { expect } from 'chai';
import { txt } from '../support/open-documents.ts';
import { readError, startEnterprise, type TestService } from '../support/service.ts';
import { useSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

describe('a full disk', () => {
  let service: TestService;
  const disk = useSmallDisk(16, () => service?.stop({ keep: true }));
  before(async () => {
    // With an engine of its own, whose folder is there as well.
    service = await startEnterprise({ SVC_DOCBUILDER_DATA_DIR: disk.folder, SVC_DOCBUILDER_WORKERS: '1' });
  });

  const isSteady = async (): Promise<boolean> => {
    const before = statfsSync(disk.folder).bavail;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return statfsSync(disk.folder).bavail === before;
  };

  const convert = () => service.convert(txt({ paragraphs: 2000 }), 'a.txt', { to: 'pdf' });

  for (const [what, fill] of [
    ['while the file is uploaded', () => disk.fill(0)],
    ['while the text is read', () => disk.fill(200_000)],
    ['while the engine writes', () => disk.fill(580_000)],
    // With fewer the job's folder cannot be made.
    ['while the engine makes files', () => disk.fillFiles(7)],
  ] as const) {
    it(`${what}: pool_unavailable with Retry-After, and all is well once there is space`, async () => {
      disk.free();
      await until('LibreOffice has let go of the files of the last job', isSteady);
      fill();
      const refused = await convert();
      expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
      expect(await readError(refused)).to.deep.include({
        status: 503,
        code: 'pool_unavailable',
        detail: { reason: 'disk_full' },
      });
      disk.free();
      const response = await convert();
      expect(response.status).to.equal(200);
      await response.arrayBuffer();
    });
  }
});
