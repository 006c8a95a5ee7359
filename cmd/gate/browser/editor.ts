import { checkConfig, getLabels, getServerOrigin, toSessionRequest } from './config.ts';
import { findContainer, freeContainer, occupyContainer } from './container.ts';
import { createQueue, Lifetime } from './defer.ts';
import { type DocumentState, toInfo } from './document-state.ts';
import { asEditorError, closedError, notLoaded } from './errors.ts';
import { createEmit, type Emit } from './events.ts';
import { OpenDocument } from './open-document.ts';
import { watchPageLifecycle } from './page-lifecycle.ts';
import { awaitRelease, awaitReleases, trackRelease } from './release.ts';
import { toSavedVersion } from './saving.ts';
import { createServer, type Server, type Session } from './server.ts';
import { textsFor } from './texts.ts';

/** Creates `SVC.Editor` (api.d.ts). @param scriptUrl where this script came from */
export function createEditor(
  target: string | HTMLElement,
  config: SVC.Config,
  scriptUrl: string | undefined,
): SVC.Editor {
  const editor = new Editor(target, config, scriptUrl);
  return {
    save: () => editor.save(),
    close: () => editor.close('method'),
    destroy: () => editor.destroy(),
    setReadOnly: (readOnly) => editor.setReadOnly(readOnly),
    getInfo: () => editor.getInfo(),
  };
}

