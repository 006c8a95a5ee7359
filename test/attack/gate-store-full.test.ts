import { hash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Cleaning } from '../../cmd/gate/domain/cleaning.ts';
import { retryFor } from '../../cmd/gate/domain/saves.ts';
import { type DataDir, openDataDir } from '../../cmd/gate/store/data-dir.ts';
import { failure } from '../support/failure.ts';
import { bringTo, documentRecord, versionRecord } from '../support/gate-records.ts';
import { testLogger } from '../support/logs.ts';
import { useSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

describe('a full disk under the gate', () => {
  let data: DataDir;
  const { folder, free: empty, fill } = useSmallDisk(4, () => data?.close());
  before(async () => {
    data = await openDataDir(folder);
  });

  for (const free of [0, 200_000]) {
    it(`with ${free} bytes left: a blob is ENOSPC and leaves nothing; the same one is kept once there is space`, async () => {
      const { blobs } = data;
      const write = (): Promise<{ blob: string }> =>
        bringTo(data, Readable.from([new Uint8Array(150_000), new Uint8Array(150_000 + free)]));
      fill(free);
      expect(await failure(write())).to.include({ code: 'ENOSPC' });
      expect(await blobs.list?.()).to.deep.equal([]);
      expect(readdirSync(join(folder, 'incoming'))).to.deep.equal([]);
      empty();
      const { blob } = await write();
      expect(await blobs.list?.()).to.deep.equal([blob]);
      await blobs.remove(blob);
    });
  }

  it('a save that begins before there is space is stored once there is', async () => {
    const bytes = randomBytes(600_000);
    const pieces = Array.from({ length: 10 }, (_, index) => bytes.subarray(index * 60_000, (index + 1) * 60_000));
    const attempt = retryFor({ holdMs: 10_000, retryMs: 20 }, { error: () => void reported.resolve() });
    const reported = Promise.withResolvers<void>();
    fill(200_000);
    const receiving = data.incoming.receive(Readable.from(pieces), { maxBytes: 1_000_000, attempt });
    await reported.promise;
    empty();
    const file = await receiving;
    expect(file).to.include({ sha256: hash('sha256', bytes), size: bytes.length });
    expect(readFileSync(file.path).equals(bytes)).to.equal(true);
    await data.incoming.discard(file);
  });

  it('a transaction is ENOSPC and did nothing; the next one is done once there is space', async () => {
    const { rows } = data;
    await rows.transact((t) => t.putDocument(documentRecord({ title: 'before' })));
    fill(0);
    const write = (): Promise<void> =>
      rows.transact(async (t) => {
        await t.putDocument(documentRecord({ title: 'after' }));
        await t.putDocument(documentRecord({ docId: 'doc_b', key: 'b', title: 'x'.repeat(500_000) }));
      });
    expect(await failure(write())).to.include({ code: 'ENOSPC' });
    expect((await rows.transact((t) => t.documents())).map(({ title }) => title)).to.deep.equal(['before']);
    empty();
    await write();
    expect((await rows.transact((t) => t.document('doc_a')))?.title).to.equal('after');
  });

  it('is opened with no byte left, can be read, and loses what a crash left', async () => {
    const { rows } = data;
    const [kept, orphan] = [await bringTo(data, 'kept'), await bringTo(data, 'nobody has me')];
    await rows.transact((t) => t.putVersion(versionRecord({ version: 1, ...kept })));
    await data.close();
    fill(0);
    data = await openDataDir(folder);
    const idle = { isSaving: async () => false, presence: { hasLeft: () => true }, retainHours: 24 };
    const cleaning = new Cleaning({ ...data, ...idle, clock: Date.now, log: testLogger() });
    cleaning.start();
    const list = () => data.blobs.list?.();
    await until('the orphan has gone', async () => !(await list())?.includes(orphan.blob) || undefined);
    cleaning.stop();
    expect(await list()).to.deep.equal([kept.blob]);
    const found = await data.rows.transact((t) => t.version('doc_a', 1));
    expect(await text(data.blobs.read(found ?? expect.fail('no version')))).to.equal('kept');
  });
});
