import { expect } from 'chai';
import { Loading } from '../../cmd/gate/browser/opening.ts';
import { Saving } from '../../cmd/gate/browser/saving.ts';
import type { Session, SessionState } from '../../cmd/gate/browser/server.ts';
import { EditorState } from '../../cmd/gate/browser/state.ts';
import { textsFor } from '../../cmd/gate/browser/texts.ts';
import { UnsavedChanges } from '../../cmd/gate/browser/unsaved-changes.ts';

/** Longer than it takes until a save without an answer is asked for again, on average. */
const RETRY_MS = 1_000;

/**
 * Histories of a save, by the rule that each shows. The page holds version 3. `types` makes the document modified, `writes`
 * is the editor's word that nothing is left to save, `reads` makes the session one that may only read. `unmodified`, `saves`, `busy` and `downloads` are answers of the editor, `own 4` and
 * `other 4` versions of which the page hears, `slept 4` is one of its own of which it has not heard. `retry` lets the time to
 * the next request pass, `wait` so many milliseconds, `expire` exactly those, `later` only moves the clock. `back` is the
 * document after a lost connection before which something was modified, `reopened` that after one before which there was
 * what the history says. `asked` counts the requests, `forced` says which of them were to save in any case, `warns` whether
 * somebody who leaves is asked.
 */
