import { createQueue, defer, pause } from './async.ts';
import {
  checkConfig,
  createEmit,
  freeContainer,
  getLabels,
  getServerOrigin,
  takeContainer,
  toSessionRequest,
} from './config.ts';
import { asEditorError, closedError, notLoaded } from './errors.ts';
import { type EditorActions, OpenDocument } from './open-document.ts';
import { LOAD_MS } from './opening.ts';
import { Server, type Session } from './server.ts';
import { type Context, EditorState } from './state.ts';
import { textsFor } from './texts.ts';

/** The time that a new editor waits for the sessions of editors that are gone. */
const RELEASE_MS = 1_000;
/** The time that `close()` waits for the server to forget the session. */
const CLOSE_MS = 5_000;
/** Requests that remove the sessions of this page's former editors: a new one may need just their place. */
const releases = new Set<Promise<unknown>>();

/** What is behind an `SVC.Editor` (api.d.ts). */
export class EmbeddedEditor implements EditorActions {
  readonly #context: Context;
  readonly #document: OpenDocument;
  readonly #enqueue = createQueue();
  readonly #ended = defer<never>();
  readonly #started: Promise<void>;
  #queuedSave: Promise<SVC.SaveResult> | undefined;
  #closing: Promise<void> | undefined;
  readonly #over = new AbortController();
  /** Called when the page is shown again that was in the browser's back-forward cache. */
  #onShow: () => void = () => {};

