import type { Baseline } from './baseline.ts';
import type { DocumentState } from './document-state.ts';
import { closedError, editorError, notLoaded } from './errors.ts';
import type { Emit } from './events.ts';
import { EditorPage, type PageEvents, type PageOptions, type ReopenOptions } from './page.ts';
import { Recovery } from './recovery.ts';
import { Saving, toSavedVersion } from './saving.ts';
import type { Server, Session, SessionState } from './server.ts';
import { StatePoller } from './state-poller.ts';
import { UnsavedChanges } from './unsaved-changes.ts';

export interface OpenDocumentOptions extends Omit<PageOptions, 'events'> {
  state: DocumentState;
  server: Server;
  emit: Emit;
  isOver(): boolean;
  failToLoad(error: SVC.EditorError): void;
  reportError(error: SVC.EditorError): void;
  /** Saves after what is queued. */
  save(): Promise<unknown>;
  /** Returns whether the element has gone: then nothing may be opened. */
  isRemoved(): boolean;
  onReady(): void;
  onDocumentLoaded(): void;
  onCloseButton(): void;
}

/** The time that the service may take to answer before a document that changes its mode is opened in the plain way. */
const SWITCH_MS = 15_000;

/** The document of a session: its page, its saves, and the server's state of it. */
export class OpenDocument {
  readonly page: EditorPage;
  readonly recovery: Recovery;
  readonly saving: Saving;
  readonly #options: OpenDocumentOptions;
  readonly #state: DocumentState;
  readonly #unsaved: UnsavedChanges;
  #poller: StatePoller | undefined;
  /** Time at which the editor fetched the document that is shown; null until the server has answered. */
  #loadedAt: string | null = null;
  /** The version that the server had when the document was modified. */
  #baseline: Baseline | undefined;
  #openings = 0;

  constructor(options: OpenDocumentOptions) {
    this.#options = options;
    this.#state = options.state;
    this.page = new EditorPage({ ...options, events: this.#createPageEvents() });
    this.#unsaved = new UnsavedChanges(options.config.warnBeforeUnload === true, () => this.#saveSoon());
    this.saving = this.#createSaving();
    this.recovery = this.#createRecovery();
  }

  /** Begins to ask the server for the session's state. */
  startPolling(): void {
    const { texts, isRemoved, reportError } = this.#options;
    this.#poller = new StatePoller({
      ask: async () => {
        if (isRemoved()) throw closedError();
        if (this.isAway()) throw editorError('network_error', texts.ended);
        return this.askState();
      },
      isExpecting: () => this.#unsaved.any(),
      onState: (current) => this.#onState(current),
      onUnreachable: () => this.recovery.doubt(),
      onTrouble: (error) => this.isAway() || reportError(error),
    });
  }

  /** Takes over the session that the server has granted. */
  enter(granted: Session): void {
    const state = this.#state;
    state.session = granted;
    state.version ??= granted.version;
    if (!granted.limited) return;
    const message = granted.message ?? this.#options.texts.limitReached;
    this.#options.emit('onLimitReached', { message, limit: granted.limit });
  }

  open(granted: Session): void {
    const { texts, isOver, isRemoved, failToLoad } = this.#options;
    this.#beginLoading();
    // A handler may have destroyed it just now.
    if (isOver() || isRemoved()) return;
    const address = this.#getAddress(granted);
    if (address !== undefined) this.page.open(address, granted.form);
    else failToLoad(editorError('load_failed', texts.loadFailed, { reason: 'editor_url' }));
  }

  /** Opens the document behind the page that is shown, which keeps it open until then. */
  async openBehind(granted: Session): Promise<void> {
    const { texts, isOver } = this.#options;
    this.recovery.reconnector.cancel();
    this.page.loading.begin();
    this.#beginLoading();
    if (isOver()) return;
    const opening = this.#openings;
    const isThere = await this.#reopen({ patience: SWITCH_MS, text: texts.loading, keep: true });
    if (!isThere && !isOver() && this.#state.status === 'loading' && this.#openings === opening) this.open(granted);
  }

  /** Waits for a document that its page has lost. @throws {SVC.EditorError} `network_error` */
  present(): Promise<void> {
    if (this.page.isAsleep()) this.#recover();
    return this.recovery.reconnector.wait();
  }

  askState(): Promise<SessionState> {
    const { session } = this.#state;
    return session ? this.#options.server.state(session, this.saving.nonce()) : Promise.reject(notLoaded());
  }

  /** Returns whether its page has lost the document, and tries to get back to it. */
  isAway(): boolean {
    return this.recovery.reconnector.isAway();
  }

  stop(): void {
    this.#poller?.stop();
    this.saving.stop();
    this.recovery.stop();
    this.#unsaved.stop();
    this.page.remove();
  }

  #createPageEvents(): PageEvents {
    const { onReady, onCloseButton, failToLoad } = this.#options;
    return {
      onReady,
      onCloseButton,
      onFailed: failToLoad,
      onLoaded: () => this.#onLoaded(),
      onMoved: () => this.#onMoved(),
      onLost: (detail) => this.#onLost(detail),
      onAwake: () => this.#recover(),
      onModified: (modified) => this.#onModified(modified),
      onSaveAnswer: (message) => this.saving.onAnswer(message),
      onSaving: () => this.#poller?.hurry(),
      onPeople: () => this.#poller?.nudge(),
    };
  }

