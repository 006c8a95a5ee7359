import { expect } from 'chai';
import { Loading } from '../../cmd/gate/browser/loading.ts';
import { Saving } from '../../cmd/gate/browser/saving.ts';
import type { SessionState } from '../../cmd/gate/browser/server.ts';
import { textsFor } from '../../cmd/gate/browser/texts.ts';

/** Times of the contract, which the tests in a browser shorten. */
describe('SVC.Editor: its time is up', () => {
  const { setTimeout: real } = globalThis;
  const timers: { work: () => void; ms: number }[] = [];
  beforeEach(() => {
    timers.length = 0;
    globalThis.setTimeout = ((work: () => void, ms = 0) => timers.push({ work, ms })) as never;
  });
  afterEach(() => {
    globalThis.setTimeout = real;
  });
  /** Lets pass what has to pass until one is due after exactly so long. */
  const pass = (ms: number): void => {
    expect(timers.map((timer) => timer.ms)).to.include(ms);
    for (const timer of timers.filter((each) => each.ms === ms)) timer.work();
  };

  const savingAt = (state: (nonce: string | undefined) => Promise<SessionState>) => {
    const saving: Saving = new Saving({
      texts: textsFor('vi'),
      post: () => undefined,
      wake: () => undefined,
      hurry: () => undefined,
      askState: () => state(saving.nonce()),
      getVersion: () => 0,
      isOpen: () => true,
      isDoubtful: () => false,
    });
    return saving;
  };

  it('for a save after 30 s: save_timeout', async () => {
    const ended = savingAt(() => Promise.reject(new Error('it is down'))).save();
    pass(30_000);
    expect(await ended.catch((error: unknown) => error)).to.include({ code: 'save_timeout' });
  });

  it('for a save of a server that does not answer, either', async () => {
    const ended = savingAt(() => new Promise(() => undefined)).save();
    pass(30_000);
    pass(2_000);
    expect(await ended.catch((error: unknown) => error)).to.include({ code: 'save_timeout' });
  });

  it('but not for one that was stored while the page slept', async () => {
    const stored = { version: 3, saved_at: null, size: 1, sha256: '', download_url: '', users: [], loaded_at: null };
    const ended = savingAt(async (nonce = '') => ({ ...stored, save: { nonce, version: 3 } })).save();
    pass(30_000);
    expect(await ended).to.include({ version: 3, unmodified: false });
  });

  it('for a document after 120 s: load_failed', async () => {
    const failed: SVC.EditorError[] = [];
    const loading = new Loading({
      origin: 'https://office.example.com',
      texts: textsFor('vi'),
      onFail: (error) => void failed.push(error),
    });
    loading.begin();
    const ended = loading.wait().catch((error: unknown) => error);
    pass(120_000);
    expect(await ended).to.deep.include({ code: 'load_failed', detail: { reason: 'timeout' } });
    expect(failed).to.have.lengthOf(1);
  });
});
