import { editorError, notLoaded } from './errors.ts';
import type { EditorMessage } from './frame.ts';
import { EditorPage, type PageEvents } from './page.ts';
import { type KnownDocument, StatePoller } from './poller.ts';
import { type RecoverableDocument, Recovery, type Return } from './recovery.ts';
import { type SavedDocument, Saving } from './saving.ts';
import { type Session, type SessionState, toSavedVersion } from './server.ts';
import type { Context } from './state.ts';
import { UnsavedChanges } from './unsaved-changes.ts';

/** The editor around a document. */
export interface EditorActions {
  save(): Promise<unknown>;
  close(reason: 'user'): Promise<void>;
  destroy(): void;
}

/** The document of a session: its page, its saves, and the server's state of it. */
export class OpenDocument implements PageEvents, KnownDocument, RecoverableDocument, SavedDocument {
  readonly page: EditorPage;
  readonly unsaved: UnsavedChanges;
  readonly saving: Saving;
  readonly recovery: Recovery;
  readonly poller: StatePoller;
  readonly #context: Context;
  readonly #editor: EditorActions;

  constructor(context: Context, editor: EditorActions) {
    this.#context = context;
    this.#editor = editor;
    this.page = new EditorPage(context, this);
    this.unsaved = new UnsavedChanges(context.state, context.config.warnBeforeUnload === true, () => this.saveSoon());
    this.poller = new StatePoller(this);
    this.saving = new Saving(context, this);
    this.recovery = new Recovery(context, this);
  }

  /** Takes over the session that the server has granted. @throws {SVC.EditorError} `load_failed` */
  enter(granted: Session): void {
    const { state, texts, emit } = this.#context;
    state.session = granted;
    state.version ??= granted.version;
    const { limited, message, limit, editor_url: path } = granted;
    if (limited) emit('onLimitReached', { message: message ?? texts.limitReached, limit });
    // Behind the origin, anything else might lead to another one, which must not get the token.
    if (!path.startsWith('/')) throw editorError('load_failed', texts.loadFailed, { reason: 'editor_url' });
  }

