import { expect } from 'chai';
import type { EmbedSession } from '../../src/common/generated/wire.ts';
import { errorOf, startEmbed, type TestEmbed } from '../support/gate-embed.ts';

describe('embedding, at its edges', () => {
  let gate: TestEmbed;
  beforeEach(async () => {
    gate = await startEmbed();
  });
  afterEach(() => gate.stop());

  it('keeps a closed document for whoever opens it again: it does not vanish before they are let in', async () => {
    const { doc_id } = await gate.create();
    const documentOf = () => gate.rows.transact((tx) => tx.document(doc_id));
    await gate.rows.transact(async (tx) => {
      const document = await tx.document(doc_id);
      if (document) await tx.putDocument({ ...document, state: 'closed', closedAt: gate.clock.now });
    });
    gate.clock.now += 24 * 3_600_000 - 1;
    gate.editor.available = false;
    expect((await gate.post(gate.config())).status).to.equal(503);
    expect(await documentOf()).to.include({ state: 'closed', closedAt: gate.clock.now });
  });

  const mode = (session: EmbedSession, wanted: string) =>
    gate.ask(session, '/mode', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ mode: wanted }),
    });

  it('gives no place to a session that was deleted while its mode changed', async () => {
    const session = await gate.create(gate.config({ editor: { mode: 'view' } }));
    const { page } = gate.editor;
    const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    gate.editor.page = async (...args) => {
      asked.resolve();
      await goOn.promise;
      return page.apply(gate.editor, args);
    };
    const changing = mode(session, 'edit');
    await asked.promise;
    expect((await gate.ask(session, '', { method: 'DELETE' })).status).to.equal(204);
    goOn.resolve();
    expect(await errorOf(await changing)).to.deep.include({
      ...{ status: 401, code: 'invalid_session_token' },
      detail: { reason: 'closed' },
    });
    expect(gate.admission.places.size).to.equal(0);
  });

  it('lets nobody keep what has a token or a document in it, and no browser run a document', async () => {
    const session = await gate.create();
    const answers = [
      await gate.post(gate.config()),
      await mode(session, 'view'),
      await gate.ask(session),
      await gate.ask(session, '/mode', { method: 'POST', body: '{' }),
    ];
    for (const answer of answers) {
      expect(answer.headers.get('cache-control'), answer.url).to.equal('no-store');
      await answer.text();
    }
    const file = await fetch(gate.links.sign(gate.url, session.doc_id, 0));
    expect(file.headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    await file.arrayBuffer();
  });
});
