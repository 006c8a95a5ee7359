import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { BlobKeeper } from '../../../../cmd/gate/domain/blob-keeper.ts';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { versionRecord } from '../../../support/gate-records.ts';
import { type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { until } from '../../../support/service.ts';

describe('bytes that nobody needs', () => {
  let bench: SavesBench;

  beforeEach(async () => {
    bench = await savesBench();
    await bench.open();
  });
  afterEach(() => bench.stop());

  const write = async (content: string) => {
    const { sha256, size } = await bench.bring(content);
    return { sha256, size };
  };
  const isKept = async (sha256: string) => (await bench.blobs.list()).includes(sha256);

  it('stay while they are being written once more, and the row that has them is not there yet', async () => {
    const old = await write('same');
    await bench.keeper.hold(old.sha256, async () => {
      const blob = await write('same');
      await bench.keeper.discard([old.sha256]);
      expect(await isKept(old.sha256)).to.equal(true);
      await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    });
    await bench.keeper.discard([old.sha256]);
    expect(await isKept(old.sha256)).to.equal(true);
  });

  it('go while others are being written, and at their end when no row came to have them', async () => {
    const [old, useless] = [await write('old'), await write('useless')];
    await bench.keeper.hold(useless.sha256, async () => {
      await bench.keeper.discard([old.sha256, useless.sha256]);
      expect([await isKept(old.sha256), await isKept(useless.sha256)]).to.deep.equal([false, true]);
    });
    await until('they are gone', async () => !(await isKept(useless.sha256)) || undefined);
  });

  it('are brought again by who comes while they go', async () => {
    const old = await write('same');
    const [going, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const remove = async (hash: string) => {
      going.resolve();
      await gone.promise;
      await bench.blobs.remove(hash);
    };
    const keeper = new BlobKeeper({ rows: bench.rows, blobs: { ...bench.blobs, remove } });
    const removing = keeper.discard([old.sha256]);
    await going.promise;
    const writing = keeper.hold(old.sha256, async () => {
      const blob = await write('same');
      await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    });
    setTimeout(gone.resolve, 50);
    await Promise.all([removing, writing]);
    expect(await isKept(old.sha256)).to.equal(true);
  });

  it('are many, and who brings some of them waits for one batch at most', async () => {
    const removed = new Set<string>();
    const remove = async (hash: string) => void removed.add(hash);
    const keeper = new BlobKeeper({ rows: bench.rows, blobs: { ...bench.blobs, remove } });
    const hashes = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(64, '0'));
    const [first = '', last = ''] = [hashes[0], hashes.at(-1)];
    const cleaning = keeper.discard(hashes);
    const seen = await Promise.all([first, last].map((hash) => keeper.hold(hash, async () => removed.size)));
    // The next one may have begun by then.
    expect(Math.max(...seen)).to.be.within(1, 127);
    await cleaning;
    await until('all are gone', () => removed.size === hashes.length || undefined);
  });

  it('stay for who has found their version, before anybody else knows', async () => {
    const blob = await write('served');
    await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    const [found, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read: Rows['read'] = async (work) => {
      const result = await bench.rows.read(work);
      if (Array.isArray(result)) return result;
      found.resolve();
      await told.promise;
      return result;
    };
    const removed: string[] = [];
    const remove = (hash: string) => {
      removed.push(hash);
      return bench.blobs.remove(hash);
    };
    const keeper = new BlobKeeper({ rows: { ...bench.rows, read }, blobs: { ...bench.blobs, remove } });
    const serving = keeper.serve(
      async (tx) => ({ version: (await tx.version('doc_a', 1)) ?? expect.fail('no version') }),
      (_found, read) => text(read()),
    );
    await found.promise;
    await bench.rows.transact((tx) => tx.removeVersion('doc_a', 1));
    const discarding = keeper.discard([blob.sha256]);
    await bench.rows.read(() => undefined);
    await setImmediate();
    expect(removed).to.deep.equal([]);
    told.resolve();
    expect(await serving).to.equal('served');
    await discarding;
    await until('they are gone', async () => !(await isKept(blob.sha256)) || undefined);
  });

  it('stay while they are being served, and go then', async () => {
    const blob = await write('served');
    await bench.rows.transact((tx) => tx.putVersion(versionRecord({ version: 1, ...blob })));
    const find = () =>
      bench.keeper.serve(
        async (tx) => ({ version: (await tx.version('doc_a', 1)) ?? expect.fail('no version') }),
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
