import { expect } from 'chai';
import fc from 'fast-check';
import type {
  DeliveryRecord,
  DocumentRecord,
  SessionRecord,
  UploadRecord,
  VersionRecord,
} from '../../cmd/gate/domain/model.ts';
import type { RowsTransaction } from '../../cmd/gate/domain/ports.ts';
import { deliveryRecord, documentRecord, sessionRecord, versionRecord } from './gate-records.ts';

/** Rows as plainly as they can be said. */
export interface Model {
  documents: DocumentRecord[];
  versions: VersionRecord[];
  sessions: SessionRecord[];
  deliveries: DeliveryRecord[];
  uploads: UploadRecord[];
  removals: { blob: string; at: number }[];
}

/** One call, done to the rows and to the model, whose answers are the same. */
export type Step = (rows: RowsTransaction, model: Model) => Promise<void>;

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

/** Steps that are done together, or fail. */
export const transaction: fc.Arbitrary<{ steps: Step[]; fails: boolean; reopens: boolean }> = fc.record({
  steps: fc.array(fc.oneof({ arbitrary: put, weight: 4 }, { arbitrary: remove, weight: 1 }), { maxLength: 8 }),
  fails: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  reopens: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
});

/** What a transaction ends with when the model, too, says that it must fail. */
export class Refused extends Error {}

async function attempt(mustFail: boolean, act: () => Promise<void>): Promise<void> {
  if (!mustFail) return act();
  const failed = await act().then(
    () => false,
    () => true,
  );
  expect(failed).to.equal(true);
  throw new Refused();
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
