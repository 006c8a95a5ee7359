import { expect } from 'chai';
import { startEmbed, type TestEmbed } from '../support/gate-embed.ts';

describe('embedding, at its edges', () => {
  let gate: TestEmbed;
  beforeEach(async () => {
    gate = await startEmbed();
  });
  afterEach(() => gate.stop());

  it('keeps a closed document for whoever opens it again: it does not vanish before they are let in', async () => {
    const { doc_id } = await gate.create();
    const documentOf = () => gate.rows.transact((tx) => tx.document(doc_id));
    await gate.rows.transact((tx) => {
      const document = tx.document(doc_id);
      if (document) tx.putDocument({ ...document, state: 'closed', closedAt: gate.clock.now });
    });
    gate.clock.now += 24 * 3_600_000 - 1;
    gate.editor.available = false;
    expect((await gate.post(gate.config())).status).to.equal(503);
    expect(await documentOf()).to.include({ state: 'closed', closedAt: gate.clock.now });
  });
});
