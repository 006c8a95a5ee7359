import { Readable } from 'node:stream';
import { expect } from 'chai';
import { deliveryRecord } from '../../../support/gate-records.ts';
import { type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { until } from '../../../support/until.ts';

const HOUR = 3_600_000;

describe('cleaning', () => {
  let bench: SavesBench;

  beforeEach(async () => {
    bench = await savesBench({ retainHours: 24 });
  });
  afterEach(() => bench.stop());

  const count = (what: 'documents' | 'sessions') =>
    bench.rows.transact(async (tx) => {
      const rows = what === 'documents' ? tx.documents() : tx.endedSessions(Number.MAX_SAFE_INTEGER);
      return (await rows).length;
    });

  it('keeps a closed document for as long as it is promised, then removes all of it', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    bench.pass(24 * HOUR - 1);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(1);
    bench.pass(1);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(0);
    expect(await count('sessions')).to.equal(0);
    expect(await bench.stored(), 'who has found a version can still read it').to.have.lengthOf(1);
    bench.pass(16 * 60_000);
    await bench.removal.sweep();
    expect(await bench.stored()).to.deep.equal([]);
  });

  it('keeps a closed document as long as a callback of it: it waits, or its link still holds', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    const waiting = await bench.rows.transact((tx) => tx.addDelivery(deliveryRecord({ docId: 'doc_a' })));
    bench.pass(100 * HOUR);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(1);
    await bench.rows.transact((tx) => tx.putDelivery({ ...waiting, state: 'given_up', endedAt: bench.now() }));
    bench.pass(24 * HOUR);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(1);
    bench.pass(1);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(0);
  });

  it('never removes an open document', async () => {
    await bench.open();
    bench.pass(1000 * HOUR);
    await bench.cleaning.sweep();
    expect(await count('documents')).to.equal(1);
  });

  it('removes ended sessions, save those that the editor still lists', async () => {
    await bench.open({}, { sessionId: 'ses_gone' }, 'G'.repeat(43));
    await bench.open({ docId: 'doc_b', key: 'key-b' }, { sessionId: 'ses_there' }, 'T'.repeat(43));
    bench.pass(48 * HOUR);
    await bench.cleaning.sweep();
    expect(await count('sessions')).to.equal(2);
    await bench.sample({ docId: 'doc_b', userId: 'ses_there' });
    await bench.cleaning.sweep();
    const left = await bench.rows.transact(async (tx) => [
      await tx.session('ses_gone'),
      (await tx.session('ses_there'))?.sessionId,
    ]);
    expect(left).to.deep.equal([undefined, 'ses_there']);
  });

  it('forgets callbacks that ended, and no others', async () => {
    await bench.rows.transact(async (tx) => {
      await tx.addDelivery(deliveryRecord({ state: 'given_up', endedAt: bench.now() }));
      await tx.addDelivery(deliveryRecord({ nextAttemptAt: Number.MAX_SAFE_INTEGER }));
    });
    bench.pass(25 * HOUR);
    await bench.cleaning.sweep();
    const left = await bench.rows.transact(async (tx) => [(await tx.givenUp(9)).length, await tx.pendingDeliveries()]);
    expect(left).to.deep.equal([0, 1]);
  });

  it('finds bytes that a crash left', async () => {
    await bench.open();
    await bench.bring('nobody has me');
    expect(await bench.stored()).to.have.lengthOf(2);
    await bench.removal.sweepOrphans();
    expect(await bench.stored()).to.have.lengthOf(1);
  });

  it('leaves a document alone that is being saved, however long it was closed', async () => {
    const session = await bench.open({ state: 'closed', closedAt: bench.now() });
    bench.pass(25 * HOUR);
    const content = new Readable({ read: () => undefined });
    const facts = { timestamp: undefined, autosave: false, final: true, modifiedByUser: true, nonce: null };
    const saving = bench.saves.save(session, content, facts);
    await bench.cleaning.sweep();
    content.push('very late');
    content.push(null);
    expect(await saving).to.include({ version: 1, size: 9 });
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.state).to.equal('open');
  });

  it('begins with what a crash left, and goes on each minute', async () => {
    await bench.open({ state: 'closed', closedAt: bench.now() });
    await bench.bring('nobody has me');
    const { setTimeout: real } = globalThis;
    const timers: { work: () => void; ms: number }[] = [];
    globalThis.setTimeout = ((work: () => void, ms: number) => timers.push({ work, ms })) as never;
    try {
      bench.cleaning.start();
    } finally {
      globalThis.setTimeout = real;
    }
    await until('the orphan has gone', async () => (await bench.stored()).length === 1);
    expect(timers.map(({ ms }) => ms)).to.deep.equal([60_000]);
    bench.pass(24 * HOUR);
    timers[0]?.work();
    await until('the document has gone', async () => (await count('documents')) === 0);
  });
});