class Editor {
  readonly #config: SVC.Config;
  readonly #container: HTMLElement;
  readonly #server: Server;
  readonly #emit: Emit;
  readonly #enqueue = createQueue();
  readonly #lifetime = new Lifetime(closedError);
  readonly #document: OpenDocument;
  readonly #stopLifecycle: () => void;
  readonly #started: Promise<void>;
  #queuedSave: Promise<SVC.SaveResult> | undefined;
  #closing: Promise<void> | undefined;
  readonly #state: DocumentState = {
    status: 'loading',
    session: undefined,
    server: undefined,
    version: undefined,
    modified: false,
  };

  constructor(target: string | HTMLElement, config: SVC.Config, scriptUrl: string | undefined) {
    checkConfig(config);
    this.#config = config;
    this.#container = findContainer(target);
    const origin = getServerOrigin(config.serverUrl, scriptUrl);
    occupyContainer(this.#container);
    const { lang, title } = getLabels(config);
    const texts = textsFor(lang);
    this.#emit = createEmit(config.events);
    this.#server = createServer(origin, texts);
    const container = this.#container;
    const state = this.#state;
    const server = this.#server;
    const emit = this.#emit;
    const lifetime = this.#lifetime;
    this.#document = new OpenDocument({
      ...{ container, origin, texts, title, config, state, server, emit },
      isOver: () => lifetime.isOver(),
      failToLoad: (error) => this.#failToLoad(error),
      reportError: (error) => this.#reportError(error),
      save: () => this.save(),
      isRemoved: () => this.#isRemoved(),
      onReady: () => emit('onReady', this.getInfo()),
      onDocumentLoaded: () => emit('onDocumentLoaded', this.getInfo()),
      onCloseButton: () => void this.close('user').catch(() => {}),
    });
    this.#stopLifecycle = watchPageLifecycle({
      server,
      getSession: () => state.session,
      onFrozen: () => this.#onFrozen(),
      onResumed: (granted) => void this.#onResumed(granted),
    });
    this.#document.page.loading.begin();
    this.#started = this.#start();
  }

  /** Saves. Calls that come while one waits in the queue share it: all that was typed before them is in it. */
  save(): Promise<SVC.SaveResult> {
    this.#queuedSave ??= this.#lifetime.run(() =>
      this.#enqueue(() => {
        this.#queuedSave = undefined;
        return this.#saveNow();
      }),
    );
    return this.#queuedSave;
  }

  setReadOnly(readOnly: boolean): Promise<SVC.Mode> {
    const mode = readOnly ? 'view' : 'edit';
    return this.#lifetime.run(() => this.#enqueue(() => this.#changeMode(mode)));
  }

  close(reason: 'method' | 'user'): Promise<void> {
    if (this.#state.status === 'closed') return Promise.resolve();
    this.#closing ??= this.#lifetime
      .run(() => this.#leave())
      .then(
        () => this.#emit('onClose', { reason }),
        (error) => {
          this.#closing = undefined;
          throw error;
        },
      );
    this.#closing.catch(() => {});
    return this.#closing;
  }

  destroy(): void {
    if (this.#lifetime.isOver()) return;
    const { session } = this.#state;
    trackRelease(session ? this.#server.remove(session) : this.#started);
    this.#end('destroyed');
  }

  getInfo(): SVC.Info {
    return toInfo(this.#state);
  }

  async #start(): Promise<void> {
    const state = this.#state;
    const lifetime = this.#lifetime;
    const document = this.#document;
    try {
      await awaitReleases();
      if (lifetime.isOver()) return;
      const session = await this.#server.create(toSessionRequest(this.#config));
      if (lifetime.isOver() || state.status === 'failed') return await this.#server.remove(session);
      document.startPolling();
      document.enter(session);
      document.open(session);
    } catch (error) {
      if (!lifetime.isOver() && state.status !== 'failed') this.#failToLoad(asEditorError(error));
    }
  }

  #failToLoad(error: SVC.EditorError): void {
    this.#state.status = 'failed';
    this.#document.page.giveUp(error);
    this.#reportError(error, true);
  }

  /** @param visible whether there is nothing else to look at */
  #reportError({ code, message, detail }: SVC.EditorError, visible = false): void {
    const document = this.#document;
    const config = this.#config;
    const isNote = detail['reason'] === 'changes_lost';
    if (!document.isAway()) document.page.frame.say(message, visible ? 'seen' : isNote ? 'note' : 'unseen');
    // biome-ignore lint/suspicious/noConsole: a page that does not listen is one in the making
    if (!config.events?.onError) console.error(`SVC.Editor: ${code}: ${message}`, detail);
    this.#emit('onError', { code, message, detail });
  }

  /** Returns whether the page has removed the element, or emptied it: then the editor is destroyed. */
  #isRemoved(): boolean {
    if (this.#document.page.frame.isConnected()) return false;
    // biome-ignore lint/suspicious/noConsole: nobody else would say why nothing is to be seen
    console.warn('SVC.Editor: destroyed, since its element is not in the page any more');
    this.destroy();
    return true;
  }

  async #saveNow(): Promise<SVC.SaveResult> {
    const document = this.#document;
    const state = this.#state;
    await this.#reportFailure(document.present());
    if (!state.session || (state.status !== 'loaded' && state.status !== 'closing')) throw notLoaded();
    if (state.session.mode === 'view') {
      return { ...toSavedVersion(await this.#reportFailure(document.askState())), unmodified: true };
    }
    return this.#reportFailure(document.saving.save());
  }

  async #reportFailure<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (!this.#lifetime.isOver()) this.#reportError(asEditorError(error));
      throw error;
    }
  }

  async #changeMode(wanted: SVC.Mode): Promise<SVC.Mode> {
    const document = this.#document;
    const server = this.#server;
    await this.#reportFailure(document.present());
    const { session, status } = this.#state;
    if (!session || status !== 'loaded') throw notLoaded();
    const before = session.mode;
    if (before === wanted) return wanted;
    if (before === 'edit') await this.#saveNow();
    await this.#reportFailure(document.present());
    // It may have been asked to close meanwhile; a connection that was lost again is no reason to give up.
    if (!this.#isOpen()) throw closedError();
    const granted = await this.#reportFailure(server.setMode(session, wanted));
    if (!this.#isOpen()) throw closedError();
    document.enter(granted);
    // Its mode is fixed once a document is open: it has to be opened anew.
    if (granted.mode !== before) {
      await document.openBehind(granted);
      await document.page.loading.wait();
    }
    return granted.mode;
  }

  /** Ends the page's connection: the editor saves and closes a document whose page has gone. */
  #onFrozen(): boolean {
    const state = this.#state;
    const document = this.#document;
    if (state.status === 'closing') this.destroy();
    if (this.#lifetime.isOver() || state.status === 'failed') return false;
    state.status = 'loading';
    document.recovery.reconnector.cancel();
    document.page.frame.empty();
    return true;
  }

  async #onResumed(granted: Promise<Session>): Promise<void> {
    const state = this.#state;
    const document = this.#document;
    const lifetime = this.#lifetime;
    document.page.loading.begin();
    try {
      const session = await granted;
      if (lifetime.isOver() || state.status === 'failed') return;
      if (session !== state.session) document.enter(session);
      document.open(session);
    } catch (error) {
      if (!lifetime.isOver()) this.#failToLoad(asEditorError(error));
    }
  }

  async #leave(): Promise<void> {
    const state = this.#state;
    const document = this.#document;
    const lifetime = this.#lifetime;
    // A reader has nothing to save, so nothing that could keep the reader from leaving.
    if (state.session?.mode === 'edit') await this.#reportFailure(document.present());
    const before = state.status;
    state.status = 'closing';
    document.page.giveUp(closedError());
    try {
      if (before === 'loaded') await this.#enqueue(async () => state.session?.mode === 'view' || this.#saveNow());
    } catch (error) {
      if (state.status === 'closing') state.status = before;
      throw error;
    }
    if (lifetime.isOver()) throw closedError();
    if (document.page.isReady()) document.page.frame.post('Action_Close');
    if (state.session) await awaitRelease(this.#server.remove(state.session));
    if (lifetime.isOver()) throw closedError();
    this.#end('closed');
  }

  #end(status: 'closed' | 'destroyed'): void {
    this.#state.status = status;
    this.#lifetime.end();
    this.#document.page.giveUp(closedError());
    this.#document.stop();
    this.#stopLifecycle();
    freeContainer(this.#container);
  }

  /** Returns whether there is a document, or there will be again. */
  #isOpen(): boolean {
    const { status } = this.#state;
    return status === 'loaded' || (status === 'loading' && this.#document.isAway());
  }
}
