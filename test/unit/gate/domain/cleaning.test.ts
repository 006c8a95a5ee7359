import { copyFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { RowsTransaction } from '../../../../cmd/gate/domain/ports.ts';
import { takeUpload, Uploads } from '../../../../cmd/gate/domain/uploads.ts';
import { failure } from '../../../support/failure.ts';
import {
  deliveryRecord,
  documentRecord,
  sessionRecord,
  uploadRecord,
  versionRecord,
} from '../../../support/gate-records.ts';
import { FACTS, MB, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

describe('cleaning', () => {
  let bench: SavesBench;
  /** Set: the store removes so many blobs and then fails. */
  let removals: { left: number; done: string[] } | undefined;

  beforeEach(async () => {
    removals = undefined;
    bench = await savesBench({
      retainHours: 24,
      wrap: ({ blobs }) => ({
        blobs: {
          ...blobs,
          remove: async (blob) => {
            if (!removals) return blobs.remove(blob);
            if (removals.left-- === 0) throw new Error('the store is away');
            removals.done.push(blob);
          },
        },
      }),
    });
  });
  afterEach(() => bench.stop());

  const count = (what: 'documents' | 'sessions') =>
    bench.rows.transact(async (tx) => {
      const rows = what === 'documents' ? tx.documents() : tx.sessions();
      return (await rows).length;
    });
  const sweep = async (ms: number) => {
    bench.pass(ms);
    await bench.cleaning.sweep();
    return count('documents');
  };
  const sweepBytes = async (minutes: number) => {
    bench.pass(minutes * MINUTE);
    await bench.cleaning.sweepBytes();
  };
  const isKept = async (blob: string) => (await bench.stored()).includes(blob);

  it('keeps a closed document for as long as it is promised, then removes all of it', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    expect(await sweep(24 * HOUR - 1)).to.equal(1);
    expect(await sweep(1)).to.equal(0);
    expect(await count('sessions')).to.equal(0);
    expect(await bench.stored(), 'who has found a version can still read it').to.have.lengthOf(1);
    await sweepBytes(16);
    expect(await bench.stored()).to.deep.equal([]);
  });

  it('keeps a closed document as long as a callback of it: it waits, or its link still holds', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    const waiting = await bench.rows.transact((tx) => tx.addDelivery(deliveryRecord({ docId: 'doc_a' })));
    expect(await sweep(100 * HOUR)).to.equal(1);
    await bench.rows.transact((tx) => tx.putDelivery({ ...waiting, state: 'given_up', endedAt: bench.now() }));
    expect(await sweep(24 * HOUR)).to.equal(1);
    expect(await sweep(1)).to.equal(0);
    expect(await bench.rows.read((tx) => tx.givenUp(9))).to.deep.equal([]);
  });

  it('removes many closed documents step by step: others come in between, and those that stay are in nobody’s way', async () => {
    const names = Array.from({ length: 400 }, (_, index) => String(index));
    await bench.rows.transact(async (tx) => {
      for (const [closedAt, name] of names.entries())
        await tx.putDocument(documentRecord({ docId: name, key: name, state: 'closed', closedAt: closedAt >> 4 }));
      for (const docId of names.slice(0, 100)) await tx.addDelivery(deliveryRecord({ docId }));
    });
    bench.pass(25 * HOUR);
    let [isSwept, between] = [false, 0];
    const sweeping = bench.cleaning.sweep().then(() => {
      isSwept = true;
    });
    for (; !isSwept; between += 1) await setImmediate();
    await sweeping;
    expect(await count('documents')).to.equal(100);
    expect(between).to.be.above(4);
  });

  it('keeps a closed document as long as an edit of it that may yet become a version', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    const edit = { id: 'one', docId: 'doc_a', pid: 1, at: 1, blob: 'e'.repeat(32), sha256: 'e'.repeat(64), size: 1 };
    await bench.rows.transact((tx) => tx.putUnsaved(edit));
    expect(await sweep(100 * HOUR)).to.equal(1);
    await bench.rows.transact((tx) => tx.removeUnsaved('one'));
    expect(await sweep(0)).to.equal(0);
  });

  it('never removes an open document, nor forgets a callback that is pending', async () => {
    await bench.open();
    await bench.rows.transact((tx) => tx.addDelivery(deliveryRecord({ docId: 'doc_b' })));
    expect(await sweep(1000 * HOUR)).to.equal(1);
    expect(await bench.rows.read((tx) => tx.pendingDeliveries())).to.equal(1);
  });

  it('removes sessions that ended, whose view has gone and whose document is not being saved', async () => {
    const session = { expiresAt: bench.now() };
    await bench.open({}, { ...session, sessionId: 'ses_listed' }, 'L'.repeat(43));
    await bench.open({ docId: 'doc_b', key: 'b' }, { ...session, sessionId: 'ses_gone' }, 'G'.repeat(43));
    const saves = await bench.open(
      { docId: 'doc_c', key: 'c' },
      { ...session, sessionId: 'ses_saves' },
      'S'.repeat(43),
    );
    const ids = async () => (await bench.rows.read((tx) => tx.sessions())).map(({ sessionId }) => sessionId);
    bench.listed.add('ses_listed').add('ses_gone');
    await sweep(24 * HOUR);
    bench.listed.delete('ses_gone');
    expect(await ids(), 'a day has not passed yet').to.have.members(['ses_listed', 'ses_gone', 'ses_saves']);
    const content = new Readable({ read: () => undefined });
    const saving = bench.save(saves, content, { ...FACTS, final: true });
    await sweep(1);
    expect(await ids()).to.have.members(['ses_listed', 'ses_saves']);
    content.push('late');
    content.push(null);
    await saving;
  });

  it('removes many sessions step by step, past those that stay, and misses none where others go meanwhile', async () => {
    await bench.open();
    await bench.rows.transact(async (tx) => {
      for (let index = 0; index < 200; index += 1) {
        const name = String(index);
        await tx.putSession(sessionRecord({ sessionId: name, tokenHash: name, closedAt: bench.now() }));
        if (index < 99) bench.listed.add(name);
      }
    });
    bench.pass(25 * HOUR);
    const sweeping = bench.cleaning.sweep();
    await setImmediate();
    await bench.rows.transact(async (tx) => {
      for (let index = 0; index < 64; index += 1) await tx.removeSession(String(index));
    });
    await sweeping;
    expect(await count('sessions')).to.equal(1 + 99 - 64);
  });

  it('forgets after a day what gates remember of a document', async () => {
    const what = { kind: 'loaded', docId: 'doc_a', key: '' } as const;
    await bench.rows.transact((tx) => tx.remember({ ...what, value: null, at: bench.now() }));
    for (const [ms, isRemembered] of [
      [24 * HOUR, true],
      [1, false],
    ] as const) {
      await sweep(ms);
      expect((await bench.rows.read((tx) => tx.remembered(what))) !== undefined).to.equal(isRemembered);
    }
  });

  it('leaves a document alone that is being saved, however long it was closed', async () => {
    const session = await bench.open({ state: 'closed', closedAt: bench.now() });
    bench.pass(25 * HOUR);
    const content = new Readable({ read: () => undefined });
    const saving = bench.save(session, content, { ...FACTS, final: true });
    await bench.cleaning.sweep();
    content.push('very late');
    content.push(null);
    expect(await saving).to.include({ version: 1, size: 9 });
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.state).to.equal('open');
  });

  it('begins with what a crash left, and goes on each minute', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    const [underWay, noted] = [await bench.bring('a'), await bench.bring('b')];
    await bench.rows.transact(async (tx) => {
      await tx.putUpload(uploadRecord({ blob: underWay.blob }));
      await tx.addRemoval(noted.blob, bench.now());
    });
    const before = await bench.stored();
    const orphan = await bench.bring('nobody has me');
    const { setTimeout: real } = globalThis;
    const timers: { work: () => void; ms: number }[] = [];
    globalThis.setTimeout = ((work: () => void, ms: number) => timers.push({ work, ms })) as never;
    try {
      bench.cleaning.start();
    } finally {
      globalThis.setTimeout = real;
    }
    await until('the orphan has gone', async () => !(await isKept(orphan.blob)));
    expect(await bench.stored()).to.have.members(before);
    expect(timers.map(({ ms }) => ms)).to.deep.equal([60_000]);
    bench.pass(24 * HOUR);
    timers[0]?.work();
    await until('the document has gone', async () => (await count('documents')) === 0);
  });

  describe('of bytes', () => {
    beforeEach(() => bench.open());

    for (const [what, note] of [
      ['a version that has gone: who has found it can go on reading', (tx, blob) => tx.addRemoval(blob, bench.now())],
      ['an upload whose gate has ended', (tx, blob) => tx.putUpload(uploadRecord({ blob, seenAt: bench.now() }))],
    ] as [string, (tx: RowsTransaction, blob: string) => Promise<void>][]) {
      it(`comes a quarter of an hour after ${what}`, async () => {
        const uploaded = await bench.bring('served');
        await bench.rows.transact((tx) => note(tx, uploaded.blob));
        await sweepBytes(14);
        expect(await text(bench.blobs.read(uploaded))).to.equal('served');
        await sweepBytes(2);
        expect(await isKept(uploaded.blob)).to.equal(false);
        await sweepBytes(60);
      });
    }

    it('spares a version whose upload counts as failed, since the answer to its commit was lost', async () => {
      const uploaded = await bench.bring('saved');
      await bench.rows.transact(async (tx) => {
        await tx.putVersion({ ...versionRecord(), ...uploaded, version: 1 });
        await tx.putUpload(uploadRecord({ blob: uploaded.blob, state: 'failed', seenAt: bench.now() }));
      });
      await sweepBytes(16);
      expect(await isKept(uploaded.blob)).to.equal(true);
    });

    it('lets an upload that was given up make no version any more', async () => {
      const { rows, blobs } = bench;
      const content = new Readable({ read: () => undefined });
      const uploads = new Uploads({ rows, blobs, clock: bench.now, log: testLogger(), incoming: bench.incoming });
      const commit: Parameters<typeof uploads.store>[3] = (tx, { blob }) => takeUpload(tx, blob);
      const storing = failure(uploads.store('doc_a', content, { maxBytes: MB }, commit));
      await rows.transact(() => undefined);
      await sweepBytes(16);
      content.push('late');
      content.push(null);
      expect(await storing).to.include({ code: 'internal', status: 503 });
      uploads.stop();
    });

    it('finds those that the store takes in after it was given up: its answer came late', async () => {
      const { rows, blobs, incoming } = bench;
      let arrive = async (): Promise<void> => {};
      const put: typeof blobs.put = async (file, blob) => {
        const path = `${file.path}.sent`;
        await copyFile(file.path, path);
        arrive = () => blobs.put({ ...file, path }, blob);
        throw new Error('no answer in time');
      };
      const log = testLogger();
      const uploads = new Uploads({ rows, incoming, clock: bench.now, log, blobs: { ...blobs, put } });
      const before = await bench.stored();
      await failure(
        uploads.store('doc_a', Readable.from([Buffer.from('opened')]), { maxBytes: MB }, () => expect.fail()),
      );
      await sweepBytes(1);
      await arrive();
      expect(await bench.stored()).to.have.lengthOf(before.length + 1);
      await sweepBytes(16);
      expect(await bench.stored()).to.deep.equal(before);
      uploads.stop();
    });

    it('takes many, and keeps their notes until they are gone', async () => {
      removals = { left: 100, done: [] };
      const names = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(32, '0'));
      await bench.rows.transact(async (tx) => {
        for (const name of names) await tx.addRemoval(name, 0);
      });
      expect(await failure(bench.cleaning.sweepBytes())).to.include({ message: 'the store is away' });
      await bench.cleaning.sweepBytes();
      expect(new Set(removals.done)).to.deep.equal(new Set(names));
      expect(await bench.rows.read((tx) => tx.blobsToRemove(bench.now(), 1))).to.deep.equal([]);
    });
  });
});
