import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Rows } from '../../cmd/gate/domain/ports.ts';
import { deliveryRecord, documentRecord, sessionRecord, versionRecord } from './gate-records.ts';
import { rowsProperty } from './gate-store-model.ts';

export { blobsContract } from './gate-store-blobs.ts';

/** Somewhere that keeps rows or blobs while nobody has it open. */
export interface Place<Store> {
  open(): Promise<Store>;
  /** Removes all that is there. */
  dispose(): Promise<void>;
}

/** What every implementation of `Rows` promises; each test gets a place of its own. */
export function rowsContract(name: string, make: () => Promise<Place<Rows>>): void {
  describe(`rows in ${name}`, () => {
    let place: Place<Rows>;
    let rows: Rows;

    beforeEach(async () => {
      place = await make();
      rows = await place.open();
    });
    afterEach(async () => {
      await rows.close();
      await place.dispose();
    });

    async function reopen(): Promise<void> {
      await rows.close();
      rows = await place.open();
    }

    /** The error that `work` is refused with. */
    function refused(work: Parameters<Rows['transact']>[0]): Promise<unknown> {
      return rows.transact(work).then(
        () => undefined,
        (error) => error,
      );
    }

    describe('records', () => {
      const document = documentRecord({ closedAt: 3, state: 'closed', callbackUrl: 'https://portal.example.vn/cb' });
      const version = versionRecord({ savedBy: { id: '1', name: 'Đỗ "Ý"' }, autosave: true, final: true, nonce: 'n' });
      const session = sessionRecord({ ui: { compact: true } as never, origin: null, closedAt: 4, mode: 'view' });
      const delivery = deliveryRecord({ attempts: 2, lastStatus: 502 });

      it('come back as they were put, also after a restart', async () => {
        const added = await rows.transact((t) => {
          t.putDocument(document);
          t.putVersion(version);
          t.putSession(session);
          return t.addDelivery(delivery);
        });
        expect(added).to.deep.equal({ ...delivery, id: added.id });
        await reopen();
        await rows.transact((t) => {
          expect(t.document(document.docId)).to.deep.equal(document);
          expect(t.documentByKey(document.key)).to.deep.equal(document);
          expect(t.version(document.docId, 0)).to.deep.equal(version);
          expect(t.session(session.sessionId)).to.deep.equal(session);
          expect(t.sessionByToken(session.tokenHash)).to.deep.equal(session);
          expect(t.dueDeliveries()).to.deep.equal([added]);
        });
      });

      it('are replaced by a later put, which removes nothing that belongs to them', async () => {
        await rows.transact((t) => {
          t.putDocument(document);
          t.putVersion(version);
          t.putSession(session);
          t.putDocument({ ...document, title: 'new', version: 7 });
          t.putVersion({ ...version, size: 11 });
          t.putSession({ ...session, lang: 'en' });
        });
        await rows.transact((t) => {
          expect(t.documents()).to.deep.equal([{ ...document, title: 'new', version: 7 }]);
          expect(t.versions(document.docId)).to.deep.equal([{ ...version, size: 11 }]);
          expect(t.session(session.sessionId)).to.deep.equal({ ...session, lang: 'en' });
        });
      });

      it('are the caller’s own: to change one changes nothing that is kept', async () => {
        await rows.transact((t) => {
          t.putDocument(document);
          const read = t.document(document.docId);
          if (read) read.title = 'changed';
          expect(t.document(document.docId)).to.deep.equal(document);
        });
      });

      it('that are not there are undefined, and removing them is no mistake', async () => {
        await rows.transact((t) => {
          for (const read of [t.document('x'), t.documentByKey('x'), t.version('x', 0), t.session('x')]) {
            expect(read).to.equal(undefined);
          }
          expect(t.sessionByToken('x')).to.equal(undefined);
          t.removeDocument('x');
          t.removeVersion('x', 1);
          t.removeSession('x');
        });
      });

      it('keep text as it is: quotes, SQL, emoji, control characters but NUL', async () => {
        const title = `'"); DROP TABLE documents; --\u0001\n😀\u202e`;
        await rows.transact((t) => t.putDocument({ ...document, title }));
        expect((await rows.transact((t) => t.document(document.docId)))?.title).to.equal(title);
      });
    });

    describe('a removed document', () => {
      it('takes versions and sessions along; its callbacks stay', async () => {
        await rows.transact((t) => {
          t.putDocument(documentRecord());
          t.putDocument(documentRecord({ docId: 'doc_b', key: 'key-b' }));
          t.putVersion(versionRecord());
          t.putVersion(versionRecord({ docId: 'doc_b', sha256: 'b'.repeat(64) }));
          t.putSession(sessionRecord());
          t.addDelivery(deliveryRecord());
          t.removeDocument('doc_a');
        });
        await rows.transact((t) => {
          expect(t.documents().map(({ docId }) => docId)).to.deep.equal(['doc_b']);
          expect(t.usesBlob('a'.repeat(64))).to.equal(false);
          expect(t.usesBlob('b'.repeat(64))).to.equal(true);
          expect(t.session('ses_a')).to.equal(undefined);
          expect(t.pendingDeliveries()).to.equal(1);
        });
      });

      it('frees its key', async () => {
        await rows.transact((t) => t.putDocument(documentRecord()));
        expect(await refused((t) => t.putDocument(documentRecord({ docId: 'doc_b' })))).to.be.instanceOf(Error);
        await rows.transact((t) => {
          t.removeDocument('doc_a');
          t.putDocument(documentRecord({ docId: 'doc_b' }));
        });
      });
    });

    it('refuse a version and a session of no document', async () => {
      expect(await refused((t) => t.putVersion(versionRecord()))).to.be.instanceOf(Error);
      expect(await refused((t) => t.putSession(sessionRecord()))).to.be.instanceOf(Error);
    });

    describe('callbacks', () => {
      it('are due one a document: the first that is pending', async () => {
        await rows.transact((t) => {
          const [first] = ['doc_a', 'doc_a', 'doc_b'].map((docId) => t.addDelivery(deliveryRecord({ docId })));
          expect(t.dueDeliveries().map(({ id, docId }) => [id - (first?.id ?? 0), docId])).to.deep.equal([
            [0, 'doc_a'],
            [2, 'doc_b'],
          ]);
          if (first) t.putDelivery({ ...first, state: 'delivered', endedAt: 5 });
          expect(t.dueDeliveries().map(({ id }) => id - (first?.id ?? 0))).to.deep.equal([1, 2]);
          expect(t.pendingDeliveries()).to.equal(2);
        });
      });

      it('of a document are known to be there until they are removed', async () => {
        await rows.transact((t) => {
          t.addDelivery(deliveryRecord({ docId: 'doc_a', state: 'delivered', endedAt: 10 }));
          expect([t.hasDeliveries('doc_a'), t.hasDeliveries('doc_b')]).to.deep.equal([true, false]);
          t.removeDeliveriesBefore(11);
          expect(t.hasDeliveries('doc_a')).to.equal(false);
        });
      });

      it('that were given up are listed by when that was, newest first', async () => {
        await rows.transact((t) => {
          for (const endedAt of [30, 10, 20]) t.addDelivery(deliveryRecord({ state: 'given_up', endedAt }));
          t.addDelivery(deliveryRecord({ state: 'delivered', endedAt: 40 }));
          expect(t.givenUp(2).map(({ endedAt }) => endedAt)).to.deep.equal([30, 20]);
        });
      });

      it('never get an id twice, and pending ones are never cleaned away', async () => {
        const last = await rows.transact((t) => {
          t.addDelivery(deliveryRecord());
          return t.addDelivery(deliveryRecord({ state: 'delivered', endedAt: 10 }));
        });
        await rows.transact((t) => t.removeDeliveriesBefore(11));
        await reopen();
        await rows.transact((t) => {
          expect(t.addDelivery(deliveryRecord()).id).to.be.greaterThan(last.id);
          expect(t.pendingDeliveries()).to.equal(2);
        });
      });
    });

    describe('a transaction', () => {
      const failure = new Error('on purpose');

      for (const [how, fail] of [
        [
          'a throw',
          (): never => {
            throw failure;
          },
        ],
        [
          'a rejection',
          async (): Promise<never> => {
            await setImmediate();
            throw failure;
          },
        ],
      ] as const) {
        it(`takes all back after ${how}, and the next one runs`, async () => {
          await rows.transact((t) => t.putDocument(documentRecord()));
          const error = await refused((t) => {
            t.putVersion(versionRecord());
            t.addDelivery(deliveryRecord());
            t.removeDocument('doc_a');
            return fail();
          });
          expect(error).to.equal(failure);
          await rows.transact((t) => {
            expect(t.document('doc_a')).to.deep.equal(documentRecord());
            expect(t.versions('doc_a')).to.deep.equal([]);
            expect(t.pendingDeliveries()).to.equal(0);
          });
        });
      }

      it('sees what it did itself; no other runs meanwhile', async () => {
        await rows.transact((t) => t.putDocument(documentRecord()));
        const increments = Array.from({ length: 20 }, () =>
          rows.transact(async (t) => {
            const before = t.document('doc_a');
            await setImmediate();
            if (before) t.putDocument({ ...before, version: before.version + 1 });
            await setImmediate();
            return t.document('doc_a')?.version;
          }),
        );
        expect(await Promise.all(increments)).to.deep.equal(increments.map((_, index) => index + 1));
      });

      it('is over when it is over: work that goes on behind its back writes nothing', async () => {
        const kept = await rows.transact((t) => t);
        expect(() => kept.putDocument(documentRecord())).to.throw('over');
        await rows.transact(async (t) => {
          expect(() => kept.documents()).to.throw('over');
          expect(t.documents()).to.deep.equal([]);
        });
      });

      it('waits for those before it when the rows are closed, and is refused after that', async () => {
        const before = rows.transact(async (t) => {
          await setImmediate();
          t.putDocument(documentRecord());
        });
        await Promise.all([before, rows.close()]);
        expect(await refused(() => {})).to.be.instanceOf(Error);
        rows = await place.open();
        expect(await rows.transact((t) => t.documents())).to.have.length(1);
      });
    });

    describe('sessions', () => {
      it('live until their last millisecond or their deletion, and have ended after that', async () => {
        await rows.transact((t) => {
          t.putDocument(documentRecord());
          t.putDocument(documentRecord({ docId: 'doc_b', key: 'key-b' }));
          const put = (sessionId: string, changes: object): void =>
            t.putSession(sessionRecord({ sessionId, tokenHash: sessionId, expiresAt: 50, ...changes }));
          put('open', {});
          put('other', { docId: 'doc_b' });
          put('deleted', { closedAt: 20 });
          put('expired', { expiresAt: 30 });
          const ids = (sessions: { sessionId: string }[]): string[] =>
            sessions.map(({ sessionId }) => sessionId).sort();
          expect(ids(t.liveSessions(29))).to.deep.equal(['expired', 'open', 'other']);
          expect(ids(t.liveSessions(30))).to.deep.equal(['open', 'other']);
          expect(ids(t.liveSessions(30, 'doc_a'))).to.deep.equal(['open']);
          expect(ids(t.endedSessions(20))).to.deep.equal([]);
          expect(ids(t.endedSessions(31))).to.deep.equal(['deleted', 'expired']);
        });
      });

      it('are in memory while nobody deleted them, as the last transaction left them', async () => {
        const session = sessionRecord({ sessionId: 'one', tokenHash: 'token', mode: 'edit', expiresAt: 50 });
        const { sessionId, docId, mode, expiresAt, tokenHash } = session;
        const open = { sessionId, docId, mode, expiresAt, tokenHash };
        const found = () => [rows.openSessions.byToken('token'), ...rows.openSessions.byDocument(docId)];
        await rows.transact((t) => {
          t.putDocument(documentRecord());
          t.putSession(session);
          expect(found()).to.deep.equal([undefined]);
        });
        expect(found()).to.deep.equal([open, open]);
        await rows.transact((t) => t.putSession({ ...session, mode: 'view' }));
        expect(found()).to.deep.equal([
          { ...open, mode: 'view' },
          { ...open, mode: 'view' },
        ]);
        await refused((t) => {
          t.removeDocument(docId);
          throw new Error('a mistake of ours');
        });
        await rows.transact((t) => t.putSession({ ...session, closedAt: 20 }));
        expect(found()).to.deep.equal([undefined]);
        await rows.transact((t) => t.putSession(session));
        expect(found()).to.deep.equal([open, open]);
        await rows.transact((t) => t.removeDocument(docId));
        expect(found()).to.deep.equal([undefined]);
      });
    });

    rowsProperty(() => make());
  });
}
