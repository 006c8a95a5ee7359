import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type DataDir, openDataDir } from '../../cmd/gate/store/data-dir.ts';
import { documentRecord } from '../support/gate-records.ts';

/** A file system of 4 MB as the data folder; needs root. */
describe('a full disk under the gate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const ballast = join(folder, 'ballast');
  let data: DataDir | undefined;

  before(async function () {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      this.skip();
    }
    data = await openDataDir(folder);
  });
  after(async () => {
    await data?.rows.close();
    if (data) execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });

  function opened(): DataDir {
    if (!data) throw new Error('not opened');
    return data;
  }

  /** Leaves `bytes` of the file system free. */
  function fill(bytes: number): void {
    rmSync(ballast, { force: true });
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, new Uint8Array(Math.max(0, bavail * bsize - bytes)));
  }

  function failure(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
      () => undefined,
      (error) => error,
    );
  }

  for (const free of [0, 200_000]) {
    it(`with ${free} bytes left: a blob is ENOSPC and leaves nothing; the same one is kept once there is space`, async () => {
      const { blobs } = opened();
      const write = (): Promise<{ sha256: string }> =>
        blobs.write(Readable.from([new Uint8Array(150_000), new Uint8Array(150_000 + free)]), 1_000_000);
      fill(free);
      expect(await failure(write())).to.include({ code: 'ENOSPC' });
      expect(await blobs.list()).to.deep.equal([]);
      expect(readdirSync(join(folder, 'blobs', 'incoming'))).to.deep.equal([]);
      rmSync(ballast);
      const { sha256 } = await write();
      expect(await blobs.list()).to.deep.equal([sha256]);
      await blobs.remove(sha256);
    });
  }

  it('a transaction is ENOSPC and did nothing; the next one is done once there is space', async () => {
    const { rows } = opened();
    await rows.transact((t) => t.putDocument(documentRecord({ title: 'before' })));
    fill(0);
    const write = (): Promise<void> =>
      rows.transact((t) => {
        t.putDocument(documentRecord({ title: 'after' }));
        t.putDocument(documentRecord({ docId: 'doc_b', key: 'b', title: 'x'.repeat(500_000) }));
      });
    expect(await failure(write())).to.include({ code: 'ENOSPC' });
    expect((await rows.transact((t) => t.documents())).map(({ title }) => title)).to.deep.equal(['before']);
    rmSync(ballast);
    await write();
    expect((await rows.transact((t) => t.document('doc_a')))?.title).to.equal('after');
  });
});
