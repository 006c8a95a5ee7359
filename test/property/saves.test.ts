import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import fc from 'fast-check';
import type { DeliveryRecord, SessionRecord, VersionRecord } from '../../cmd/gate/domain/model.ts';
import { toTimestamp } from '../../cmd/gate/domain/wopi.ts';
import type { DocumentCallback } from '../../src/common/generated/wire.ts';
import { type SavesBench, savesBench } from '../support/gate-saves.ts';
import { until } from '../support/until.ts';

/** How many histories are lived. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 10);
/** Repeats a run; without PROPERTY_RUNS the histories are always the same. */
const SEED = process.env['PROPERTY_SEED'] ?? (process.env['PROPERTY_RUNS'] ? undefined : '20261122');
const SECOND = 1000;
const KEPT = 5;

const DOES = ['begin', 'begin', 'begin', 'end', 'end', 'come', 'leave', 'pass', 'pass', 'receiver', 'restart'] as const;
const step = fc.record({ does: fc.constantFrom(...DOES), document: fc.nat(1), dice: fc.nat(99) });
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A save on its way: the stamp that it began from, and the part of its content that has not come yet. */
interface Underway {
  content: PassThrough;
  rest: Buffer;
  stamp: string | undefined;
  sha256: string;
  final: boolean;
  outcome: Promise<VersionRecord | 'conflict' | Error>;
}

interface Document {
  docId: string;
  session: SessionRecord;
  /** Hashes of what was acknowledged, in order. */
  saved: string[];
  stamp: string;
  /** True where the last one was final. */
  final: boolean;
  underway: Underway[];
  viewed: boolean;
  closed: number;
}