const HISTORIES: Record<string, string> = {
  'is asked for again and again while the editor drops it without an answer, and the server soon after it': `
    save; retry; retry; retry; retry; asked 5; hurried 5; saves; retry; retry; retry; retry; asked 5; own 4; is 4`,
  'is asked for again once a version of another comes, also when the editor had said that it saves': `
    save; saves; other 4; retry; forced no no; unmodified; is 4`,
  'does not fail while the upload for another is under way, and is asked for again after it': `
    save; busy; retry; asked 1; other 4; retry; unmodified; is 4`,
  'without anything to save resolves with the version that was known, as unmodified': `
    save; unmodified; is 3 unmodified`,
  'is not what the editor says of a request before it': `
    save; retry; unmodified; is 3 unmodified; save; unmodified; saves; own 4; is 4`,
  'is asked for again when the editor dropped a request before it': `
    save; retry; unmodified; is 3 unmodified; save; unmodified; retry; unmodified; is 3 unmodified`,
  'ends also where answers to requests before it never come, since the page passes on one for several': `
    save; retry; retry; retry; retry; unmodified; is 3 unmodified; save; unmodified; retry; unmodified; retry; unmodified;
    settle; forced no no no no no no no no; is 3 unmodified`,
  'is asked for again when it was not the one that the editor has saved': `
    types; save; own 4; is 4; writes; save; saves; wait 2000; unmodified; settle; forced no no no; is 4 unmodified`,
  'is not what the editor says of a download': 'save; downloads; retry; asked 2; unmodified; is 3 unmodified',
  'has only the answers of the page that came after a lost connection': `
    save; retry; back then; unmodified; settle; other 4; retry; unmodified; is 4`,
  'waits for a version that is on its way, and makes none of its own': `
    types; writes; save; unmodified; retry; asked 1; other 4; retry; unmodified; is 4; forced no no`,
  'is forced when that version does not come': 'types; writes; save; unmodified; wait 2000; forced no yes',
  'is forced when the version that comes was on its way before': `
    types; writes; types; save; busy; writes; other 4; retry; unmodified; asked 2; wait 2000; forced no no yes;
    saves; own 5; is 5; warns no`,
  'is forced also when the page was not told of the write that was on its way, since somebody typed meanwhile': `
    types; types; save; busy; writes; other 4; retry; unmodified; wait 2000; forced no no yes; saves; own 5; is 5; warns no`,
  'is asked for again when it was forced and its version takes long, since the editor waits after an upload that failed': `
    types; writes; save; unmodified; wait 2000; saves; retry; asked 2; later 6000; retry; forced no yes no; own 4; is 4`,
  'is not forced for two writes that two versions have': `
    types; writes; types; writes; save; busy; other 4; retry; unmodified; other 5; retry; unmodified; is 5;
    forced no no no; warns no`,
  'is forced when the editor has nothing to save although its page calls the document modified': `
    types; save; unmodified; wait 2000; forced no yes; saves; own 4; is 4`,
  'is forced after 30 s without a version, and once only, however often everything was undone': `
    types; writes; types; writes; types; writes; expire 30000; save; forced yes; saves; own 4; is 4; warns no`,
  'after a lost connection waits for what the editor still has, and calls nothing lost': `
    back then; save; unmodified; settle; other 4; retry; unmodified; is 4`,
  'after a lost connection fails at once when the editor has fetched the document anew': `
    back then; loaded later; save; unmodified; fails save_failed changes_lost`,
  'after a lost connection fails also when somebody types on in the document that the editor has fetched anew': `
    types; reopened; loaded later; types; save; fails save_failed changes_lost; forced; save; forced no; saves; own 4; is 4`,
  'after a lost connection does not fail when its version was there before the page was told that it is written': `
    types; save; own 4; is 4; reopened; loaded later; save; unmodified; settle; is 4 unmodified`,
  'after a lost connection is asked for when a version has come since': `
    types; types; reopened; store 4; loaded later; types; save; forced no; saves; own 5; is 5`,
  'that waited for a lost connection fails also when somebody types on at once': `
    types; save; loaded later; reopened; types; fails save_failed changes_lost; forced no`,
  'after a lost connection fails at once when what the editor was sending off is not in the document': `
    types; writes; reopened; loaded later; save; unmodified; fails save_failed changes_lost`,
  'after a lost connection fails also when only the first of two that the editor was sending off is in the document': `
    types; writes; types; writes; reopened; store 4; loaded later; save; unmodified; fails save_failed changes_lost 4`,
  'after a lost connection is forced when what the editor still has does not come': `
    back then; save; unmodified; settle; expire 10000; settle; forced no yes; saves; own 4; is 4; save; unmodified; is 4 unmodified`,
  'after a lost connection of which nothing is known fails when no version comes': `
    back; save; unmodified; settle; expire 10000; fails save_failed changes_lost`,
  'after a lost connection to a gate that remembers only later what the editor has is forced when no version comes': `
    back then; loaded; save; unmodified; settle; loaded then; expire 10000; settle; forced no yes; saves; own 4; is 4`,
  'after a lost connection to a gate that was started anew fails when no version comes': `
    back then; loaded; save; unmodified; settle; expire 10000; fails save_failed changes_lost`,
  'of a reader resolves with the newest version, as unmodified': 'reads; store 4; save; is 4 unmodified; asked 0',
  'of a reader after a lost connection fails when what was not saved is not in the document': `
    types; reads; reopened; loaded later; save; fails save_failed changes_lost; save; is 3 unmodified; asked 0`,
  'of a reader after a lost connection waits for what the editor still has, which others will save': `
    types; reads; reopened; save; settle; expire 10000; is 3 unmodified; asked 0`,
  'of somebody who has become a reader with the connection fails when it is not in the document': `
    types; save; reads; loaded later; reopened; fails save_failed changes_lost; asked 1`,
  'fails after 30 s with save_timeout when the server cannot be asked': `
    down; save; expire 30000; fails save_timeout`,
  'fails with save_timeout 2 s later when the server does not answer': `
    mute; save; expire 30000; expire 2000; fails save_timeout`,
  'that fails after 30 s has the connection looked at when the editor has not said a word': `
    save; retry; unanswered 0; expire 30000; fails save_timeout; expire 0; unanswered 1`,
  'that fails after 30 s leaves the connection alone when the editor has said something': `
    save; saves; other 4; retry; unanswered 0; expire 30000; fails save_timeout; unanswered 0`,
  'asks whoever leaves as long as a write has no version': `
    types; writes; warns yes; types; writes; other 4; warns yes; other 5; warns no`,
  'asks nobody who leaves after it, also where something was undone before': `
    types; writes; types; save; saves; writes; own 4; is 4; warns no`,
  'asks whoever leaves also for what was written after it': `
    types; save; saves; writes; types; writes; own 4; is 4; warns yes; other 5; warns no`,
  'has its version before the page is told that it is written: no other version is waited for': `
    types; save; own 4; is 4; writes; saves; warns no; save; unmodified; settle; is 4 unmodified; forced no no`,
  'of another has its version before the page is told that it is written': `
    types; other 4; writes; warns no; save; unmodified; settle; is 4 unmodified; forced no`,
  'has its version before somebody who types on is told that it is written: what was typed has another version': `
    types; save; own 4; is 4; types; writes; warns yes; other 5; warns no`,
  'has its version, and what is written later has another one': `
    types; save; own 4; is 4; later 6000; writes; warns yes; other 5; warns no`,
  'does not fail when it was stored while the page slept': 'save; slept 4; expire 30000; is 4',
};

