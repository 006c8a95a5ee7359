import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Rows } from '../../cmd/gate/domain/ports.ts';
import { deliveryRecord, documentRecord, randomBlob, sessionRecord, versionRecord } from './gate-records.ts';
import { rowsProperty } from './gate-store-model.ts';

export { blobsContract } from './gate-store-blobs.ts';

/** Somewhere that keeps rows or blobs while nobody has it open. */
export interface Place<Store> {
  open(): Promise<Store>;
  /** Removes all that is there. */
  dispose(): Promise<void>;
}

/** What every implementation of `Rows` promises, beside what random transactions show (`rowsProperty`). */
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

    /** The error that a promise is rejected with. */
    function rejection(promise: Promise<unknown>): Promise<unknown> {
      return promise.then(
        () => undefined,
        (error) => error,
      );
    }

    /** The error that `work` is refused with. */
    const refused = (work: Parameters<Rows['transact']>[0]): Promise<unknown> => rejection(rows.transact(work));

    describe('records', () => {
      const document = documentRecord({ closedAt: 3, state: 'closed', callbackUrl: 'https://portal.example.vn/cb' });

      it('are the caller’s own: to change one changes nothing that is kept', async () => {
        await rows.transact(async (t) => {
          await t.putDocument(document);
          const read = await t.document(document.docId);
          if (read) read.title = 'changed';
          expect(await t.document(document.docId)).to.deep.equal(document);
        });
      });

      it('keep text as it is: quotes, SQL, emoji, control characters but NUL', async () => {
        const title = `'"); DROP TABLE documents; --\u0001\n😀\u202e`;
        await rows.transact((t) => t.putDocument({ ...document, title }));
        expect((await rows.transact((t) => t.document(document.docId)))?.title).to.equal(title);
      });
    });

    it('take text with a NUL in it, which is no name of anything', async () => {
      await rows.transact(async (t) => {
        await t.putDocument(documentRecord({ title: 'a\0b' }));
        expect((await t.document('doc_a'))?.title).to.match(/^a.b$/s);
        expect(await t.document('doc_a\0')).to.equal(undefined);
        expect(await t.document('\0')).to.equal(undefined);
      });
    });

    describe('callbacks', () => {
      it('never get an id twice, and pending ones are never cleaned away', async () => {
        const last = await rows.transact(async (t) => {
          await t.addDelivery(deliveryRecord());
          return t.addDelivery(deliveryRecord({ state: 'delivered', endedAt: 10 }));
        });
        await rows.transact((t) => t.removeDeliveriesBefore(11));
        await reopen();
        await rows.transact(async (t) => {
          expect((await t.addDelivery(deliveryRecord())).id).to.be.greaterThan(last.id);
          expect(await t.pendingDeliveries()).to.equal(2);
        });
      });
    });

    describe('a transaction', () => {
      it('takes all back after a rejection, and the next one runs', async () => {
        const failure = new Error('on purpose');
        await rows.transact((t) => t.putDocument(documentRecord()));
        const error = await refused(async (t) => {
          await t.putVersion(versionRecord());
          await t.removeDocument('doc_a');
          await setImmediate();
          throw failure;
        });
        expect(error).to.equal(failure);
        expect(await rows.transact((t) => t.documents())).to.deep.equal([documentRecord()]);
      });

      it('sees what it did itself; no other runs meanwhile', async () => {
        await rows.transact((t) => t.putDocument(documentRecord()));
        const increments = Array.from({ length: 20 }, () =>
          rows.transact(async (t) => {
            const before = await t.document('doc_a');
            await setImmediate();
            if (before) await t.putDocument({ ...before, version: before.version + 1 });
            await setImmediate();
            return (await t.document('doc_a'))?.version;
          }),
        );
        const numbers = (await Promise.all(increments)).toSorted((one, other) => Number(one) - Number(other));
        expect(numbers).to.deep.equal(increments.map((_, index) => index + 1));
      });

      it('is over when it is over: work that goes on behind its back writes nothing', async () => {
        const [kept] = await rows.transact((t) => [t]);
        expect(await rejection(kept.putDocument(documentRecord()))).to.match(/over/);
        await rows.transact(async (t) => {
          expect(await rejection(kept.documents())).to.match(/over/);
          expect(await t.documents()).to.deep.equal([]);
        });
      });

      it('waits for those before it when the rows are closed, and is refused after that', async () => {
        const before = rows.transact(async (t) => {
          await setImmediate();
          await t.putDocument(documentRecord());
        });
        await Promise.all([before, rows.close()]);
        expect(await refused(() => {})).to.be.instanceOf(Error);
        rows = await place.open();
        expect(await rows.transact((t) => t.documents())).to.have.length(1);
      });
    });

    it('find sessions to the millisecond, versions one by one, and callbacks in their order', async () => {
      await rows.transact(async (t) => {
        await t.putDocument(documentRecord());
        for (const version of [0, 1, 2]) await t.putVersion(versionRecord({ version }));
        await t.removeVersion('doc_a', 1);
        expect((await t.versions('doc_a')).map(({ version }) => version)).to.deep.equal([0, 2]);
        for (const [sessionId, changes] of [
          ['open', {}],
          ['deleted', { closedAt: 20 }],
          ['expired', { expiresAt: 30 }],
        ] as const)
          await t.putSession(sessionRecord({ sessionId, tokenHash: sessionId, expiresAt: 50, ...changes }));
        const ids = (sessions: { sessionId: string }[]): string[] => sessions.map(({ sessionId }) => sessionId).sort();
        expect(ids(await t.liveSessions(29))).to.deep.equal(['expired', 'open']);
        expect(ids(await t.liveSessions(30))).to.deep.equal(['open']);
        expect([ids(await t.endedSessions(20)), ids(await t.endedSessions(31))]).to.deep.equal([
          [],
          ['deleted', 'expired'],
        ]);
        for (const endedAt of [30, 10, 20]) await t.addDelivery(deliveryRecord({ state: 'given_up', endedAt }));
        expect((await t.givenUp(2)).map(({ endedAt }) => endedAt)).to.deep.equal([30, 20]);
      });
    });

    it('keep edits that never became a version, oldest first, and know their bytes', async () => {
      const edit = (at: number, docId = 'doc_a') => ({
        ...{ id: `${docId}-${at}`, docId, pid: 7, at },
        ...{ blob: randomBlob(), sha256: 'a'.repeat(64), size: 5 },
      });
      const edits = [edit(30), edit(10), edit(20, 'doc_b')] as const;
      await rows.transact(async (t) => {
        for (const one of edits) await t.putUnsaved(one);
      });
      await reopen();
      await rows.transact(async (t) => {
        expect(await t.allUnsaved({})).to.deep.equal([edits[1], edits[2], edits[0]]);
        expect(await t.allUnsaved({ docId: 'doc_a' })).to.deep.equal([edits[1], edits[0]]);
        expect(await t.unsaved('doc_b-20')).to.deep.equal(edits[2]);
        expect(await t.knownBlobs([edits[0].blob])).to.deep.equal([edits[0].blob]);
        await t.removeUnsaved('doc_b-20');
        expect(await t.unsaved('doc_b-20')).to.equal(undefined);
      });
    });

    it('keep the first key of a name', async () => {
      const [first, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
      await Promise.all(['a', 'b'].map((name) => rows.transact((t) => t.keepKey(name, first))));
      await reopen();
      expect((await rows.transact((t) => t.keepKey('a', other))).equals(first)).to.equal(true);
    });

    it('remember things of a document until they are old, and numbers with their fraction', async () => {
      const memory = { kind: 'quarantined', docId: 'doc_a', key: '7', value: 1_790_000_000_123.25, at: 5 } as const;
      const others = [
        { ...memory, docId: 'doc_b' },
        { ...memory, key: '8' },
        { ...memory, kind: 'loaded', value: null },
      ] as const;
      await rows.transact(async (t) => {
        await t.remember({ ...memory, at: 1 });
        for (const one of [memory, ...others]) await t.remember(one);
        await t.forgetBefore(5);
        for (const one of [memory, ...others]) expect(await t.remembered(one)).to.deep.equal(one);
        await t.forget(memory);
        expect(await t.remembered(memory)).to.equal(undefined);
        expect(await t.remembered(others[0])).to.deep.equal(others[0]);
        await t.forgetBefore(6);
        for (const one of others) expect(await t.remembered(one)).to.equal(undefined);
      });
    });

    it('have open sessions in memory as the last transaction left them, and not one that failed', async () => {
      const session = sessionRecord({ sessionId: 'one', tokenHash: 'token', expiresAt: 50 });
      const isFound = async () => (await rows.openSessions.byToken('token')) !== undefined;
      await rows.transact(async (t) => {
        await t.putDocument(documentRecord());
        await t.putSession(session);
        expect(await isFound()).to.equal(false);
      });
      await refused(async (t) => {
        await t.removeDocument(session.docId);
        throw new Error('a mistake of ours');
      });
      await rows.transact(() => undefined);
      expect(await isFound()).to.equal(true);
      await rows.transact((t) => t.removeDocument(session.docId));
      expect(await isFound()).to.equal(false);
    });

    rowsProperty(() => make());
  });
}
