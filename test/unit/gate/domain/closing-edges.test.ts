import { Readable } from 'node:stream';
import { expect } from 'chai';
import { type SavesBench, savesBench } from '../../../support/gate-saves.ts';

describe('closing, to the second', () => {
  let bench: SavesBench;
  beforeEach(async () => {
    bench = await savesBench();
  });
  afterEach(() => bench.stop());

  const state = async () => (await bench.rows.transact((tx) => tx.document('doc_a')))?.state;
  /** An open document that nobody is waited for in. */
  const openDocument = () => bench.open({ lastViewAt: 0 }, { closedAt: bench.now() });

  it('comes after 30 s without a view and not a moment earlier', async () => {
    await openDocument();
    await bench.sample();
    bench.pass(29_999);
    await bench.sample();
    expect(await state()).to.equal('open');
    bench.pass(1);
    await bench.sample();
    expect(await state()).to.equal('closed');
  });

  it('comes 30 s after somebody was let in, who left again before anybody saw them', async () => {
    await openDocument();
    await bench.sample();
    bench.pass(25_000);
    await bench.rows.transact((tx) => {
      const document = tx.document('doc_a');
      if (document) tx.putDocument({ ...document, lastViewAt: bench.now() });
    });
    bench.pass(5_000);
    await bench.sample();
    expect(await state()).to.equal('open');
    bench.pass(25_000);
    await bench.sample();
    expect(await state()).to.equal('closed');
  });

  it('does not come between samples, when what kept it open ends: somebody may just have come back', async () => {
    const session = await bench.open({ lastViewAt: 0 });
    const content = new Readable({ read: () => undefined });
    const facts = { timestamp: undefined, autosave: false, final: false, modifiedByUser: true, nonce: null };
    const saving = bench.saves.save(session, content, facts);
    await bench.samples(7);
    content.push('late');
    content.push(null);
    await saving;
    bench.pass(9_000);
    expect(await state()).to.equal('open');
    await bench.sample({ docId: 'doc_a' });
    expect(await state()).to.equal('open');
  });
});