  #createSaving(): Saving {
    const state = this.#state;
    const { page } = this;
    return new Saving({
      texts: this.#options.texts,
      post: (id, values) => page.frame.post(id, values),
      wake: () => page.wake(),
      hurry: () => this.#poller?.hurry(),
      askState: () => this.askState(),
      getVersion: () => state.version ?? 0,
      isOpen: () => state.status !== 'loading' && !this.isAway(),
      isDoubtful: () => this.#unsaved.isDoubtful(),
      onUnanswered: () => void this.recovery.check(),
    });
  }

  #createRecovery(): Recovery {
    const unsaved = this.#unsaved;
    const state = this.#state;
    const { page, saving } = this;
    const { texts, server, failToLoad } = this.#options;
    const isEditing = () => state.session?.mode === 'edit';
    return new Recovery({
      ...{ texts, page, saving, unsaved, isEditing },
      probe: () => (state.session ? server.probe(state.session) : Promise.reject(notLoaded())),
      renew: async () => state.session && this.enter(await server.setMode(state.session, state.session.mode)),
      reopen: (patience, keep) => this.#reopen({ patience, text: texts.reopening, keep }),
      isOpen: () => state.status === 'loaded',
      isSilent: server.isSilent,
      getBaseline: () => this.#baseline && { ...this.#baseline },
      onOffline: () => this.#poller?.look(),
      onLost: (detail) => this.#onLost(detail),
      onBack: (unsaved) => unsaved && isEditing() && this.#saveSoon(),
      onOver: failToLoad,
    });
  }

  #saveSoon(): void {
    void this.#options.save().catch(() => {});
  }

  #beginLoading(): void {
    this.#openings += 1;
    if (!this.#options.isOver()) this.#state.status = 'loading';
    this.#setModified(false);
    this.#unsaved.reset();
  }

  /** Returns the address of the editor's page; undefined if it is not the service's own, since the token is for nobody else. */
  #getAddress({ editor_url: path }: Session): string | undefined {
    const { origin } = this.#options;
    const url = new URL(path, origin);
    return url.origin === origin ? url.href : undefined;
  }

  async #reopen(options: ReopenOptions): Promise<boolean> {
    const { session } = this.#state;
    const address = session && this.#getAddress(session);
    return (
      address !== undefined && !this.#options.isRemoved() && this.page.reopen(address, session?.form ?? {}, options)
    );
  }

  #onLoaded(): void {
    const state = this.#state;
    const poller = this.#poller;
    if (state.status !== 'loading' && state.status !== 'failed') return;
    state.status = 'loaded';
    this.#loadedAt = null;
    poller?.nudge();
    poller?.look();
    this.#options.onDocumentLoaded();
  }

  #onMoved(): void {
    const { session, status } = this.#state;
    if (!session || status === 'closing') return;
    this.recovery.reconnector.cancel();
    this.page.loading.begin();
    this.open(session);
  }

  #onModified(modified: boolean): void {
    const state = this.#state;
    const loadedAt = this.#loadedAt;
    if (state.modified && !modified) this.#poller?.hurry();
    if (!state.modified && modified) {
      this.#baseline = state.version === undefined ? undefined : { version: state.version, loadedAt };
    }
    this.#setModified(modified);
    if (state.session?.mode === 'edit') this.#unsaved.setModified(modified);
  }

  #setModified(modified: boolean): void {
    if (this.#state.modified === modified) return;
    this.#state.modified = modified;
    this.#options.emit('onModified', { modified });
  }

  #onState(current: SessionState): void {
    const state = this.#state;
    const baseline = this.#baseline;
    const wasListed = (state.server?.users.length ?? 0) > 0;
    state.server = current;
    // Of what the editor's server no longer has, the page may know nothing: its connection can die without a sound.
    if (wasListed && current.users.length === 0 && state.session?.mode === 'edit') void this.recovery.check();
    this.#loadedAt = current.loaded_at;
    if (baseline) baseline.loadedAt ??= this.#loadedAt;
    if (state.version !== undefined && current.version > state.version) {
      // It is of a save before these changes: after one of them the page would have said that nothing is left to save.
      if (baseline && this.#unsaved.isDoubtful()) baseline.version = current.version;
      state.version = current.version;
      this.#unsaved.onStored();
      this.#options.emit('onSaved', toSavedVersion(current));
    }
    this.saving.onState(current);
  }

  /** The page of an open document has lost it. */
  #onLost(detail: Record<string, unknown>): void {
    const { texts, isRemoved, reportError } = this.#options;
    this.saving.disprove();
    if ((this.#state.status !== 'loaded' && this.#state.status !== 'closing') || isRemoved()) return;
    this.#recover();
    reportError(editorError('network_error', texts.ended, detail));
  }

  #recover(): void {
    this.#state.status = 'loading';
    this.recovery.lose();
  }
}
