import { expect } from 'chai';
import { Loading } from '../../cmd/gate/browser/opening.ts';
import { Saving, type SavingOptions } from '../../cmd/gate/browser/saving.ts';
import type { SessionState } from '../../cmd/gate/browser/server.ts';
import { textsFor } from '../../cmd/gate/browser/texts.ts';

/** Longer than it takes until a save without an answer is asked for again, on average. */
const RETRY_MS = 1_000;

describe('SVC.Editor: a save, beside those of others', () => {
  const { setTimeout: plainSet, clearTimeout: plainClear } = globalThis;
  let timers: Map<number, { work: () => void; ms: number }>;
  let posts: Record<string, unknown>[];
  let server: SessionState;
  let ask: () => Promise<SessionState>;
  let known: number;
  let hurried: number;
  let doubtful: ReturnType<SavingOptions['isDoubtful']>;
  let unanswered: number;
  let saving: Saving;

  beforeEach(() => {
    timers = new Map();
    let next = 0;
    globalThis.setTimeout = ((work: () => void, ms = 0) => {
      timers.set(++next, { work, ms });
      return next;
    }) as never;
    globalThis.clearTimeout = ((id: number) => void timers.delete(id)) as never;
    posts = [];
    [known, doubtful, hurried, unanswered] = [3, false, 0, 0];
    server = {
      ...{ version: 3, saved_at: null, size: 1, sha256: '', download_url: '' },
      ...{ users: [], save: null, loaded_at: 'then' },
    };
    ask = async () => server;
    saving = new Saving({
      texts: textsFor('vi'),
      post: (_id, values) => void posts.push(values),
      wake: () => undefined,
      hurry: () => void hurried++,
      askState: () => ask(),
      getVersion: () => known,
      isOpen: () => true,
      isDoubtful: () => doubtful,
      onUnanswered: () => void unanswered++,
    });
  });
  afterEach(() => {
    globalThis.setTimeout = plainSet;
    globalThis.clearTimeout = plainClear;
  });

  /** Does once what is due within so long. */
  function pass(ms: number): void {
    for (const [id, timer] of [...timers]) {
      if (timer.ms > ms || !timers.delete(id)) continue;
      timer.work();
    }
  }
  /** Does what is due after exactly so long, which the contract or the library says. */
  function expire(ms: number): void {
    const due = [...timers.values()].filter((timer) => timer.ms === ms);
    expect(due, `${ms} ms`).not.to.deep.equal([]);
    for (const { work } of due) work();
  }
  const answer = (values: object) => saving.onAnswer({ MessageId: 'Action_Save_Resp', Values: { ...values } });
  /** Gives the server a version, of whomever, of which the page hears. */
  function stored(version: number, nonce = 'of another'): void {
    known = version;
    server = { ...server, version, save: { nonce, version } };
    saving.onState(server);
  }
  const forced = () => posts.map(({ DontSaveIfUnmodified }) => !DontSaveIfUnmodified);

  it('is asked for again and again while the editor drops it without an answer', async () => {
    const saved = saving.save();
    for (let times = 0; times < 4; times++) pass(RETRY_MS);
    expect([posts.length, hurried], 'asked, and the server soon after it').to.deep.equal([5, 5]);
    expect(new Set(posts.map(({ ExtendedData }) => ExtendedData))).to.have.lengthOf(1);
    answer({ success: true });
    for (let times = 0; times < 4; times++) pass(RETRY_MS);
    expect(posts).to.have.lengthOf(5);
    stored(4, saving.nonce());
    expect(await saved).to.include({ version: 4, unmodified: false });
  });

  it('is asked for again once a version of another comes, also when the editor had said that it saves', async () => {
    const saved = saving.save();
    answer({ success: true });
    stored(4);
    pass(RETRY_MS);
    expect(forced()).to.deep.equal([false, false]);
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.include({ version: 4, unmodified: false });
  });

  it('does not fail while the upload for another is under way, and is asked for again after it', async () => {
    const saved = saving.save();
    const busy = { success: false, result: 'Could not upload document to storage', errorMsg: 'Already in progress.' };
    answer(busy);
    pass(RETRY_MS);
    expect(posts).to.have.lengthOf(1);
    stored(4);
    pass(RETRY_MS);
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.include({ version: 4, unmodified: false });
  });

  it('without anything to save resolves with the version that was known, as unmodified', async () => {
    const saved = saving.save();
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.include({ version: 3, unmodified: true });
  });

  it('waits for a version that is on its way, and makes none of its own', async () => {
    doubtful = 'a moment';
    const saved = saving.save();
    answer({ success: false, result: 'unmodified' });
    pass(RETRY_MS);
    expect(posts).to.have.lengthOf(1);
    doubtful = false;
    stored(4);
    pass(RETRY_MS);
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.include({ version: 4, unmodified: false });
    expect(forced()).to.deep.equal([false, false]);
  });

  it('is forced when that version does not come', () => {
    doubtful = 'a moment';
    void saving.save();
    answer({ success: false, result: 'unmodified' });
    pass(2_000);
    expect(forced()).to.deep.equal([false, true]);
    saving.stop();
  });

  it('after a lost connection waits for what the editor still has, and calls nothing lost', async () => {
    saving.onBack({ version: 3, loadedAt: 'then' });
    const saved = saving.save();
    answer({ success: false, result: 'unmodified' });
    await settled();
    stored(4);
    pass(RETRY_MS);
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.include({ version: 4, unmodified: false });
  });

  it('after a lost connection fails at once when the editor has fetched the document anew', async () => {
    saving.onBack({ version: 3, loadedAt: 'then' });
    server = { ...server, loaded_at: 'later' };
    const saved = saving.save().catch((error: unknown) => error);
    answer({ success: false, result: 'unmodified' });
    expect(await saved).to.deep.include({ code: 'save_failed', detail: { reason: 'changes_lost', version: 3 } });
  });

  it('after a lost connection of which nothing is known fails when no version comes', async () => {
    saving.onBack({ version: 3, loadedAt: null });
    const saved = saving.save().catch((error: unknown) => error);
    answer({ success: false, result: 'unmodified' });
    await settled();
    pass(10_000);
    expect(await saved).to.include({ code: 'save_failed' });
  });

  it('proves that the editor answers the page, or not in time', async () => {
    const [late, soon] = [saving.prove(5_000), saving.prove(5_000)];
    answer({ success: false, result: 'unmodified' });
    expect(await soon).to.equal(true);
    expire(5_000);
    expect(await late).to.equal(false);
  });

  it('fails after 30 s with save_timeout when the server cannot be asked', async () => {
    ask = () => Promise.reject(new Error('it is down'));
    const ended = saving.save().catch((error: unknown) => error);
    expire(30_000);
    expect(await ended).to.include({ code: 'save_timeout' });
  });

  it('fails with save_timeout 2 s later when the server does not answer', async () => {
    ask = () => new Promise(() => undefined);
    const ended = saving.save().catch((error: unknown) => error);
    expire(30_000);
    expire(2_000);
    expect(await ended).to.include({ code: 'save_timeout' });
  });

  for (const [heard, title] of [
    [false, 'has the connection looked at when the editor has not said a word'],
    [true, 'leaves the connection alone when the editor has said something'],
  ] as const) {
    it(`that fails after 30 s ${title}`, async () => {
      const ended = saving.save().catch((error: unknown) => error);
      if (heard) answer({ success: true });
      // Asks again, and is not answered yet.
      if (heard) stored(4);
      pass(RETRY_MS);
      expect(unanswered).to.equal(0);
      expire(30_000);
      expect(await ended).to.include({ code: 'save_timeout' });
      expect(unanswered).to.equal(heard ? 0 : 1);
    });
  }

  it('does not fail when it was stored while the page slept', async () => {
    const ended = saving.save();
    server = { ...server, version: 4, save: { nonce: saving.nonce() ?? '', version: 4 } };
    expire(30_000);
    expect(await ended).to.include({ version: 4, unmodified: false });
  });

  it('of a document that does not come within 120 s is load_failed', async () => {
    const failed: SVC.EditorError[] = [];
    const onFail = (error: SVC.EditorError) => void failed.push(error);
    const loading = new Loading({ origin: 'https://office.example.com', texts: textsFor('vi') }, onFail);
    loading.begin();
    const ended = loading.wait().catch((error: unknown) => error);
    expire(120_000);
    expect(await ended).to.deep.include({ code: 'load_failed', detail: { reason: 'timeout' } });
    expect(failed).to.have.lengthOf(1);
  });

  /** The server's answer has been taken in. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
});
