import { type Deferred, defer, randomHex, Timer } from './async.ts';
import { editorError } from './errors.ts';
import type { EditorMessage } from './frame.ts';
import { type RequestedDocument, SaveRequests } from './save-requests.ts';
import { type SessionState, toSavedVersion } from './server.ts';
import type { Context } from './state.ts';
import { type Baseline, locateChanges, type UnsavedChanges } from './unsaved-changes.ts';

/** A document that is saved (open-document.ts). */
export interface SavedDocument extends RequestedDocument {
  readonly unsaved: UnsavedChanges;
  readonly recovery: { check(): Promise<void> };
  askState(): Promise<SessionState>;
}

/** A save that is waited for. */
interface PendingSave extends Deferred<SVC.SaveResult> {
  nonce: string;
  /** The number of its first request among all to this page. */
  first: number;
  /** True if to save even if the editor takes the document for unmodified. */
  force: boolean;
  /** The newest version known when `save` was called, and when the editor was last asked. */
  versionAtCall: number;
  versionAtRequest: number;
  /** True if the editor has answered, so that a version is on its way or is there. */
  isAnswered: boolean;
  /** True if the editor has answered anything since `save` was called. */
  isHeard: boolean;
}

/** Contract: Browser events. */
const SAVE_MS = 30_000;
/** Time for the last question about a save whose time is up. */
const LAST_QUESTION_MS = 2_000;
/** Pause on average, different each time: people who save together would drop each other's requests again and again. */
const RETRY_MS = 500;
/** Time after which an upload that the editor has begun for another user counts as failed. */
const DOUBT_MS = 2_000;
/** The same for an upload of before a connection was lost, which the editor may try a second time. */
const BASELINE_MS = 10_000;

/**
 * Enters the text of a cell that is being edited; without one it does nothing. Until then the document is unmodified to
 * the editor (25.04.9), which would not save it.
 */
const ACCEPT_CELL = { Command: '.uno:AcceptFormula', Args: { SynchronMode: { type: 'boolean', value: true } } };

/** The editor's message for an upload that is under way, sent to all who save meanwhile (Collabora Online 25.04.9). */
const UPLOADING = 'Already in progress.';

/** One save at a time, from the request to the stored version. */
export class Saving {
  readonly #context: Pick<Context, 'state' | 'texts'>;
  readonly #document: SavedDocument;
  #pending: PendingSave | undefined;
  #baseline: Baseline | undefined;
  readonly #requests: SaveRequests;
  readonly #limit = new Timer();
  readonly #retry = new Timer();
  /** Runs when no version comes. */
  readonly #late = new Timer();

  constructor(context: Pick<Context, 'state' | 'texts'>, document: SavedDocument) {
    this.#context = context;
    this.#document = document;
    this.#requests = new SaveRequests(document);
  }

  /** Saves. For a reader it only finds out whether earlier changes are stored. */
  save(): Promise<SVC.SaveResult> {
    const version = this.#getVersion();
    const pending: PendingSave = {
      ...defer<SVC.SaveResult>(),
      nonce: randomHex(),
      first: this.#requests.next(),
      force: this.#document.unsaved.isDoubtful() === 'long',
      versionAtCall: version,
      versionAtRequest: version,
      isAnswered: false,
      isHeard: false,
    };
    this.#pending = pending;
    this.#limit.start(SAVE_MS, () => this.#onTimeout(pending));
    this.#begin(pending);
    return pending.promise;
  }