describe('SVC.Editor: a save, beside those of others', () => {
  const { setTimeout: plainSet, clearTimeout: plainClear } = globalThis;
  const plainNow = Date.now;
  /** Milliseconds that the clock is ahead. */
  let ahead: number;
  let timers: Map<number, { work: () => void; ms: number }>;
  let posts: Record<string, unknown>[];
  let server: SessionState;
  let state: EditorState;
  let unsaved: UnsavedChanges;
  /** Listeners that ask before the page is left. */
  let asking: Set<unknown>;
  let ask: () => Promise<SessionState>;
  let counts: { hurried: number; unanswered: number };
  let saving: Saving;

  beforeEach(() => {
    ahead = 0;
    Date.now = () => plainNow() + ahead;
    timers = new Map();
    let next = 0;
    globalThis.setTimeout = ((work: () => void, ms = 0) => {
      timers.set(++next, { work, ms });
      return next;
    }) as never;
    globalThis.clearTimeout = ((id: number) => void timers.delete(id)) as never;
    posts = [];
    counts = { hurried: 0, unanswered: 0 };
    asking = new Set();
    Object.assign(globalThis, {
      window: {
        addEventListener: (_: string, listener: unknown) => asking.add(listener),
        removeEventListener: (_: string, listener: unknown) => asking.delete(listener),
      },
    });
    const session = { mode: 'edit' } as Session;
    state = Object.assign(new EditorState(), { version: 3, loadedAt: 'then', session, status: 'loaded' });
    unsaved = new UnsavedChanges(state, true, () => undefined);
    ask = async () => server;
    server = {
      ...{ session_id: '', key: '', doc_id: '', mode: 'edit', state: 'active', modified: false },
      ...{ version: 3, saved_at: null, size: 1, sha256: '', download_url: '' },
      ...{ users: [], save: null, loaded_at: 'then' },
    };
    saving = new Saving(
      { texts: textsFor('vi'), state },
      {
        unsaved,
        page: { send: (id, values) => void (id === 'Action_Save' && posts.push(values)) },
        poller: { hurry: () => void counts.hurried++ },
        recovery: { check: async () => void counts.unanswered++ },
        askState: () => ask(),
      },
    );
  });
  afterEach(() => {
    globalThis.setTimeout = plainSet;
    globalThis.clearTimeout = plainClear;
    Date.now = plainNow;
    Reflect.deleteProperty(globalThis, 'window');
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
  /** Gives the server a version, of whomever. */
  function store(version: number, nonce = 'of another'): void {
    Object.assign(server, { version, save: { nonce, version } });
  }
  /** The page hears of what the server has. */
  function hear(): void {
    unsaved.onState(server, server.version > (state.version ?? 0), saving.isOwn(server));
    state.version = server.version;
    saving.onState(server);
  }
  function setModified(modified: boolean): void {
    unsaved.setModified(modified);
    state.modified = modified;
  }
  function reopen(): void {
    const baseline = unsaved.getBaseline();
    setModified(false);
    unsaved.reset();
    saving.onBack(baseline);
  }
  /** The server's answer has been taken in. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  async function play(history: string): Promise<void> {
    let saved: Promise<unknown> | undefined;
    const acts: Record<string, (...words: string[]) => unknown> = {
      save: () => {
        saved = saving.save().catch((error: unknown) => error);
        return settle();
      },
      unmodified: () => answer({ success: false, result: 'unmodified' }),
      saves: () => answer({ success: true }),
      busy: () => answer({ success: false, result: 'Could not upload', errorMsg: 'Already in progress.' }),
      downloads: () => answer({ success: true, result: 'exportas', errorMsg: '' }),
      retry: () => pass(RETRY_MS),
      wait: (ms) => pass(Number(ms)),
      expire: (ms) => expire(Number(ms)),
      later: (ms) => {
        ahead += Number(ms);
      },
      other: (version) => [store(Number(version)), hear()],
      own: (version) => [store(Number(version), saving.nonce()), hear()],
      slept: (version) => store(Number(version), saving.nonce()),
      store: (version) => store(Number(version)),
      types: () => setModified(true),
      writes: () => setModified(false),
      reads: () => Object.assign(state, { session: { mode: 'view' } }),
      reopened: () => [reopen(), settle()][1],
      back: (loadedAt) => [saving.onBack({ known: 3, version: 3, loadedAt: loadedAt ?? null }), settle()][1],
      loaded: (at) => Object.assign(server, { loaded_at: at ?? null }),
      down: () => {
        ask = () => Promise.reject(new Error('it is down'));
      },
      mute: () => {
        ask = () => new Promise(() => undefined);
      },
      settle,
      asked: (count) => {
        expect(posts).to.have.lengthOf(Number(count));
        expect(new Set(posts.map(({ ExtendedData }) => ExtendedData))).to.have.lengthOf(Math.min(1, posts.length));
      },
      hurried: (count) => expect(counts.hurried).to.equal(Number(count)),
      forced: (...words) =>
        expect(posts.map(({ DontSaveIfUnmodified: asks }) => (asks ? 'no' : 'yes'))).to.deep.equal(words),
      warns: (word) => expect(asking.size > 0).to.equal(word === 'yes'),
      unanswered: (count) => expect(counts.unanswered).to.equal(Number(count)),
      is: async (version, word) =>
        expect(await saved).to.include({ version: Number(version), unmodified: word === 'unmodified' }),
      fails: async (code, reason, version = '3') =>
        expect(await saved).to.deep.include({ code, ...(reason && { detail: { reason, version: Number(version) } }) }),
    };
    for (const step of history.trim().split(/\s*[;\n]\s*/)) {
      const [what = '', ...words] = step.split(' ');
      await (acts[what] ?? expect.fail(`no such step: ${step}`))(...words);
    }
    saving.stop();
  }

  for (const [rule, history] of Object.entries(HISTORIES)) it(rule, () => play(history));

  it('proves to all who ask that the editor answers the page, or not in time, or not any more', async () => {
    const both = [saving.prove(5_000), saving.prove(5_000)];
    answer({ success: false, result: 'unmodified' });
    expect(await Promise.all(both)).to.deep.equal([true, true]);
    const late = saving.prove(5_000);
    expire(5_000);
    expect(await late).to.equal(false);
    const lost = [saving.prove(5_000), saving.prove(2_000)];
    saving.settleProofs(false);
    expect(await Promise.all(lost)).to.deep.equal([false, false]);
  });

  it('of a document that does not come within 120 s is load_failed', async () => {
    const failed: SVC.EditorError[] = [];
    const onFail = (error: SVC.EditorError) => void failed.push(error);
    new Loading({ origin: 'https://office.example.com', texts: textsFor('vi') }, onFail).start();
    expire(120_000);
    expect(failed).to.have.lengthOf(1);
    expect(failed[0]).to.deep.include({ code: 'load_failed', detail: { reason: 'timeout' } });
  });
});
