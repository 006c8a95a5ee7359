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

  it('does not come of old samples, when somebody is no longer waited for', async () => {
    await bench.open({ lastViewAt: 0 });
    await bench.samples(3);
    bench.pass(30_001);
    // 60 s after it was made, the session is not waited for any more. But who is there now?
    await bench.closing.check();
    expect(await state()).to.equal('open');
  });
});