  /**
   * The document that its page had lost is there again: a pending save is requested again.
   * @param baseline what the server had when there were changes on top of it
   */
  onBack(baseline: Baseline | undefined): void {
    this.#baseline = baseline;
    this.#requests.reset();
    if (this.#pending) this.#begin(Object.assign(this.#pending, { first: 1, force: false }));
  }

  isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Resolves with whether the editor's server answers the page within so many milliseconds. */
  prove(ms: number): Promise<boolean> {
    this.#requests.send(this.#pending ?? { nonce: randomHex(), force: false });
    return this.#requests.proof(ms);
  }

  /** Tells all who wait for a proof. @param isAlive false: the page has lost its connection */
  settleProofs(isAlive: boolean): void {
    this.#requests.settleProofs(isAlive);
  }

  /** The editor has answered. */
  onAnswer(message: EditorMessage): void {
    this.settleProofs(true);
    const { success, result, errorMsg } = message.Values;
    // Said of a download, in the place of the answer that is awaited.
    if (result === 'exportas') return;
    const answered = this.#requests.onAnswer();
    const [pending, { poller }] = [this.#pending, this.#document];
    if (pending) pending.isHeard = true;
    // It may be said of a request before it: what was typed in between is not saved.
    const isLate = pending !== undefined && answered < pending.first;
    if (!pending || (result === 'unmodified' && isLate)) poller.hurry();
    else if (errorMsg === UPLOADING || (success !== false && isLate)) this.#onUploading(pending);
    else if (result === 'unmodified') this.#onUnmodified(pending);
    // A success says that the editor has it, not that the server does: that is seen from the nonce.
    else if (success !== false) {
      pending.isAnswered = true;
      poller.hurry();
    } else this.#fail(pending, this.#context.texts.saveFailed, { ...message });
  }

  /** The server has answered. */
  onState(state: SessionState): void {
    const isOwn = this.isOwn(state);
    if (isOwn || (this.#baseline && state.version > this.#baseline.version)) this.#baseline = undefined;
    if (isOwn) this.#take()?.resolve({ ...toSavedVersion(state), unmodified: false });
  }

  /** Returns whether the version of the pending save is there. */
  isOwn({ save }: SessionState): boolean {
    return this.#pending !== undefined && save?.nonce === this.#pending.nonce;
  }

  /** The nonce of the pending save. */
  nonce(): string | undefined {
    return this.#pending?.nonce;
  }

  stop(): void {
    this.#take();
  }

  /** Ends and returns the pending save, unless it is another one by now. */
  #take(expected = this.#pending): PendingSave | undefined {
    const pending = this.#pending;
    if (pending !== expected) return undefined;
    this.#limit.stop();
    this.#retry.stop();
    this.#late.stop();
    this.#pending = undefined;
    return pending;
  }

  /**
   * Begins a save, unless changes of before a lost connection are lost: a version of what was typed since would hide that.
   */
  #begin(pending: PendingSave): void {
    const { unsaved, page } = this.#document;
    const from = this.#baseline && { ...this.#baseline, version: this.#baseline.known };
    const begin = (state?: SessionState): void => {
      if (this.#pending !== pending) return;
      if (from && state && locateChanges(from, state) === 'lost') this.#lose(pending, state);
      else {
        unsaved.onSave();
        page.send('Send_UNO_Command', ACCEPT_CELL);
        this.#requestAgain(pending, pending.force);
        this.#retryLater(pending);
      }
    };
    if (!this.#isEditing()) this.#onNothingToSave(pending);
    else if (from) this.#document.askState().then(begin, () => begin());
    else begin();
  }

  /** The editor has nothing that is not saved: all is in the newest version, on its way to the server, or lost. */
  #onNothingToSave(pending: PendingSave, isLate = false): void {
    const settle = (state: SessionState): void => {
      this.onState(state);
      if (this.#pending !== pending) return;
      const found = this.#baseline ? locateChanges(this.#baseline, state) : 'stored';
      if (found === 'stored') this.#finish(pending, state);
      else if (found === 'lost' || (found === 'unknown' && isLate)) this.#lose(pending, state);
      else if (!isLate) this.#late.start(BASELINE_MS, () => this.#onNothingToSave(pending, true));
      // The editor has them still, and may have forgotten to send them off. A reader leaves that to others.
      else if (this.#isEditing()) this.#requestAgain(pending, true);
      else this.#finish(pending, state);
    };
    this.#document.askState().then(settle, (error) => this.#take(pending)?.reject(error));
  }

  #finish(pending: PendingSave, state: SessionState): void {
    this.#baseline = undefined;
    const unmodified = state.version <= pending.versionAtCall || !this.#isEditing();
    this.#take(pending)?.resolve({ ...toSavedVersion(state), unmodified });
  }

  #lose(pending: PendingSave, { version }: SessionState): void {
    this.#baseline = undefined;
    this.#fail(pending, this.#context.texts.changesLost, { reason: 'changes_lost', version });
  }

  #fail(pending: PendingSave, message: string, detail: Record<string, unknown>): void {
    this.#take(pending)?.reject(editorError('save_failed', message, detail));
  }

  /** Asks once more, since time also passes in a page that sleeps, as with its machine: the version may be stored by then. */
  #onTimeout(pending: PendingSave): void {
    const fail = (): void => {
      if (!this.#take(pending)) return;
      pending.reject(editorError('save_timeout', this.#context.texts.saveTimeout));
      // The editor has not said a word in all that time: the page may have lost it without knowing. A close() that waits for
      // this save has to fail first, since a document that is closing is not recovered.
      if (!pending.isHeard) setTimeout(() => void this.#document.recovery.check());
    };
    this.#document
      .askState()
      .then((state) => this.onState(state))
      .then(fail, fail);
    setTimeout(fail, LAST_QUESTION_MS);
  }

  #requestAgain(pending: PendingSave, force: boolean): void {
    this.#late.stop();
    Object.assign(pending, { force, versionAtRequest: this.#getVersion(), isAnswered: false });
    this.#requests.send(pending);
  }

  /**
   * While the editor saves for one user it drops the requests of others, without an answer. A save without an answer is
   * requested again, and so is one that sees a version come without its nonce: the editor saves what is not in it, or says
   * that all is.
   */
  #retryLater(pending: PendingSave): void {
    this.#retry.start(RETRY_MS * (0.5 + Math.random()), () => {
      this.#retryLater(pending);
      if (this.#context.state.status === 'loading' || !this.#isEditing()) return;
      const isLate = pending.force && this.#requests.isUnanswered();
      if (this.#getVersion() > pending.versionAtRequest) this.#requestAgain(pending, false);
      else if (!pending.isAnswered) this.#requestAgain(pending, pending.force);
      // After a failed upload the editor waits for 5 s, and then for the next request.
      else if (isLate) this.#requestAgain(pending, false);
    });
  }

  /**
   * The version that is on its way may have it all: the editor is asked once it is there, or it takes long. What was written
   * meanwhile is not in it, and the editor (25.04.9) sends that off 5 s later, or takes it for sent with that version.
   */
  #onUploading(pending: PendingSave): void {
    pending.isAnswered = true;
    this.#late.start(DOUBT_MS, () => this.#requestAgain(pending, false));
    this.#document.poller.hurry();
  }

  #onUnmodified(pending: PendingSave): void {
    if (pending.force) return;
    pending.isAnswered = true;
    // A save for another user may still be on its way.
    if (this.#document.unsaved.isDoubtful()) this.#late.start(DOUBT_MS, () => this.#requestAgain(pending, true));
    else this.#onNothingToSave(pending);
  }

  #getVersion(): number {
    return this.#context.state.version ?? 0;
  }

  #isEditing(): boolean {
    return this.#context.state.isEditing();
  }
}