  /** @param scriptUrl where this script came from */
  constructor(target: string | HTMLElement, config: SVC.Config, scriptUrl: string | undefined) {
    checkConfig(config);
    const origin = getServerOrigin(config.serverUrl, scriptUrl);
    const container = takeContainer(target);
    const { lang, title } = getLabels(config);
    const texts = textsFor(lang);
    this.#context = {
      ...{ config, container, origin, title, texts },
      server: new Server(origin, texts),
      state: new EditorState(),
      emit: createEmit(config.events),
      over: this.#over.signal,
    };
    this.#document = new OpenDocument(this.#context, this);
    const { signal } = this.#over;
    window.addEventListener('pagehide', (event) => this.#onHide(event), { signal });
    window.addEventListener('pageshow', () => this.#onShow(), { signal });
    this.#started = this.#start();
  }

  /** Saves. Calls that come while one waits in the queue share it: all that was typed before them is in it. */
  save(): Promise<SVC.SaveResult> {
    this.#queuedSave ??= this.#untilOver(() =>
      this.#enqueue(() => {
        this.#queuedSave = undefined;
        return this.#saveNow();
      }),
    );
    return this.#queuedSave;
  }

  setReadOnly(readOnly: boolean): Promise<SVC.Mode> {
    const mode = readOnly ? 'view' : 'edit';
    return this.#untilOver(() => this.#enqueue(() => this.#changeMode(mode)));
  }

  close(reason: 'method' | 'user'): Promise<void> {
    if (this.#context.state.status === 'closed') return Promise.resolve();
    this.#closing ??= this.#untilOver(() => this.#leave()).then(
      () => this.#context.emit('onClose', { reason }),
      (error) => {
        this.#closing = undefined;
        throw error;
      },
    );
    this.#closing.catch(() => {});
    return this.#closing;
  }

  destroy(): void {
    const { server, state } = this.#context;
    if (state.isOver()) return;
    void release(state.session ? server.remove(state.session) : this.#started);
    this.#end('destroyed');
  }

  getInfo(): SVC.Info {
    return this.#context.state.toInfo();
  }

  async #start(): Promise<void> {
    const { server, state, config } = this.#context;
    const document = this.#document;
    try {
      // Never at once: a framework may create an editor only to remove it again (React in StrictMode).
      await atMost(RELEASE_MS, Promise.all(releases));
      await document.page.frame.usable();
      if (state.isOver()) return;
      document.page.loading.start();
      const session = await server.create(toSessionRequest(config));
      if (state.isOver() || state.status === 'failed') return await server.remove(session);
      document.poller.start();
      document.enter(session);
      await document.open(session);
    } catch (error) {
      document.failToLoad(asEditorError(error));
    }
  }

  /** Does the work unless the editor is over, and waits for it until it is. */
  #untilOver<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#context.state.isOver()) return Promise.reject(closedError());
    const result = Promise.race([work(), this.#ended.promise]);
    // A caller that does not wait for it learns from onError.
    result.catch(() => {});
    return result;
  }

  async #saveNow(): Promise<SVC.SaveResult> {
    await this.#present();
    return this.#reportFailure(this.#document.saving.save());
  }

  /** Waits for the document. @throws {SVC.EditorError} also when there is none: it is too early, or too late */
  async #present(): Promise<Session> {
    const { state } = this.#context;
    await this.#reportFailure(this.#document.present());
    const { session, status } = state;
    if (status === 'loading' || status === 'failed') throw notLoaded();
    if (!session || state.isOver()) throw closedError();
    return session;
  }

  async #reportFailure<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (!this.#context.state.isOver()) this.#document.reportError(asEditorError(error));
      throw error;
    }
  }

  async #changeMode(wanted: SVC.Mode): Promise<SVC.Mode> {
    const document = this.#document;
    const session = await this.#present();
    this.#needOpen();
    const before = session.mode;
    if (before === wanted) return wanted;
    if (before === 'edit') await this.#saveNow();
    await this.#reportFailure(document.present());
    this.#needOpen();
    const granted = await this.#reportFailure(this.#context.server.setMode(session, wanted));
    this.#needOpen();
    document.enter(granted);
    // Its mode is fixed once a document is open: it has to be opened anew.
    if (granted.mode !== before) {
      document.comeBack();
      await document.recovery.wait(LOAD_MS);
      this.#needOpen();
    }
    return granted.mode;
  }

  async #leave(): Promise<void> {
    const { server, state } = this.#context;
    const document = this.#document;
    // A reader has nothing to save, so nothing that could keep the reader from leaving.
    if (state.isEditing()) await this.#reportFailure(document.present());
    const before = state.status;
    state.status = 'closing';
    document.page.giveUp();
    try {
      if (before === 'loaded') await this.#enqueue(async () => state.isEditing() && this.#saveNow());
    } catch (error) {
      if (this.getInfo().state === 'closing') state.status = before;
      throw error;
    }
    if (state.isOver()) throw closedError();
    if (document.page.isReady()) document.page.frame.post('Action_Close');
    if (state.session) await atMost(CLOSE_MS, release(server.remove(state.session)));
    if (state.isOver()) throw closedError();
    this.#end('closed');
  }

  #end(status: 'closed' | 'destroyed'): void {
    const document = this.#document;
    this.#context.state.status = status;
    // After callers whose work has just been done.
    setTimeout(() => this.#ended.reject(closedError()));
    document.stop();
    this.#over.abort();
    freeContainer(this.#context.container);
  }

  /**
   * It may have been asked to close meanwhile. A connection that is lost is no reason to give up.
   * @throws {SVC.EditorError} unless there is a document, or there will be again
   */
  #needOpen(): void {
    const { status } = this.#context.state;
    if (status !== 'loaded' && !(status === 'loading' && this.#document.recovery.isAway())) throw closedError();
  }

  /**
   * Gives the session's place back when the page is left. For good the session is removed, since the token goes with the page.
   * A page in the back-forward cache may come back for some minutes: until then the session is a view, and the editor saves
   * and closes the document, whose page has gone.
   */
  #onHide({ persisted }: PageTransitionEvent): void {
    const { server, state } = this.#context;
    const { session } = state;
    if (!session) return;
    if (!persisted) return void server.remove(session).catch(() => {});
    if (state.status === 'closing') this.destroy();
    if (state.isOver() || state.status === 'failed') return;
    const renews = session.mode === 'edit';
    const released = renews ? server.setMode(session, 'view').catch(() => {}) : undefined;
    const shown = new Promise<void>((resolve) => (this.#onShow = resolve));
    this.#document.page.frame.empty();
    this.#document.comeBack({ renews, ready: shown.then(() => released) });
  }
}

/** Keeps track of a request that removes a session, until it is done. */
function release(work: Promise<unknown>): Promise<unknown> {
  const done = work.catch(() => {}).finally(() => releases.delete(done));
  releases.add(done);
  return done;
}

/** Resolves when the work is done, or after so many milliseconds. */
function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, pause(ms)]);
}