  /** Opens the document for the first time. */
  async open(granted: Session): Promise<void> {
    await this.#untilUsable();
    // A handler may have destroyed it just now.
    if (!this.#context.state.isOver() && !this.isRemoved()) this.page.open(granted);
  }

  /** Opens the document anew in place of the page that is shown, or was shown in a frame that is empty now. */
  comeBack(how: Return = {}): void {
    this.#setModified(false);
    this.#recover({ text: this.#context.texts.loading, ...how });
  }

  /** Waits for a document that its page has lost. @throws {SVC.EditorError} `network_error` */
  present(): Promise<void> {
    this.wakeUp();
    return this.recovery.wait();
  }

  askState(): Promise<SessionState> {
    const { state, server } = this.#context;
    return state.session ? server.state(state.session, this.saving.nonce()) : Promise.reject(notLoaded());
  }

  /** Saves after what is queued. */
  saveSoon(): void {
    void this.#editor.save().catch(() => {});
  }

  failToLoad(error: SVC.EditorError): void {
    const { state } = this.#context;
    if (state.isOver() || state.status === 'failed') return;
    state.status = 'failed';
    this.recovery.end(error);
    this.page.giveUp();
    this.reportError(error, true);
  }

  /** @param visible whether there is nothing else to look at */
  reportError({ code, message, detail }: SVC.EditorError, visible = false): void {
    const { config, emit } = this.#context;
    const isNote = detail['reason'] === 'changes_lost';
    if (!this.recovery.isAway()) this.page.frame.say(message, visible ? 'seen' : isNote ? 'note' : 'unseen');
    // biome-ignore lint/suspicious/noConsole: a page that does not listen is one in the making
    if (!config.events?.onError) console.error(`SVC.Editor: ${code}: ${message}`, detail);
    emit('onError', { code, message, detail });
  }

  /** Returns whether the page has removed the element, or emptied it: then the editor is destroyed. */
  isRemoved(): boolean {
    if (this.page.frame.isConnected()) return false;
    // biome-ignore lint/suspicious/noConsole: nobody else would say why nothing is to be seen
    console.warn('SVC.Editor: destroyed, since its element is not in the page any more');
    this.#editor.destroy();
    return true;
  }

  stop(): void {
    this.poller.stop();
    this.saving.stop();
    this.recovery.stop();
    this.unsaved.stop();
    this.page.remove();
  }

  /** The page has its document. */
  onLoaded(): void {
    const { state, emit } = this.#context;
    if (state.status !== 'loading' && state.status !== 'failed') return;
    state.status = 'loaded';
    state.loadedAt = null;
    this.poller.nudge(true);
    emit('onDocumentLoaded', state.toInfo());
  }

  /** The frame was moved in the page, which empties it. */
  onMoved(): void {
    const { session, status } = this.#context.state;
    if (session && (status === 'loading' || status === 'loaded')) this.comeBack();
  }

  /** A page that is opening the document may fail while it is hidden, and then never says another word. */
  async onHidden(): Promise<void> {
    const { state } = this.#context;
    if (!state.session || state.status !== 'loading') return;
    await this.#untilUsable();
    if (state.status === 'loading' && !this.isRemoved()) this.comeBack();
  }

  /** The page of an open document has lost it, and does not get it back. */
  onLost(detail: Record<string, unknown>): void {
    const { state, texts } = this.#context;
    this.saving.settleProofs(false);
    if ((state.status !== 'loaded' && state.status !== 'closing') || this.isRemoved()) return;
    this.#recover({ isTold: true });
    this.reportError(editorError('network_error', texts.ended, detail));
  }

  /** The user is back: a document that was closed since nobody used it is opened again. */
  wakeUp(): void {
    if (this.page.isAsleep()) this.#recover({});
  }

  onModified(modified: boolean): void {
    if (this.#context.state.modified && !modified) this.poller.hurry();
    this.unsaved.setModified(modified);
    this.#setModified(modified);
  }

  /** The page has said something that does not matter to the opening of its document. */
  onMessage(message: EditorMessage): void {
    const id = message.MessageId;
    if (id === 'Action_Save_Resp') this.saving.onAnswer(message);
    // The user has asked for a save.
    else if (id === 'UI_Save') this.poller.hurry();
    // Somebody has come or gone.
    else if (id === 'Views_List') this.poller.nudge();
    else if (id === 'UI_Close') void this.#editor.close('user').catch(() => {});
  }

  /** Resolves when a page can work; a first opening has all its time from then on. */
  async #untilUsable(): Promise<void> {
    const { loading, frame } = this.page;
    if (frame.isUsable()) return;
    const isFirst = loading.stop();
    await frame.usable();
    if (isFirst && this.#context.state.status === 'loading') loading.start();
  }

  #setModified(modified: boolean): void {
    const { state, emit } = this.#context;
    if (state.modified === modified) return;
    state.modified = modified;
    emit('onModified', { modified });
  }

  /** The server has answered. */
  onState(current: SessionState): void {
    const { state, emit } = this.#context;
    const wasListed = (state.server?.users.length ?? 0) > 0;
    state.server = current;
    // While the page loses its document, this may be of the next one.
    if (this.page.isLoaded()) state.loadedAt = current.loaded_at;
    // The editor's server lists nobody: the page's connection may be dead without its notice.
    if (wasListed && current.users.length === 0 && state.isEditing()) void this.recovery.check();
    const isNew = state.version !== undefined && current.version > state.version;
    this.unsaved.onState(current, isNew, this.saving.isOwn(current));
    if (isNew) {
      state.version = current.version;
      emit('onSaved', toSavedVersion(current));
    }
    this.saving.onState(current);
  }

  #recover(how: Return): void {
    this.#context.state.status = 'loading';
    this.recovery.lose(how);
  }
}
