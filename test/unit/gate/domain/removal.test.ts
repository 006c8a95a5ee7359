import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createRemoval } from '../../../../cmd/gate/domain/removal.ts';
import { takeUpload, Uploads } from '../../../../cmd/gate/domain/uploads.ts';
import { failure } from '../../../support/failure.ts';
import { uploadRecord, versionRecord } from '../../../support/gate-records.ts';
import { MB, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { testLogger } from '../../../support/logs.ts';

const MINUTE = 60_000;

describe('bytes that no version has', () => {
  let bench: SavesBench;

  beforeEach(async () => {
    bench = await savesBench();
    await bench.open();
  });
  afterEach(() => bench.stop());

  const isKept = async (blob: string) => (await bench.stored()).includes(blob);
  const sweep = async (minutes: number) => {
    bench.pass(minutes * MINUTE);
    await bench.removal.sweep();
  };

  it('stay a quarter of an hour after their version went: who has found it reads them, and can go on reading', async () => {
    const uploaded = await bench.bring('served');
    await bench.rows.transact((tx) => tx.addRemoval(uploaded.blob, bench.now()));
    await sweep(14);
    expect(await text(bench.blobs.read(uploaded))).to.equal('served');
    await sweep(2);
    expect(await isKept(uploaded.blob)).to.equal(false);
    await sweep(60);
  });

  it('stay as long as another version has them: hashes were names of the bytes of several', async () => {
    const uploaded = await bench.bring('shared');
    const shared = { ...versionRecord(), ...uploaded };
    await bench.rows.transact(async (tx) => {
      for (const version of [1, 2]) await tx.putVersion({ ...shared, version });
    });
    for (const version of [1, 2]) {
      await bench.rows.transact(async (tx) => {
        await tx.removeVersion('doc_a', version);
        await tx.addRemoval(uploaded.blob, bench.now());
      });
      await sweep(16);
      expect(await isKept(uploaded.blob)).to.equal(version === 1);
    }
  });

  it('go with an upload whose gate has ended, long after anything can come of it', async () => {
    const { blob } = await bench.bring('half a save');
    await bench.rows.transact((tx) => tx.putUpload(uploadRecord({ blob, seenAt: bench.now() })));
    await sweep(14);
    expect(await isKept(blob)).to.equal(true);
    await sweep(2);
    expect(await isKept(blob)).to.equal(false);
  });

  it('of an upload that was given up make no version any more', async () => {
    const { rows, blobs } = bench;
    const content = new Readable({ read: () => undefined });
    const uploads = new Uploads({ rows, blobs, clock: bench.now, log: testLogger(), incoming: bench.incoming });
    const storing = failure(uploads.store('doc_a', content, { maxBytes: MB }, (tx, { blob }) => takeUpload(tx, blob)));
    await rows.transact(() => undefined);
    await sweep(16);
    content.push('late');
    content.push(null);
    expect(await storing).to.include({ code: 'internal', status: 503 });
  });

  it('are found after a crash where the store can be listed; those of an upload under way are none', async () => {
    const [orphan, underWay, noted] = await Promise.all(['a', 'b', 'c'].map((content) => bench.bring(content)));
    await bench.rows.transact(async (tx) => {
      await tx.putUpload(uploadRecord({ blob: underWay?.blob ?? '' }));
      await tx.addRemoval(noted?.blob ?? '', bench.now());
    });
    const before = await bench.stored();
    await bench.removal.sweepOrphans();
    expect(await bench.stored()).to.have.members(before.filter((blob) => blob !== orphan?.blob));
  });

  it('are many, and noted until they are gone', async () => {
    const removed: string[] = [];
    let left = 100;
    const remove = async (blob: string) => {
      if (left-- === 0) throw new Error('the store is away');
      removed.push(blob);
    };
    const removal = createRemoval({ rows: bench.rows, blobs: { ...bench.blobs, remove }, clock: bench.now });
    const names = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(32, '0'));
    await bench.rows.transact(async (tx) => {
      for (const name of names) await tx.addRemoval(name, 0);
    });
    expect(await failure(removal.sweep())).to.include({ message: 'the store is away' });
    await removal.sweep();
    expect(new Set(removed)).to.deep.equal(new Set(names));
    expect(await bench.rows.read((tx) => tx.blobsToRemove(bench.now(), 1))).to.deep.equal([]);
  });
});
