import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createBlobKeeper } from '../../../../cmd/gate/domain/blob-keeper.ts';
import { versionRecord } from '../../../support/gate-records.ts';
import { MB, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { until } from '../../../support/service.ts';

describe('bytes that nobody needs', () => {
  let bench: SavesBench;

  beforeEach(async () => {
    bench = await savesBench();
    await bench.open();
  });
  afterEach(() => bench.stop());

  const write = (content: string) => bench.blobs.write(Readable.from([Buffer.from(content)]), MB);

  it('stay while something is being written: it may be the same', async () => {
    const old = await write('same');
    await bench.keeper.writing(async () => {
      const blob = await write('same');
      await bench.keeper.discard([old.sha256]);
      expect(await bench.blobs.list()).to.include(old.sha256);
      await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    });
    await bench.keeper.discard([]);
    expect(await bench.blobs.list()).to.include(old.sha256);
  });

  it('go when the last writer has ended without them', async () => {
    const { sha256 } = await write('useless');
    await bench.keeper.writing(() => bench.keeper.discard([sha256]));
    await until('they are gone', async () => !(await bench.blobs.list()).includes(sha256) || undefined);
  });

  it('are many, and a save waits for one batch of them at most', async () => {
    const removed = new Set<string>();
    const remove = async (hash: string) => void removed.add(hash);
    const keeper = createBlobKeeper({ rows: bench.rows, blobs: { ...bench.blobs, remove } });
    const hashes = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(64, '0'));
    const cleaning = keeper.discard(hashes);
    const seen = await Promise.all([1, 2].map(() => keeper.writing(async () => removed.size)));
    expect(Math.max(...seen)).to.be.within(1, 64);
    await cleaning;
    await until('all are gone', () => removed.size === hashes.length || undefined);
  });

  it('stay while they are being served, and go then', async () => {
    const blob = await write('served');
    await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    const find = () =>
      bench.keeper.serve(
        (tx) => ({ version: tx.version('doc_a', 1) ?? expect.fail('no version') }),
        async (_found, read) => {
          await bench.rows.transact((tx) => tx.removeVersion('doc_a', 1));
          await bench.keeper.discard([blob.sha256]);
          return text(read());
        },
      );
    expect(await find()).to.equal('served');
    await until('they are gone', async () => !(await bench.blobs.list()).includes(blob.sha256) || undefined);
  });
});