/** Documents that are saved, left, closed and whose portal does not always answer, beside what must come of it. */
async function live(steps: readonly Step[]): Promise<void> {
  let now = Date.UTC(2026, 8, 21);
  let answer = 200;
  const sent: (DeliveryRecord & { status: number })[] = [];
  const options = {
    clock: () => now,
    poster: { post: async (delivery: DeliveryRecord) => sent.push({ ...delivery, status: answer }) && answer },
  };
  let bench: SavesBench = await savesBench(options);
  const { folder } = bench;
  const documents: Document[] = [];

  async function pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 10) {
      now += Math.min(left, 10) * SECOND;
      await look();
    }
  }

  /** A sample of the editor, and what was closed with it. */
  async function look(): Promise<void> {
    const before = await states();
    await bench.sample(...documents.filter(({ viewed }) => viewed).map(({ docId }) => ({ docId })));
    const after = await states();
    for (const [index, document] of documents.entries()) {
      if (before[index] !== 'open' || after[index] !== 'closed') continue;
      expect([document.viewed, document.underway.length]).to.deep.equal([false, 0]);
      document.closed += 1;
    }
  }

  const states = () =>
    bench.rows.transact(async (tx) => {
      const held = await tx.documents();
      return documents.map(({ docId }) => held.find((document) => document.docId === docId)?.state);
    });

  function begin(document: Document, dice: number): void {
    const content = new PassThrough({ highWaterMark: 1_000_000 });
    const bytes = Buffer.from(dice < 20 ? 'the same once more' : `${dice} `.repeat(dice * dice));
    const stamp = dice % 5 === 0 ? undefined : document.stamp;
    const final = dice % 3 === 0;
    const facts = { timestamp: stamp, autosave: dice > 50, final, modifiedByUser: true, nonce: null };
    const outcome = bench.save(document.session, content, facts).catch((error: Error) => error);
    content.write(bytes.subarray(0, dice));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    document.underway.push({ content, rest: bytes.subarray(dice), stamp, sha256, final, outcome });
  }

  /** The rest of a save comes, or its connection breaks off. */
  async function end(document: Document, dice: number): Promise<void> {
    const [save] = document.underway.splice(dice % (document.underway.length || 1), 1);
    if (!save) return;
    if (dice % 7 === 0) save.content.destroy(new Error('broke off'));
    else save.content.end(save.rest);
    const outcome = await save.outcome;
    const isStale = save.stamp !== undefined && save.stamp !== document.stamp;
    const isSame = save.sha256 === document.saved.at(-1);
    if (dice % 7 === 0) expect(outcome).to.have.property('code', 'bad_request');
    else if (isStale && !isSame) expect(outcome).to.equal('conflict');
    else {
      const version = outcome as VersionRecord;
      // Nobody asked for the same bytes once more.
      const isRepeat = isSame && (isStale || save.final || document.final);
      expect(version.version).to.equal(document.saved.length + (isRepeat ? 0 : 1));
      if (!isRepeat) document.saved.push(save.sha256);
      if (!isRepeat) document.final = save.final;
      document.stamp = toTimestamp(version);
    }
  }

  async function restart(): Promise<void> {
    for (const document of documents) while (document.underway.length > 0) await end(document, 1);
    await bench.stop({ keep: true });
    bench = await savesBench({ ...options, folder });
    bench.outbox.wake();
    bench.cleaning.start();
  }

  async function take({ does, document: index, dice }: Step): Promise<void> {
    const document = documents[index] as Document;
    if (does === 'begin') begin(document, dice);
    else if (does === 'end') await end(document, dice);
    else if (does === 'come' || does === 'leave') document.viewed = does === 'come';
    else if (does === 'pass') await pass(dice);
    else if (does === 'receiver') answer = dice < 50 ? 200 : 500;
    else await restart();
  }

  /** Checks that the versions that are kept of a document are what was acknowledged. */
  async function check({ docId, saved }: Document): Promise<void> {
    const versions = await bench.rows.transact((tx) => tx.versions(docId));
    const numbers = saved.map((_, index) => index + 1).slice(-KEPT);
    expect(versions.map(({ version }) => version)).to.deep.equal([0, ...numbers]);
    for (const { version, blob, sha256 } of versions) {
      if (version > 0) expect(sha256).to.equal(saved[version - 1]);
      const bytes = await buffer(bench.blobs.read({ blob, sha256 }));
      expect(createHash('sha256').update(bytes).digest('hex')).to.equal(sha256);
    }
  }

  /** Callbacks come in order, each until it was taken or given up, and tell of all that was saved and closed. */
  function checkCallbacks({ docId, saved, closed }: Document): void {
    const mine = sent.filter((delivery) => delivery.docId === docId);
    const turns = mine.filter(({ delivery }, index) => delivery !== mine[index - 1]?.delivery);
    expect(new Set(turns.map(({ delivery }) => delivery)).size).to.equal(turns.length);
    let version = 0;
    for (const { delivery, body } of turns) {
      const attempts = mine.filter((attempt) => attempt.delivery === delivery);
      expect(attempts.at(-1)?.status === 200 || attempts.length === 3, 'taken or given up').to.equal(true);
      const received = JSON.parse(body) as DocumentCallback;
      if (received.status === 'saved') version += 1;
      expect(received.version).to.equal(version);
      if (version > 0) expect(received.sha256).to.equal(saved[version - 1]);
    }
    expect(version).to.equal(saved.length);
    expect(turns.filter(({ event }) => event === 'document.closed')).to.have.lengthOf(closed);
  }

  try {
    for (const docId of ['doc_a', 'doc_b']) {
      const made = { docId, key: docId, callbackUrl: 'https://portal.example.vn/cb' };
      const session = await bench.open(made, {}, docId.padEnd(43, 'T'));
      const stamp = await bench.rows.transact(async (tx) => toTimestamp((await tx.version(docId, 0)) as VersionRecord));
      documents.push({ docId, session, saved: [], stamp, final: false, underway: [], viewed: true, closed: 0 });
    }
    for (const one of steps) {
      await take(one);
      await Promise.all(documents.map(check));
    }
    await restart();
    for (const document of documents) document.viewed = false;
    await pass(200);
    expect(await states()).to.deep.equal(['closed', 'closed']);
    await until('all callbacks have ended', async () => {
      now += 60 * SECOND;
      bench.outbox.wake();
      return (await bench.rows.transact((tx) => tx.pendingDeliveries())) === 0 || undefined;
    });
    documents.forEach(checkCallbacks);
    now += 25 * 3600 * SECOND;
    await bench.cleaning.sweep();
    now += 3600 * SECOND;
    await bench.cleaning.sweepBytes();
    await until('no bytes are left', async () => (await bench.stored()).length === 0 || undefined);
  } finally {
    for (const { underway } of documents) for (const { content } of underway) content.destroy();
    await bench.stop({ keep: true });
    await rm(folder, { recursive: true, force: true });
  }
}

describe('random histories of documents', function () {
  this.timeout(3_600_000);

  it(`lose no save, no callback and no version, ${RUNS} of them`, async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), live);
    await fc.assert(property, { numRuns: RUNS, ...(SEED && { seed: Number(SEED) }) });
  });
});
