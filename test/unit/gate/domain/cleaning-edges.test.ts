import { Readable } from 'node:stream';
import { expect } from 'chai';
import { MB, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { until } from '../../../support/until.ts';

const HOUR = 3_600_000;

describe('cleaning', () => {
  let bench: SavesBench;
  beforeEach(async () => {
    bench = await savesBench({ retainHours: 24 });
  });
  afterEach(() => bench.stop());

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
    const { setTimeout: real } = globalThis;
    const timers: { work: () => void; ms: number }[] = [];
    globalThis.setTimeout = ((work: () => void, ms: number) => timers.push({ work, ms })) as never;
    try {
      await bench.open({ state: 'closed', closedAt: bench.now() });
      await bench.blobs.write(Readable.from([Buffer.from('nobody has me')]), MB);
      bench.cleaning.start();
    } finally {
      globalThis.setTimeout = real;
    }
    await until('the orphan has gone', async () => (await bench.blobs.list()).length === 1 || undefined);
    expect(timers.map(({ ms }) => ms)).to.deep.equal([60_000]);
    bench.pass(24 * HOUR);
    timers[0]?.work();
    await until('all has gone', async () => (await bench.blobs.list()).length === 0 || undefined);
    expect(await bench.rows.transact((tx) => tx.documents())).to.deep.equal([]);
  });
});
