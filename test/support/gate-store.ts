import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Rows } from '../../cmd/gate/domain/ports.ts';
import { failure } from './failure.ts';
import {
  deliveryRecord,
  documentRecord,
  randomBlob,
  sessionRecord,
  uploadRecord,
  versionRecord,
} from './gate-records.ts';

/** Somewhere that keeps rows or blobs while nobody has it open. */
export interface Place<Store> {
  open(): Promise<Store>;
  /** Removes all that is there. */
  dispose(): Promise<void>;
}

/** Tests what every implementation of `Rows` promises. */
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
    const refused = (work: Parameters<Rows['transact']>[0]): Promise<unknown> => failure(rows.transact(work));

    it('keep records as they are: the caller’s own, with quotes, SQL, emoji, control characters but NUL', async () => {
      const document = documentRecord({ title: `'"); DROP TABLE documents; --\u0001\n😀\u202e` });
      await rows.transact(async (t) => {
        await t.putDocument(document);
        const read = await t.document(document.docId);
        if (read) read.title = 'changed';
        expect(await t.document(document.docId)).to.deep.equal(document);
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
        const reason = new Error('on purpose');
        await rows.transact((t) => t.putDocument(documentRecord()));
        const error = await refused(async (t) => {
          await t.putVersion(versionRecord());
          await t.removeDocument('doc_a');
          await setImmediate();
          throw reason;
        });
        expect(error).to.equal(reason);
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
        expect(await failure(kept.putDocument(documentRecord()))).to.match(/over/);
        await rows.transact(async (t) => {
          expect(await failure(kept.documents())).to.match(/over/);
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

    it('find documents by id, key and state, oldest first, and one of each key', async () => {
      const [b, a] = [
        documentRecord({ docId: 'doc_b', key: 'b', createdAt: 1 }),
        documentRecord({ key: 'a', createdAt: 2, state: 'closed', closedAt: 3, callbackUrl: 'https://p.example/cb' }),
      ] as const;
      await rows.transact(async (t) => {
        for (const document of [a, b]) await t.putDocument(document);
        await t.putDocument({ ...b, title: 'another' });
      });
      await reopen();
      await rows.transact(async (t) => {
        expect(await t.documents()).to.deep.equal([{ ...b, title: 'another' }, a]);
        expect(await t.openDocuments()).to.deep.equal(['doc_b']);
        const closed = (docId: string, closedAt: number) => ({ ...a, docId, key: docId, closedAt });
        const others = [closed('doc_c', 3), closed('doc_d', 2), closed('doc_e', 4)] as const;
        for (const document of others) await t.putDocument(document);
        expect(await t.closedDocuments(3, 9)).to.deep.equal([others[1], a, others[0]]);
        expect(await t.closedDocuments(3, 1)).to.deep.equal([others[1]]);
        expect(await t.closedDocuments(3, 9, a)).to.deep.equal([others[0]]);
        for (const { docId } of others) await t.removeDocument(docId);
        expect([await t.document('doc_a'), await t.documentByKey('a'), await t.documentByKey('c')]).to.deep.equal([
          a,
          a,
          undefined,
        ]);
      });
      expect(await refused((t) => t.putDocument({ ...a, docId: 'doc_c' }))).to.be.instanceOf(Error);
    });

    it('keep versions and sessions of a document that is there, and lose them with it', async () => {
      expect(await refused((t) => t.putVersion(versionRecord()))).to.be.instanceOf(Error);
      expect(await refused((t) => t.putSession(sessionRecord()))).to.be.instanceOf(Error);
      const user = { id: 'u', name: 'Bình' };
      const version = versionRecord({ version: 2, savedBy: user, autosave: true, modifiedByUser: true, nonce: 'n' });
      const session = sessionRecord({ readOnly: true, hasEdited: false, ui: { print: false }, user, closedAt: 7 });
      await rows.transact(async (t) => {
        for (const docId of ['doc_a', 'doc_b']) {
          await t.putDocument(documentRecord({ docId, key: docId }));
          for (const one of [3, 1]) await t.putVersion(versionRecord({ docId, version: one }));
        }
        await t.putVersion(version);
        await t.putSession(session);
      });
      await reopen();
      expect(
        await refused((t) => t.putSession({ ...session, sessionId: 'another' })),
        'one of each token',
      ).to.be.instanceOf(Error);
      await rows.transact(async (t) => {
        expect((await t.versions('doc_a')).map((one) => one.version)).to.deep.equal([1, 2, 3]);
        expect([await t.version('doc_a', 2), await t.version('doc_a', 0)]).to.deep.equal([version, undefined]);
        expect([await t.session('ses_a'), await t.sessionByToken(session.tokenHash)]).to.deep.equal([session, session]);
        expect(await t.sessionsById(['ses_a', 'ses_x'])).to.deep.equal([session]);
        await t.removeVersion('doc_a', 2);
        expect((await t.versions('doc_a')).map((one) => one.version)).to.deep.equal([1, 3]);
        await t.removeDocument('doc_a');
        expect([await t.session('ses_a'), await t.versions('doc_a')]).to.deep.equal([undefined, []]);
        expect(await t.versions('doc_b')).to.have.length(2);
      });
    });

    it('find sessions to the millisecond, those of all documents or of one', async () => {
      await rows.transact(async (t) => {
        for (const docId of ['doc_a', 'doc_b']) await t.putDocument(documentRecord({ docId, key: docId }));
        for (const [sessionId, changes] of [
          ['open', {}],
          ['deleted', { closedAt: 20 }],
          ['expired', { expiresAt: 30, createdAt: 5 }],
          ['other', { docId: 'doc_b' }],
        ] as const)
          await t.putSession(sessionRecord({ sessionId, tokenHash: sessionId, expiresAt: 50, ...changes }));
        const ids = (sessions: { sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId).join();
        expect(ids(await t.liveSessions(29))).to.equal('expired,open,other');
        expect(ids(await t.liveSessions(29, 'doc_a'))).to.equal('expired,open');
        expect(ids(await t.liveSessions(30, 'doc_a'))).to.equal('open');
        expect([await t.countOpen(29), await t.countOpen(30)]).to.deep.equal([
          { documents: 2, sessions: 3 },
          { documents: 2, sessions: 2 },
        ]);
        expect(ids(await t.sessions())).to.equal('expired,deleted,open,other');
        expect(await t.endedSessions(20)).to.deep.equal([]);
        expect(ids(await t.endedSessions(31)).split(',')).to.have.members(['expired', 'deleted']);
        await t.removeSession('open');
        expect(await t.session('open')).to.equal(undefined);
      });
    });

    it('list callbacks: the first that is pending of each document, all in their order, those given up newest first', async () => {
      await rows.transact(async (t) => {
        const add = async (changes = {}) => (await t.addDelivery(deliveryRecord(changes))).id;
        const ids = (deliveries: { id: number }[]) => deliveries.map(({ id }) => id);
        const [done, first, second, other] = [
          await add({ state: 'delivered', endedAt: 5 }),
          await add(),
          await add(),
          await add({ docId: 'doc_b' }),
        ];
        expect(ids(await t.dueDeliveries())).to.deep.equal([first, other]);
        const given = [];
        for (const endedAt of [30, 10, 30]) given.push(await add({ state: 'given_up', endedAt }));
        expect(ids(await t.givenUp(2))).to.deep.equal([given[2], given[0]]);
        expect(ids(await t.deliveries())).to.deep.equal([done, first, second, other, ...given]);
        expect([await t.pendingDeliveries(), await t.hasDeliveries('doc_b')]).to.deep.equal([3, true]);
        expect(await t.hasDeliveries('doc_c')).to.equal(false);
        const before = (await t.delivery(other)) ?? expect.fail('not there');
        await t.putDelivery({ ...before, state: 'delivered', attempts: 1, lastStatus: 200, endedAt: 9 });
        expect(await t.delivery(other)).to.include({ state: 'delivered', attempts: 1, lastStatus: 200, endedAt: 9 });
        await t.removeDeliveriesBefore(10);
        expect(ids(await t.deliveries())).to.deep.equal([first, second, ...given]);
      });
    });

    it('note uploads and how they fare', async () => {
      const [own, other, ended] = [
        uploadRecord({ gate: 'one' }),
        uploadRecord({ gate: 'two', docId: 'doc_b', seenAt: 2_000 }),
        uploadRecord({ gate: 'two', state: 'over' }),
      ];
      await rows.transact(async (t) => {
        for (const upload of [own, other, ended]) await t.putUpload(upload);
        await t.putUpload({ ...ended, state: 'failed' });
        expect(await t.uploads({ docId: 'doc_a' })).to.have.deep.members([own, ended]);
        for (const upload of [own, ended]) await t.renewUpload({ ...upload, state: 'abandoned', seenAt: 1_500 });
        // A renewal that began before and comes late.
        await t.renewUpload({ ...own, seenAt: 1_600 });
        expect(await t.uploads({})).to.have.deep.members([{ ...own, state: 'abandoned', seenAt: 1_500 }, other, ended]);
        for (const [state, gate, after] of [
          ['failed', 'one', 'over'],
          ['broken_off', 'two', 'broken_off'],
          ['under_way', 'two', 'over'],
          ['under_way', 'one', 'under_way'],
          ['abandoned', 'two', 'over'],
        ] as const) {
          await t.removeUpload(own.blob);
          await t.putUpload({ ...own, state, gate });
          await t.resolveUploads('doc_a', 'one', ['failed', 'abandoned']);
          expect((await t.uploads({})).find(({ blob }) => blob === own.blob)?.state, `${state} ${gate}`).to.equal(
            after,
          );
        }
        expect((await t.uploads({ docId: 'doc_b' }))[0]?.state, 'of another document').to.equal('under_way');
        expect([await t.removeUpload(ended.blob), await t.removeUpload(ended.blob)]).to.deep.equal([true, false]);
        expect(await t.removeUploadsBefore(1_000)).to.deep.equal([]);
        expect(await t.removeUploadsBefore(2_000)).to.deep.equal([own.blob]);
        expect(await t.uploads({})).to.deep.equal([other]);
      });
    });

    it('note what is to be removed, and know which blobs are named anywhere', async () => {
      const [used, noted, uploaded, unknown] = [randomBlob(), randomBlob(), randomBlob(), randomBlob()];
      await rows.transact(async (t) => {
        await t.putDocument(documentRecord());
        await t.putVersion(versionRecord({ blob: used }));
        await t.putUpload(uploadRecord({ blob: uploaded }));
        await t.addRemoval(noted, 5);
        await t.addRemoval(noted, 1);
        await t.addRemoval(used, 3);
        expect(await t.usedBlobs([used, noted])).to.deep.equal([used]);
        const known = await t.knownBlobs([used, noted, uploaded, unknown]);
        expect([await t.knownBlobs([]), known.toSorted()]).to.deep.equal([[], [used, noted, uploaded].toSorted()]);
        expect([await t.blobsToRemove(4, 9), await t.blobsToRemove(5, 9)]).to.deep.equal([[used], [used, noted]]);
        expect(await t.blobsToRemove(5, 1)).to.deep.equal([used]);
        await t.endRemoval(used);
        expect(await t.blobsToRemove(5, 9)).to.deep.equal([noted]);
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
        expect(await t.usedBlobs([edits[0].blob, randomBlob()])).to.deep.equal([edits[0].blob]);
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

    it('find open sessions as the last transaction left them, and not one that failed', async () => {
      const session = sessionRecord({ sessionId: 'one', tokenHash: 'token', expiresAt: 50 });
      const { docId, mode, expiresAt } = session;
      const found = async () => {
        const [byToken, ofDocument] = [
          await rows.openSessions.byToken('token'),
          await rows.openSessions.byDocument(docId),
        ];
        expect(ofDocument.map(({ sessionId }) => sessionId)).to.deep.equal(byToken ? ['one'] : []);
        return byToken;
      };
      await rows.transact(async (t) => {
        await t.putDocument(documentRecord());
        await t.putDocument(documentRecord({ docId: 'doc_b', key: 'b' }));
        await t.putSession({ ...session, sessionId: 'two', docId: 'doc_b', tokenHash: 'another' });
        await t.putSession(session);
        expect(await found()).to.equal(undefined);
      });
      expect(await found()).to.include({ sessionId: 'one', docId, mode, expiresAt });
      await refused(async (t) => {
        await t.removeDocument(docId);
        throw new Error('a mistake of ours');
      });
      await reopen();
      expect(await found()).to.not.equal(undefined);
      await rows.transact((t) => t.putSession({ ...session, mode: 'view' }));
      expect(await found()).to.include({ mode: 'view' });
      for (const end of [
        () => rows.transact((t) => t.putSession({ ...session, closedAt: 9 })),
        () => rows.transact((t) => t.removeSession('one')),
        () => rows.transact((t) => t.removeDocument(docId)),
      ]) {
        await end();
        expect(await found()).to.equal(undefined);
        await rows.transact((t) => t.putDocument(documentRecord()));
        await rows.transact((t) => t.putSession(session));
      }
      expect(await rows.openSessions.byToken('another')).to.include({ sessionId: 'two' });
    });
  });
}
