import { expect } from 'chai';
import type { RowsTransaction } from '../../../../cmd/gate/domain/ports.ts';
import { OpenSessionsCopy } from '../../../../cmd/gate/store/open-sessions.ts';
import { sessionRecord } from '../../../support/gate-records.ts';
import { threadTime } from '../../../support/thread-time.ts';

describe('the copy of open sessions', () => {
  it('takes no longer over a document where there are many others', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => String(index));
    const copy = new OpenSessionsCopy(
      ids.map((docId) => sessionRecord({ docId, sessionId: `of ${docId}`, tokenHash: `token of ${docId}` })),
    );
    const { tables, committed } = copy.follow({ removeDocument: async () => {} } as unknown as RowsTransaction);
    const taken = await threadTime(async () => {
      for (const docId of ids.slice(0, 1_000)) await tables.removeDocument(docId);
      committed();
      for (const docId of ids) await copy.byDocument(docId);
    });
    expect(taken).to.be.below(500);
    expect([await copy.byToken('token of 999'), await copy.byDocument('999')]).to.deep.equal([undefined, []]);
    expect(await copy.byDocument('1000')).to.have.length(1);
  });
});
