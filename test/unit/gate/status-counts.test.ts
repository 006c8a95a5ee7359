import { expect } from 'chai';
import { gateLimits } from '../../../cmd/gate/domain/limits.ts';
import { createStatus } from '../../../cmd/gate/domain/status.ts';
import { createRows } from '../../../cmd/gate/store/rows.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { deliveryRecord, documentRecord, sessionRecord, versionRecord } from '../../support/gate-records.ts';

const NOW = 1_000_000;

describe('the figures of the gate', () => {
  it('count open documents, sessions that have not ended and callbacks that are on their way', async () => {
    const rows = await createRows(':memory:');
    await rows.transact((tx) => {
      for (const [docId, state] of [
        ['doc_a', 'open'],
        ['doc_b', 'open'],
        ['doc_c', 'closed'],
      ] as const) {
        tx.putDocument(documentRecord({ docId, key: docId, state, closedAt: state === 'open' ? null : NOW }));
        tx.putVersion(versionRecord({ docId }));
      }
      const session = (sessionId: string, changes: object) =>
        tx.putSession(sessionRecord({ sessionId, docId: 'doc_a', tokenHash: sessionId, ...changes }));
      for (const sessionId of ['ses_1', 'ses_2', 'ses_3']) session(sessionId, { expiresAt: NOW + 1, closedAt: null });
      session('ses_expired', { expiresAt: NOW, closedAt: null });
      session('ses_closed', { expiresAt: NOW + 1, closedAt: NOW - 1 });
      tx.addDelivery(deliveryRecord({ docId: 'doc_a', state: 'pending' }));
      tx.addDelivery(deliveryRecord({ docId: 'doc_a', state: 'delivered', endedAt: NOW }));
    });
    const figures = {
      ...{ current: 3, pending: 1, peak_5m: 4, limit: 5, readonly: 6, views_total: 7, documents: 8 },
      ...{ limit_reached: true, enforcing: true, sample_age_seconds: 9 },
    };
    const status = createStatus({
      rows,
      editor: { state: () => 'auth_failed' },
      figures: () => figures,
      license: () => NO_LICENSE,
      unsaved: { list: async () => [] },
      callbackSigning: false,
      clock: () => NOW,
    });
    expect(await status()).to.deep.equal({
      upstream: { editor_server: 'auth_failed' },
      editor: { unsaved: 0 },
      connections: figures,
      license: { state: 'none', grace_days_left: null },
      embed: {
        ...{ open_documents: 2, sessions: 3, callback_signing: false },
        callbacks: { pending: 1, given_up: [] },
      },
    });
    await rows.close();
  });

  it('tell what of embedding is on, and why there is a brand', () => {
    for (const enabled of [true, false]) {
      const embed = { enabled, maxFileMb: 7, sessionTtlMinutes: 8 };
      const limits = gateLimits(NO_LICENSE, { connectionCap: undefined, embed });
      expect(limits.editor_embed).to.deep.equal({
        ...{ enabled, save_callback: enabled },
        ...{ max_file_mb: 7, session_ttl_minutes: 8 },
      });
      expect(limits.whitelabel_note).to.match(/Enterprise/);
    }
  });
});
