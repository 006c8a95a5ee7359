import { hash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { SessionRecord } from '../../../../cmd/gate/domain/model.ts';
import type { Attempt, Rows } from '../../../../cmd/gate/domain/ports.ts';
import type { SaveFacts } from '../../../../cmd/gate/domain/save-transaction.ts';
import { toTimestamp } from '../../../../cmd/gate/domain/wopi.ts';
import { AppError } from '../../../../src/common/errors.ts';
import type { DocumentCallback } from '../../../../src/common/generated/wire.ts';
import { Unavailable } from '../../../../src/common/unavailable.ts';
import { type BenchOptions, FACTS, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { refusal } from '../../../support/outbound.ts';
import { until } from '../../../support/service.ts';

const QUICK = { retryMs: 5, holdMs: 100, idleMs: 50 };
const EIO = Object.assign(new Error('EIO'), { code: 'EIO' });

describe('saves', () => {
  let bench: SavesBench;
  let session: SessionRecord;

  async function begin(options: BenchOptions = {}): Promise<void> {
    bench = await savesBench({ timings: QUICK, ...options });
    session = await bench.open({ callbackUrl: 'https://portal.example.vn/cb' });
  }
  afterEach(() => bench.stop());

  const save = (content: Readable, facts: Partial<SaveFacts> = {}) =>
    bench.save(session, content, { ...FACTS, ...facts });
  /** One of which is not known yet whose it is. */
  const put = (admit: () => Promise<SessionRecord>) =>
    bench.saves.save('doc_a', { admit, open: () => bytes('new') }, FACTS);
  const bytes = (...chunks: (string | Buffer)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  /** A save whose connection ends in the middle. */
  async function breaksOff(): Promise<void> {
    const broken = new Readable({ read: () => undefined });
    const saving = save(broken);
    broken.push('half');
    setImmediate(() => broken.destroy(new Error('aborted')));
    await refusal(saving, 'bad_request');
  }
  const isUnresolved = () => bench.saves.hasUnresolvedSave('doc_a');
  const version = async () => (await bench.rows.transact((tx) => tx.document('doc_a')))?.version;

  it('whose session cannot be looked up wait for that, and count as failed when the time is over', async () => {
    await begin();
    let tries = 0;
    const away = () => Promise.reject(new Unavailable(EIO));
    const waiting = put(async () => (++tries < 3 ? away() : session));
    expect(await bench.isSaving('doc_a')).to.equal(true);
    expect(await waiting).to.include({ version: 1 });
    expect(await isUnresolved()).to.equal(false);
    await refusal(put(away), 'internal');
    expect(await isUnresolved()).to.equal(true);
    await save(bytes('again'));
    expect(await isUnresolved()).to.equal(false);
  });

  it('of a session that is refused end at once', async () => {
    await begin();
    let tries = 0;
    const refused = async () => {
      tries += 1;
      throw new AppError('invalid_session_token');
    };
    await refusal(put(refused), 'invalid_session_token');
    expect([tries, await isUnresolved(), await bench.isSaving('doc_a')]).to.deep.equal([1, false, false]);
  });

  it('have one time for all that fails, from the look-up of their session on', async () => {
    const tries = { admit: 0, put: 0 };
    const fail = async (step: keyof typeof tries) => {
      tries[step] += 1;
      await sleep(600);
      throw new Unavailable(EIO);
    };
    const timings = { ...QUICK, holdMs: 1_000 };
    await begin({ timings, wrap: ({ blobs }) => ({ blobs: { ...blobs, put: () => fail('put') } }) });
    await refusal(
      put(async () => (tries.admit > 0 ? session : fail('admit'))),
      'internal',
    );
    expect(tries).to.deep.equal({ admit: 1, put: 1 });
  });

  it('are not late after trouble that passed, however long their content takes to arrive', async () => {
    let isBroken = false;
    await begin({
      timings: { ...QUICK, idleMs: 5_000 },
      wrap: ({ rows, blobs }) => ({
        rows: { ...rows, transact: (work) => (isBroken ? Promise.reject(EIO) : rows.transact(work)) },
        // As a store elsewhere: it begins nothing that is late already.
        blobs: { ...blobs, put: (file, blob, late) => (late?.aborted ? Promise.reject(EIO) : blobs.put(file, blob)) },
      }),
    });
    const content = new Readable({ read: () => undefined });
    isBroken = true;
    const saving = save(content);
    content.push('half, ');
    await sleep(20);
    isBroken = false;
    await sleep(2 * QUICK.holdMs);
    content.push('and half');
    content.push(null);
    expect(await saving).to.include({ version: 1 });
  });

  it('tell of who saves before the editor lists them, and of nobody with the save after all have left', async () => {
    const callbacks: DocumentCallback[] = [];
    await begin({ poster: { post: async ({ body }) => callbacks.push(JSON.parse(body)) && 200 } });
    const user = { id: 'u2', name: 'Bình' };
    session = { ...session, user };
    await save(bytes('new'));
    // The editor still lists them while it uploads the last save.
    await save(bytes('last'), { final: true });
    await until('both callbacks', () => callbacks.length === 2);
    expect(callbacks.map(({ users }) => users)).to.deep.equal([[{ id: 'u1', name: 'Lan' }, user], []]);
  });

  it('of bytes that are stored already make no version, unless somebody asked for it', async () => {
    const callbacks: DocumentCallback[] = [];
    await begin({ poster: { post: async ({ body }) => callbacks.push(JSON.parse(body)) && 200 } });
    const original = await save(bytes('the original'), { final: true });
    expect(original, 'what nobody touched').to.include({ version: 0 });
    const uploads: [content: string, facts: Partial<SaveFacts>, version: number][] = [
      ['a', { nonce: 'first' }, 1],
      // The answer was lost: the editor uploads it once more.
      ['a', { nonce: 'first' }, 1],
      ['a', { nonce: 'second' }, 2],
      ['a', {}, 3],
      ['a', { final: true, nonce: 'second' }, 3],
      ['b', { final: true }, 4],
      ['b', { nonce: 'second' }, 4],
      ['b', {}, 4],
      ['b', { nonce: 'third' }, 5],
    ];
    for (const [index, [content, facts, number]] of uploads.entries()) {
      const stored = await save(bytes(content), facts);
      expect(stored, `upload ${index}`).to.include({ version: number });
      expect(await version(), `upload ${index}`).to.equal(number);
    }
    await until('the callbacks', () => callbacks.length >= 5);
    expect(callbacks.map((body) => body.version)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(await bench.rows.transact((tx) => tx.pendingDeliveries())).to.equal(0);
  });

  it('of an edit that is restored twice at the same time are one version and one callback', async () => {
    await begin();
    const content = Buffer.from('never stored');
    const file = { docId: 'doc_a', pid: 7, sha256: hash('sha256', content), madeAt: 0, ageMs: 0 };
    await bench.unsaved.keep(file, bytes(content));
    const [edit] = await bench.unsaved.list();
    await Promise.all([1, 2].map(() => bench.unsaved.restore(edit?.id ?? '')));
    expect(await version()).to.equal(1);
    expect(await bench.rows.read((tx) => tx.deliveries())).to.have.length(1);
  });

  it('outlast trouble with the disk, wherever in the content it comes, and with the rows, and make one version', async () => {
    const content = randomBytes(900_000);
    const pieces = Array.from({ length: 10 }, (_, index) => content.subarray(index * 90_000, (index + 1) * 90_000));
    // Opening the file, its writes, its renaming, the commit.
    for (const [first, last] of [[1, 3] as const, [2, 4] as const, [5, 6] as const, [1, 12] as const]) {
      let steps = 0;
      const fails = (): boolean => ++steps >= first && steps <= last;
      const failing: Attempt = (work) => (fails() ? Promise.reject(EIO) : work());
      let isReady = false;
      await begin({
        timings: { ...QUICK, holdMs: 5_000 },
        wrap: ({ rows, blobs, incoming }) => ({
          rows: {
            ...rows,
            transact: ((work) =>
              isReady ? failing(() => rows.transact(work)) : rows.transact(work)) as Rows['transact'],
          },
          blobs: { ...blobs, put: (...args) => (isReady ? failing(() => blobs.put(...args)) : blobs.put(...args)) },
          incoming: {
            ...incoming,
            receive: (source, { attempt = failing, ...options }) =>
              incoming.receive(source, { ...options, attempt: (work) => attempt(() => failing(work)) }),
          },
        }),
      });
      isReady = true;
      const saved = await save(Readable.from(pieces));
      isReady = false;
      if (saved === 'conflict') throw new Error('no conflict');
      expect(content.equals(await buffer(bench.blobs.read(saved))), `${first} to ${last}`).to.equal(true);
      expect(await version()).to.equal(1);
      if (last < 12) await bench.stop();
    }
  });

  /** Begins with rows that commit a save and lose so many answers to that. */
  async function beginWithoutAnswers(holdMs: number) {
    const answers = { toLose: 0, lost: 0 };
    const posted: string[] = [];
    await begin({
      timings: { ...QUICK, holdMs },
      poster: { post: async ({ delivery }) => posted.push(delivery) && 200 },
      wrap: ({ rows, blobs }) => ({
        rows: {
          ...rows,
          transact: async (work) => {
            const result = await rows.transact(work);
            if (answers.lost-- > 0) throw new Error('the connection ended before the answer to COMMIT');
            return result;
          },
        },
        blobs: {
          ...blobs,
          put: async (...args) => {
            await blobs.put(...args);
            answers.lost = answers.toLose;
          },
        },
      }),
    });
    return { answers, posted };
  }

  for (const timestamp of ['of the original', undefined]) {
    it(`make one version when the answer to their commit is lost, ${timestamp ? 'with' : 'without'} a timestamp`, async () => {
      const { answers, posted } = await beginWithoutAnswers(5_000);
      const original = await bench.rows.read((tx) => tx.version('doc_a', 0));
      const facts = { timestamp: timestamp && original && toTimestamp(original) };
      answers.toLose = 2;
      expect(await save(bytes('new'), facts)).to.include({ version: 1 });
      expect(await version()).to.equal(1);
      await until('its callback is sent', () => posted.length > 0);
      answers.toLose = 0;
      expect(await save(bytes('newer'))).to.include({ version: 2 });
      await until('the next one, too', () => posted.length > 1);
      expect(new Set(posted).size).to.equal(2);
    });
  }

  for (const nonce of [null, 'asked']) {
    it(`are no conflict when they come again ${nonce ? 'as asked for ' : ''}and their first try, at a gate that stood still, was stored after all`, async () => {
      await begin();
      const original = await bench.rows.read((tx) => tx.version('doc_a', 0));
      const facts = { nonce, timestamp: original && toTimestamp(original) };
      expect(await save(bytes('new'), facts)).to.include({ version: 1, nonce });
      expect(await save(bytes('new'), facts)).to.include({ version: 1, nonce });
      expect(await version()).to.equal(1);
      expect(await save(bytes('of somebody else'), facts)).to.equal('conflict');
    });
  }

  it('whose answers are lost for too long end in 503, and the callback of what was stored goes out', async () => {
    const { answers, posted } = await beginWithoutAnswers(100);
    answers.toLose = Number.POSITIVE_INFINITY;
    await refusal(save(bytes('new')), 'internal');
    answers.lost = 0;
    await until('its callback is sent', () => posted.length > 0);
    expect(await version()).to.equal(1);
  });

  it('end in 503 when the trouble lasts, and are unresolved for a minute or until one is stored, whatever the clock does', async () => {
    let isBroken = true;
    const wrap: BenchOptions['wrap'] = ({ blobs }) => ({
      blobs: { ...blobs, put: (...args) => (isBroken ? Promise.reject(EIO) : blobs.put(...args)) },
    });
    await begin({ wrap });
    const fail = async () => expect(await refusal(save(bytes('one')), 'internal')).to.deep.equal({});
    const started = performance.now();
    await fail();
    expect(performance.now() - started).to.be.greaterThan(QUICK.holdMs - 10);
    expect(await readdir(join(bench.folder, 'incoming'))).to.deep.equal([]);
    expect([await isUnresolved(), await bench.isSaving('doc_a')]).to.deep.equal([true, true]);
    bench.pass(60_000);
    expect(await isUnresolved()).to.equal(false);
    await fail();
    bench.pass(-3_600_000);
    await bench.sample();
    expect(await isUnresolved()).to.equal(true);
    bench.pass(60_000);
    expect(await isUnresolved(), 'the time begins anew').to.equal(false);
    await fail();
    bench.pass(-3_600_000);
    expect(await isUnresolved()).to.equal(true);
    isBroken = false;
    await save(bytes('one'));
    expect([await isUnresolved(), await bench.isSaving('doc_a')]).to.deep.equal([false, false]);
    isBroken = true;
    await fail();
    bench.pass(60_000);
    expect(await isUnresolved()).to.equal(false);
  });

  it('that nobody waits for any more come over none that was stored since, and change nothing after that', async () => {
    const puts: PromiseWithResolvers<void>[] = [];
    await begin({
      wrap: ({ blobs }) => ({
        blobs: {
          ...blobs,
          put: async (...args) => {
            const turn = Promise.withResolvers<void>();
            puts.push(turn);
            await turn.promise;
            await blobs.put(...args);
          },
        },
      }),
    });
    const gone = new AbortController();
    const abandoned = bench.save(session, bytes('older'), FACTS, gone.signal);
    await until('it is being stored', () => puts.length === 1);
    gone.abort();
    const newer = save(bytes('newer'));
    await until('so is the one that the editor sends instead', () => puts.length === 2);
    puts[1]?.resolve();
    expect(await newer).to.include({ version: 1 });
    puts[0]?.resolve();
    expect(await abandoned).to.equal('conflict');
    expect([await version(), await isUnresolved(), await bench.isSaving('doc_a')]).to.deep.equal([1, false, false]);
  });

  it('that failed are unresolved at every moment, also while that is being written down', async () => {
    let [isBroken, isHeld] = [false, false];
    const [reads, writes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await begin({
      wrap: ({ rows, blobs }) => ({
        rows: {
          ...rows,
          read: async (work) => {
            const result = await rows.read(work);
            if (isHeld) await reads.promise;
            return result;
          },
          transact: async (work) => {
            if (isBroken) await writes.promise;
            return rows.transact(work);
          },
        },
        blobs: { ...blobs, put: (...args) => (isBroken ? Promise.reject(EIO) : blobs.put(...args)) },
      }),
    });
    const content = new Readable({ read: () => undefined });
    const saving = save(content);
    content.push('new');
    await until('it is under way', () => bench.isSaving('doc_a'));
    await sleep(50);
    isBroken = true;
    content.push(null);
    await refusal(saving, 'internal');
    isHeld = true;
    const asked = isUnresolved();
    writes.resolve();
    await until('it is written down', () =>
      bench.rows.transact(async (tx) => (await tx.uploads({}))[0]?.state === 'failed'),
    );
    reads.resolve();
    expect(await asked).to.equal(true);
  });

  it('that broke off are owed no more once the editor has had the document closed for some seconds', async () => {
    await begin();
    await breaksOff();
    await bench.sample({ docId: 'doc_a' });
    expect(bench.saves.unresolved.isSampleNeeded).to.equal(true);
    for (const [seconds, troubled] of [
      [1, true],
      [2, true],
      [1, false],
    ] as const) {
      bench.pass(seconds * 1_000);
      await bench.sample({ docId: 'doc_b' });
      expect(await isUnresolved(), `${seconds} s later`).to.equal(troubled);
    }
    expect(bench.saves.unresolved.isSampleNeeded).to.equal(false);
  });

  it('that broke off stay owed while somebody has the document open again and again', async () => {
    await begin();
    await breaksOff();
    for (let times = 0; times < 10; times++) {
      bench.pass(2_000);
      await bench.sample(...(times % 2 === 0 ? [{ docId: 'doc_a' }] : []));
      expect(await isUnresolved()).to.equal(true);
    }
  });
});
