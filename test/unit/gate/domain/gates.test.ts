import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { SessionRecord } from '../../../../cmd/gate/domain/model.ts';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { getLoadedAt, noteLoad } from '../../../../cmd/gate/domain/wopi-access.ts';
import { createPostgresRows } from '../../../../cmd/gate/store/postgres-rows.ts';
import { Unavailable } from '../../../../src/common/unavailable.ts';
import { failure } from '../../../support/failure.ts';
import { uploadRecord } from '../../../support/gate-records.ts';
import { type BenchOptions, FACTS, type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { postgresOrSkip } from '../../../support/postgres.ts';
import { until } from '../../../support/until.ts';
import { useStarted } from '../../../support/use-started.ts';

const DOC = 'doc_a';

describe('two gates on one database', function () {
  this.timeout(60_000);
  const postgres = useStarted(postgresOrSkip, ({ stop }) => stop());
  let gates: SavesBench[] = [];
  let one: SavesBench;
  let two: SavesBench;
  let session: SessionRecord;
  /** Changes of one of them wait for it. */
  let held: Promise<void> | undefined;
  /** The answer to a read of one of them waits for it. */
  let onRead = async (): Promise<void> => {};

  beforeEach(async () => {
    const url = await postgres.create();
    await start(url);
    session = await one.open({ docId: DOC });
  });
  afterEach(async () => {
    for (const gate of gates) await gate.stop();
    gates = [];
  });

  async function start(url: string, options: BenchOptions = {}): Promise<void> {
    const rows = [await createPostgresRows(url), await createPostgresRows(url)] as const;
    const transact: Rows['transact'] = async (work) => {
      await held;
      return rows[0].transact(work);
    };
    const read: Rows['read'] = async (work) => {
      const result = await rows[0].read(work);
      await onRead();
      return result;
    };
    one = await savesBench({ clock: Date.now, ...options, wrap: () => ({ rows: { ...rows[0], transact, read } }) });
    two = await savesBench({ clock: Date.now, ...options, wrap: () => ({ rows: rows[1], blobs: one.blobs }) });
    gates = [one, two];
  }

  const save = (gate: SavesBench, content: Readable | string, gone?: AbortSignal) =>
    gate.save(session, typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content, FACTS, gone);
  const unresolved = () => Promise.all(gates.map((gate) => gate.saves.hasUnresolvedSave(DOC)));
  const saving = () => Promise.all(gates.map((gate) => gate.isSaving(DOC)));
  /** Expects that both gates know of an unresolved save, or of none. */
  const expectBoth = async (is: boolean) => {
    expect(await unresolved()).to.deep.equal([is, is]);
    expect(await saving()).to.deep.equal([is, is]);
  };
  /** Content that goes on for as long as nobody ends it. */
  const slow = () => new Readable({ read: () => undefined });

  it('both know of a save that broke off at one, until the other has stored it', async () => {
    const content = slow();
    const broken = failure(save(one, content));
    content.push('half');
    await until('both know that it is under way', async () => (await saving()).every(Boolean) || undefined);
    content.destroy(new Error('aborted'));
    expect(await broken).to.include({ code: 'bad_request' });
    await expectBoth(true);
    await save(two, 'whole');
    await expectBoth(false);
  });

  it('both know of a save that nobody waits for any more, until it is stored', async () => {
    const [content, gone] = [slow(), new AbortController()];
    const storing = save(one, content, gone.signal);
    await until('the other knows of it', async () => (await two.isSaving(DOC)) || undefined);
    gone.abort();
    expect(await unresolved()).to.deep.equal([true, true]);
    content.push('late');
    content.push(null);
    expect(await storing).to.include({ version: 1 });
    expect(await unresolved()).to.deep.equal([false, false]);
  });

  it('both forget a save that failed once a later one is stored, however late that is written down', async () => {
    const [content, late] = [slow(), Promise.withResolvers<void>()];
    const broken = failure(save(one, content));
    content.push('half');
    await until('both know that it is under way', async () => (await saving()).every(Boolean) || undefined);
    held = late.promise;
    content.destroy(new Error('aborted'));
    await broken;
    held = undefined;
    expect(await unresolved()).to.deep.equal([true, true]);
    await save(one, 'whole');
    for (const when of ['before', 'after']) {
      expect(await unresolved(), `${when} it is written down`).to.deep.equal([false, false]);
      late.resolve();
      await one.rows.transact(() => undefined);
    }
  });

  it('let no save that one has given up come over a later one of the other', async () => {
    const [content, gone] = [slow(), new AbortController()];
    const abandoned = save(one, content, gone.signal);
    await until('the other knows of it', async () => (await two.isSaving(DOC)) || undefined);
    gone.abort();
    expect(await save(two, 'newer')).to.include({ version: 1 });
    content.push('older');
    content.push(null);
    expect(await abandoned).to.equal('conflict');
    expect(await unresolved()).to.deep.equal([false, false]);
  });

  it('do not hold up a reader for a long save at a gate that lives', async () => {
    const content = slow();
    const storing = save(one, content);
    await until('the other knows of it', async () => (await two.isSaving(DOC)) || undefined);
    expect(await unresolved()).to.deep.equal([false, false]);
    content.push('slow');
    content.push(null);
    await storing;
  });

  it('take the save of a gate that died for one that failed, for a minute or until the editor has repeated it', async () => {
    const left = (ageMs: number) =>
      two.rows.transact((tx) => tx.putUpload(uploadRecord({ gate: 'killed', seenAt: Date.now() - ageMs })));
    await left(61_000);
    await expectBoth(false);
    await left(5_000);
    await expectBoth(true);
    await save(two, 'again');
    expect(await unresolved()).to.deep.equal([false, false]);
  });

  it('both know when the editor loaded a document, and what a file in its quarantine is to one of them', async () => {
    const bytes = Buffer.from('of a save that came late');
    const file = { docId: DOC, pid: 7, sha256: hash('sha256', bytes), madeAt: Date.now() - 10_000, ageMs: 10_000 };
    const older = { ...file, sha256: '0'.repeat(64), madeAt: file.madeAt - 1_000, ageMs: 11_000 };
    await one.rows.transact((tx) => noteLoad(tx, DOC, one.now()));
    const loadedAt = await two.rows.read((tx) => getLoadedAt(tx, DOC));
    expect(Date.now() - (loadedAt ?? 0)).to.be.within(0, 5_000);
    await save(one, bytes.toString());
    expect(await two.unsaved.ask(file)).to.equal('remove');
    expect(await one.unsaved.ask(older), 'the document was loaded in between').to.equal('send');
    await two.rows.transact((tx) => tx.forget({ kind: 'loaded', docId: DOC, key: '' }));
    expect(await one.unsaved.ask(older), 'the later save contains it').to.equal('remove');
    for (let n = 0; n < 6; n += 1) await save(two, `version ${n}`);
    expect(await one.unsaved.ask(file), 'its version has gone').to.equal('remove');
  });

  it('both know since when a file in the quarantine is awaited', async () => {
    for (const gate of gates) await gate.stop();
    let now = Date.now();
    await start(await postgres.create(), { clock: () => now, quarantine: { grace: 60_000 } });
    await one.open({ docId: DOC });
    const file = { docId: DOC, pid: 7, sha256: '0'.repeat(64), madeAt: now, ageMs: 0 };
    expect(await one.unsaved.ask(file)).to.equal('wait');
    now += 60_000;
    expect(await two.unsaved.ask(file)).to.equal('send');
  });

  it('both have the edits that one took in: listed, restored and discarded by the other', async () => {
    const take = async (content: string, ageMs: number) =>
      one.unsaved.keep(
        { docId: DOC, pid: 7, sha256: hash('sha256', content), madeAt: 0, ageMs },
        Readable.from([Buffer.from(content)]),
      );
    await take('first', 9_000);
    await take('second', 5_000);
    await take('second', 4_000);
    const [first, second, ...others] = await two.unsaved.list();
    expect([first?.size, second?.size, others]).to.deep.equal([5, 6, []]);
    const version = await two.unsaved.restore(first?.id ?? '');
    expect(await text(one.blobs.read(version))).to.equal('first');
    await two.unsaved.discard(second?.id ?? '');
    expect(await one.unsaved.list()).to.deep.equal([]);
    expect(await failure(one.unsaved.discard(second?.id ?? ''))).to.include({ code: 'not_found' });
    expect(await unresolved()).to.deep.equal([false, false]);
  });

  it('forget at one what broke off at the other, once the editor has had the document closed for some seconds', async () => {
    const content = slow();
    const broken = failure(save(one, content));
    content.push('half');
    content.destroy(new Error('aborted'));
    await broken;
    const at = Date.now();
    for (const seconds of [0, 2]) await two.saves.unresolved.observe({ at: at + seconds * 1_000, views: [] });
    expect([await unresolved(), two.saves.unresolved.isSampleNeeded]).to.deep.equal([[true, true], true]);
    await two.saves.unresolved.observe({ at: at + 3_000, views: [] });
    expect([await unresolved(), two.saves.unresolved.isSampleNeeded]).to.deep.equal([[false, false], false]);
  });

  it('do not wait for ever for a gate that stands still with a document in its hands', async () => {
    const [isHeld, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const standing = failure(
      one.rows.transact(async (tx) => {
        await tx.document(DOC);
        isHeld.resolve();
        await goesOn.promise;
        await tx.document(DOC);
      }),
    );
    await isHeld.promise;
    const began = performance.now();
    expect(await save(two, 'meanwhile')).to.include({ version: 1 });
    expect(performance.now() - began, 'the editor waits 30 s').to.be.below(20_000);
    goesOn.resolve();
    expect(await standing).to.be.instanceOf(Unavailable);
  });

  it('look at the editor soon also when a save breaks off while the rows are read', async () => {
    const content = slow();
    const broken = failure(save(one, content));
    content.push('half');
    await until('it is under way', async () => (await two.isSaving(DOC)) || undefined);
    const [isRead, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onRead = () => {
      isRead.resolve();
      return isAnswered.promise;
    };
    const observed = one.saves.unresolved.observe({ at: Date.now(), views: [] });
    await isRead.promise;
    onRead = async () => {};
    content.destroy(new Error('aborted'));
    await broken;
    isAnswered.resolve();
    await observed;
    expect(one.saves.unresolved.isSampleNeeded).to.equal(true);
  });

  it('take in what the editor lists while somebody changes a document that stays open', async () => {
    const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = two.rows.transact(async (tx) => {
      await tx.document(DOC);
      held.resolve();
      await done.promise;
    });
    await held.promise;
    await one.sample({ docId: DOC });
    done.resolve();
    await changing;
  });
});
