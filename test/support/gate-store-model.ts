import { expect } from 'chai';
import fc from 'fast-check';
import type { OpenSessions, Rows, RowsTransaction } from '../../cmd/gate/domain/ports.ts';
import type { Place } from './gate-store.ts';
import { type Model, Refused, transaction } from './gate-store-steps.ts';

/** Random transactions, some of which fail, done to the rows and to a plain model: all that can be read is the same. */
export function rowsProperty(make: () => Promise<Place<Rows>>): void {
  it('are what a plain model is after any sequence of transactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(transaction, { maxLength: 12 }), async (transactions) => {
        const place = await make();
        let rows = await place.open();
        let model: Model = { documents: [], versions: [], sessions: [], deliveries: [], uploads: [], removals: [] };
        try {
          for (const { steps, fails, reopens } of transactions) {
            const attempted = structuredClone(model);
            const result = await rows
              .transact(async (t) => {
                for (const step of steps) await step(t, attempted);
                await compare(t, attempted);
                if (fails) throw new Refused();
              })
              .catch((error) => error);
            if (result === undefined) model = attempted;
            else if (!(result instanceof Refused)) throw result;
            if (reopens) {
              await rows.close();
              rows = await place.open();
            }
            await rows.transact((t) => compare(t, model));
            await compareOpenSessions(rows.openSessions, model);
          }
        } finally {
          await rows.close();
          await place.dispose();
        }
      }),
      { numRuns: 40 },
    );
  });
}

async function compare(rows: RowsTransaction, model: Model): Promise<void> {
  expect(await rows.documents()).to.have.deep.members(model.documents);
  for (const state of ['open', 'closed'] as const) {
    expect(await rows.documents({ state })).to.have.deep.members(model.documents.filter((row) => row.state === state));
  }
  for (const number of [0, 1, 2, 3]) {
    const id = `doc_${number}`;
    const versions = model.versions.filter((row) => row.docId === id).sort((a, b) => a.version - b.version);
    expect(await rows.uploads({ docId: id })).to.have.deep.members(model.uploads.filter((row) => row.docId === id));
    const live = model.sessions.filter((row) => row.closedAt === null && row.expiresAt > 5);
    expect(await rows.document(id)).to.deep.equal(model.documents.find((row) => row.docId === id));
    expect(await rows.documentByKey(String(number))).to.deep.equal(
      model.documents.find((row) => row.key === String(number)),
    );
    expect(await rows.versions(id)).to.deep.equal(versions);
    expect(await rows.version(id, 1)).to.deep.equal(versions.find((row) => row.version === 1));
    const name = String(number).repeat(32);
    const isUsed = model.versions.some((row) => row.blob === name);
    expect(await rows.usesBlob(name)).to.equal(isUsed);
    const isNoted = [...model.uploads, ...model.removals].some((row) => row.blob === name);
    expect(await rows.knownBlobs([name, 'f'.repeat(32)])).to.deep.equal(isUsed || isNoted ? [name] : []);
    expect(await rows.session(String(number))).to.deep.equal(
      model.sessions.find((row) => row.sessionId === String(number)),
    );
    expect(await rows.sessionByToken(String(number))).to.deep.equal(
      model.sessions.find((row) => row.tokenHash === String(number)),
    );
    expect(await rows.liveSessions(5)).to.have.deep.members(live);
    expect(await rows.liveSessions(5, id)).to.have.deep.members(live.filter((row) => row.docId === id));
  }
  expect(await rows.endedSessions(5)).to.have.deep.members(
    model.sessions.filter((row) => row.expiresAt < 5 || (row.closedAt !== null && row.closedAt < 5)),
  );
  expect(await rows.uploads({})).to.have.deep.members(model.uploads);
  const pending = model.deliveries.filter((row) => row.state === 'pending');
  expect(await rows.pendingDeliveries()).to.equal(pending.length);
  expect(await rows.dueDeliveries()).to.deep.equal(
    pending.filter((row) => pending.find((other) => other.docId === row.docId) === row),
  );
  for (const number of [0, 1, 2, 3]) {
    const id = `doc_${number}`;
    expect(await rows.hasDeliveries(id)).to.equal(model.deliveries.some((row) => row.docId === id));
  }
  const noted = model.removals.filter(({ at }) => at <= 5).sort((a, b) => a.at - b.at);
  const due = await rows.blobsToRemove(5, 9);
  expect(due).to.have.members(noted.map((row) => row.blob));
  expect(await rows.blobsToRemove(5, 1)).to.have.length(Math.min(1, noted.length));
  const givenUp = model.deliveries.filter((row) => row.state === 'given_up');
  expect(await rows.givenUp(3)).to.deep.equal(
    givenUp.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0) || b.id - a.id).slice(0, 3),
  );
}

async function compareOpenSessions({ byToken, byDocument }: OpenSessions, { sessions }: Model): Promise<void> {
  const open = sessions.filter(({ closedAt }) => closedAt === null);
  const idOf = (session: { sessionId: string } | undefined): string | undefined => session?.sessionId;
  for (const { sessionId, docId, mode, expiresAt, tokenHash } of open) {
    expect(await byToken(tokenHash)).to.include({ sessionId, docId, mode, expiresAt });
  }
  for (const number of [0, 1, 2, 3]) {
    const docId = `doc_${number}`;
    const ofModel = open.filter((session) => session.docId === docId);
    expect((await byDocument(docId)).map(idOf)).to.have.members(ofModel.map(idOf));
    const token = String(number);
    expect(idOf(await byToken(token))).to.equal(idOf(open.find(({ tokenHash }) => tokenHash === token)));
  }
}
