import { expect } from 'chai';
import fc from 'fast-check';
import type {
  DeliveryRecord,
  DocumentRecord,
  SessionRecord,
  UploadRecord,
  VersionRecord,
} from '../../cmd/gate/domain/model.ts';
import type { OpenSessions, Rows, RowsTransaction } from '../../cmd/gate/domain/ports.ts';
import { deliveryRecord, documentRecord, sessionRecord, versionRecord } from './gate-records.ts';
import type { Place } from './gate-store.ts';

/** Rows as plainly as they can be said. */
interface Model {
  documents: DocumentRecord[];
  versions: VersionRecord[];
  sessions: SessionRecord[];
  deliveries: DeliveryRecord[];
  uploads: UploadRecord[];
  removals: { blob: string; at: number }[];
}

/** One call, done to the rows and to the model, whose answers are the same. */
type Step = (rows: RowsTransaction, model: Model) => Promise<void>;

const small = fc.integer({ min: 0, max: 3 });
const time = fc.integer({ min: 0, max: 9 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const docId = small.map((number) => `doc_${number}`);
const blob = small.map((number) => String(number).repeat(32));
const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const user = fc.record({ id: text, name: text });

const document = fc
  .record({ docId, key: small.map(String), title: text, version: small, createdAt: time, closedAt: orNull(time) })
  .chain((changes) => fc.constantFrom('open' as const, 'closed' as const).map((state) => ({ ...changes, state })))
  .map(documentRecord);
const version = fc
  .record({ docId, version: small, blob, savedBy: orNull(user), autosave: fc.boolean(), final: fc.boolean() })
  .map(versionRecord);
const upload: fc.Arbitrary<UploadRecord> = fc.record({
  blob,
  docId,
  gate: small.map(String),
  state: fc.constantFrom('under_way', 'abandoned', 'failed', 'broken_off', 'over'),
  seenAt: time,
});
const session = fc
  .record({
    sessionId: small.map(String),
    docId,
    tokenHash: small.map(String),
    user,
    readOnly: fc.boolean(),
    hasEdited: fc.boolean(),
    createdAt: time,
    expiresAt: time,
    closedAt: orNull(time),
  })
  .map(sessionRecord);

const put: fc.Arbitrary<Step> = fc.oneof(
  document.map(
    (record): Step =>
      async (rows, model) => {
        const taken = model.documents.some(({ docId, key }) => docId !== record.docId && key === record.key);
        await attempt(taken, () => rows.putDocument(record));
        replace(model.documents, record, 'docId');
      },
  ),
  version.map(
    (record): Step =>
      async (rows, model) => {
        await attempt(!holds(model, record.docId), () => rows.putVersion(record));
        replace(model.versions, record, 'docId', 'version');
      },
  ),
  session.map(
    (record): Step =>
      async (rows, model) => {
        const taken = model.sessions.some(
          (other) => other.sessionId !== record.sessionId && same(other, record, 'tokenHash'),
        );
        await attempt(taken || !holds(model, record.docId), () => rows.putSession(record));
        replace(model.sessions, record, 'sessionId');
      },
  ),
  fc.record({ docId, nextAttemptAt: time }).map(
    (changes): Step =>
      async (rows, model) => {
        const added = await rows.addDelivery(deliveryRecord(changes));
        expect(added.id).to.be.greaterThan(Math.max(0, ...model.deliveries.map(({ id }) => id)));
        model.deliveries.push(added);
      },
  ),
  fc.tuple(upload, fc.constantFrom('addUpload' as const, 'renewUpload' as const)).map(
    ([record, act]): Step =>
      async (rows, model) => {
        await rows[act](record);
        const found = model.uploads.find((row) => same(row, record, 'blob'));
        if (act === 'addUpload' && !found) model.uploads.push({ ...record });
        const { state, seenAt } = record;
        if (act === 'renewUpload' && found && found.state !== 'over') Object.assign(found, { state, seenAt });
      },
  ),
  fc.record({ docId, gate: small.map(String) }).map(
    ({ docId: id, gate }): Step =>
      async (rows, model) => {
        await rows.resolveUploads(id, gate);
        for (const row of model.uploads.filter((other) => other.docId === id))
          if (['failed', 'broken_off'].includes(row.state) || (row.state === 'under_way' && row.gate !== gate))
            row.state = 'over';
      },
  ),
  upload.map(
    (record): Step =>
      async (rows, model) => {
        await rows.putUpload(record);
        replace(model.uploads, { ...record }, 'blob');
      },
  ),
  fc.record({ blob, at: time }).map(
    (removal): Step =>
      async (rows, model) => {
        await rows.addRemoval(removal.blob, removal.at);
        if (!model.removals.some((row) => same(row, removal, 'blob'))) model.removals.push(removal);
      },
  ),
  fc.tuple(small, fc.constantFrom('delivered' as const, 'given_up' as const), time).map(
    ([index, state, endedAt]): Step =>
      async (rows, model) => {
        const found = model.deliveries[index];
        if (!found) return;
        const ended = { ...found, state, endedAt, attempts: found.attempts + 1 };
        await rows.putDelivery(ended);
        replace(model.deliveries, ended, 'id');
      },
  ),
);

const remove: fc.Arbitrary<Step> = fc.oneof(
  docId.map(
    (id): Step =>
      async (rows, model) => {
        await rows.removeDocument(id);
        drop(model.documents, (row) => row.docId === id);
        drop(model.versions, (row) => row.docId === id);
        drop(model.sessions, (row) => row.docId === id);
      },
  ),
  fc.tuple(docId, small).map(
    ([id, number]): Step =>
      async (rows, model) => {
        await rows.removeVersion(id, number);
        drop(model.versions, (row) => row.docId === id && row.version === number);
      },
  ),
  small.map(
    (number): Step =>
      async (rows, model) => {
        await rows.removeSession(String(number));
        drop(model.sessions, (row) => row.sessionId === String(number));
      },
  ),
  blob.map(
    (name): Step =>
      async (rows, model) => {
        expect(await rows.removeUpload(name)).to.equal(model.uploads.some((row) => row.blob === name));
        drop(model.uploads, (row) => row.blob === name);
      },
  ),
  blob.map(
    (name): Step =>
      async (rows, model) => {
        await rows.endRemoval(name);
        drop(model.removals, (row) => row.blob === name);
      },
  ),
  time.map(
    (before): Step =>
      async (rows, model) => {
        const old = model.uploads.filter((row) => row.seenAt < before).map((row) => row.blob);
        expect(await rows.removeUploadsBefore(before)).to.have.members(old);
        drop(model.uploads, (row) => row.seenAt < before);
      },
  ),
  time.map(
    (before): Step =>
      async (rows, model) => {
        await rows.removeDeliveriesBefore(before);
        drop(model.deliveries, (row) => row.endedAt !== null && row.endedAt < before);
      },
  ),
);

const transaction = fc.record({
  steps: fc.array(fc.oneof({ arbitrary: put, weight: 4 }, { arbitrary: remove, weight: 1 }), { maxLength: 8 }),
  fails: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  reopens: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});

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

/** What a transaction ends with when the model, too, says that it must fail. */
class Refused extends Error {}

async function attempt(mustFail: boolean, act: () => Promise<void>): Promise<void> {
  if (!mustFail) return act();
  const failed = await act().then(
    () => false,
    () => true,
  );
  expect(failed).to.equal(true);
  throw new Refused();
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

function holds(model: Model, docId: string): boolean {
  return model.documents.some((row) => row.docId === docId);
}

function same<Row>(one: Row, other: Row, ...members: (keyof Row)[]): boolean {
  return members.every((member) => one[member] === other[member]);
}

function replace<Row>(list: Row[], record: Row, ...key: (keyof Row)[]): void {
  const index = list.findIndex((row) => same(row, record, ...key));
  list.splice(index === -1 ? list.length : index, index === -1 ? 0 : 1, record);
}

function drop<Row>(list: Row[], which: (row: Row) => boolean): void {
  list.splice(0, list.length, ...list.filter((row) => !which(row)));
}
