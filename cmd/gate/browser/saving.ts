import { type Deferred, defer, randomHex } from './async.ts';
import { editorError } from './errors.ts';
import type { EditorMessage } from './frame.ts';
import { SaveRequests, type SaveRequestsOptions } from './save-requests.ts';
import { type SessionState, toSavedVersion } from './server.ts';
import type { EditorState } from './state.ts';
import type { Texts } from './texts.ts';
import { type Baseline, locateChanges, type UnsavedChanges } from './unsaved-changes.ts';

export interface SavingOptions extends SaveRequestsOptions {
  texts: Texts;
  state: EditorState;
  unsaved: Pick<UnsavedChanges, 'isDoubtful' | 'onSave'>;
  askState(): Promise<SessionState>;
  /** Returns whether there is a document that can be asked. */
  isOpen(): boolean;
  /** The editor has not said a word about a save in all its time: the page may have lost it without knowing. */
  onUnanswered(): void;
}

/** A save that is waited for. */
interface PendingSave extends Deferred<SVC.SaveResult> {
  nonce: string;
  /** The number of its first request among all to this page. */
  first: number;
  /** True if to save even if the editor takes the document for unmodified. */
  force: boolean;
  timer: ReturnType<typeof setTimeout>;
  /** The newest version known when `save` was called, and when the editor was last asked. */
  versionAtCall: number;
  versionAtRequest: number;
  /** True if the editor has answered, so that a version is on its way or is there. */
  isAnswered: boolean;
  /** True if the editor has answered anything since `save` was called. */
  isHeard: boolean;
  /** Runs when no version comes. */
  late?: ReturnType<typeof setTimeout>;
  retry?: ReturnType<typeof setTimeout>;
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
  readonly #options: SavingOptions;
  #pending: PendingSave | undefined;
  #baseline: Baseline | undefined;
  readonly #requests: SaveRequests;

  constructor(options: SavingOptions) {
    this.#options = options;
    this.#requests = new SaveRequests(options);
  }

  /** Saves. For a reader it only finds out whether earlier changes are stored. */
  save(): Promise<SVC.SaveResult> {
    const { state, unsaved } = this.#options;
    const version = state.version ?? 0;
    const pending: PendingSave = {
      ...defer<SVC.SaveResult>(),
      nonce: randomHex(),
      first: this.#requests.next(),
      force: unsaved.isDoubtful() === 'long',
      versionAtCall: version,
      versionAtRequest: version,
      isAnswered: false,
      isHeard: false,
      timer: setTimeout(() => this.#onTimeout(pending), SAVE_MS),
    };
    this.#pending = pending;
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
    const [pending, options] = [this.#pending, this.#options];
    if (pending) pending.isHeard = true;
    // It may be said of a request before it: what was typed in between is not saved.
    const isLate = pending !== undefined && answered < pending.first;
    if (!pending || (result === 'unmodified' && isLate)) options.hurry();
    else if (errorMsg === UPLOADING || (success !== false && isLate)) this.#onUploading(pending);
    else if (result === 'unmodified') this.#onUnmodified(pending);
    // A success says that the editor has it, not that the server does: that is seen from the nonce.
    else if (success !== false) {
      pending.isAnswered = true;
      options.hurry();
    } else this.#take()?.reject(editorError('save_failed', options.texts.saveFailed, { ...message }));
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
    if (!pending || pending !== expected) return undefined;
    clearTimeout(pending.timer);
    clearTimeout(pending.retry);
    clearTimeout(pending.late);
    this.#pending = undefined;
    return pending;
  }

  /**
   * Begins a save, unless changes of before a lost connection are lost: a version of what was typed since would hide that.
   */
  #begin(pending: PendingSave): void {
    const { askState, state: known, unsaved, wake, post } = this.#options;
    const from = this.#baseline && { ...this.#baseline, version: this.#baseline.known };
    const begin = (state?: SessionState): void => {
      if (this.#pending !== pending) return;
      if (from && state && locateChanges(from, state) === 'lost') this.#lose(pending, state);
      else {
        unsaved.onSave();
        wake();
        post('Send_UNO_Command', ACCEPT_CELL);
        this.#requestAgain(pending, pending.force);
        this.#retryLater(pending);
      }
    };
    if (!known.isEditing()) this.#onNothingToSave(pending);
    else if (from) askState().then(begin, () => begin());
    else begin();
  }

  /** The editor has nothing that is not saved: all is in the newest version, on its way to the server, or lost. */
  #onNothingToSave(pending: PendingSave, isLate = false): void {
    const { askState, state: known } = this.#options;
    const settle = (state: SessionState): void => {
      this.onState(state);
      if (this.#pending !== pending) return;
      const found = this.#baseline ? locateChanges(this.#baseline, state) : 'stored';
      if (found === 'stored') this.#finish(pending, state);
      else if (found === 'lost' || (found === 'unknown' && isLate)) this.#lose(pending, state);
      else if (!isLate) this.#waitForVersion(pending, BASELINE_MS, () => this.#onNothingToSave(pending, true));
      // The editor has them still, and may have forgotten to send them off. A reader leaves that to others.
      else if (known.isEditing()) this.#requestAgain(pending, true);
      else this.#finish(pending, state);
    };
    askState().then(settle, (error) => this.#take(pending)?.reject(error));
  }

  #waitForVersion(pending: PendingSave, ms: number, otherwise: () => void): void {
    clearTimeout(pending.late);
    pending.late = setTimeout(otherwise, ms);
  }

  #finish(pending: PendingSave, state: SessionState): void {
    this.#baseline = undefined;
    const unmodified = state.version <= pending.versionAtCall || !this.#options.state.isEditing();
    this.#take(pending)?.resolve({ ...toSavedVersion(state), unmodified });
  }

  #lose(pending: PendingSave, { version }: SessionState): void {
    const detail = { reason: 'changes_lost', version };
    this.#baseline = undefined;
    this.#take(pending)?.reject(editorError('save_failed', this.#options.texts.changesLost, detail));
  }

  /** Asks once more, since time also passes in a page that sleeps, as with its machine: the version may be stored by then. */
  #onTimeout(pending: PendingSave): void {
    const { askState, texts, onUnanswered } = this.#options;
    const fail = (): void => {
      if (!this.#take(pending)) return;
      pending.reject(editorError('save_timeout', texts.saveTimeout));
      if (!pending.isHeard) onUnanswered();
    };
    askState()
      .then((state) => this.onState(state))
      .then(fail, fail);
    setTimeout(fail, LAST_QUESTION_MS);
  }

  #requestAgain(pending: PendingSave, force: boolean): void {
    clearTimeout(pending.late);
    Object.assign(pending, { force, versionAtRequest: this.#options.state.version ?? 0, isAnswered: false });
    this.#requests.send(pending);
  }

  /**
   * While the editor saves for one user it drops the requests of others, without an answer. A save without an answer is
   * requested again, and so is one that sees a version come without its nonce: the editor saves what is not in it, or says
   * that all is.
   */
  #retryLater(pending: PendingSave): void {
    clearTimeout(pending.retry);
    const { isOpen, state } = this.#options;
    const retry = (): void => {
      this.#retryLater(pending);
      if (!isOpen() || !state.isEditing()) return;
      const isLate = pending.force && this.#requests.isUnanswered();
      if ((state.version ?? 0) > pending.versionAtRequest) this.#requestAgain(pending, false);
      else if (!pending.isAnswered) this.#requestAgain(pending, pending.force);
      // After a failed upload the editor waits for 5 s, and then for the next request.
      else if (isLate) this.#requestAgain(pending, false);
    };
    pending.retry = setTimeout(retry, RETRY_MS * (0.5 + Math.random()));
  }

  /**
   * The version that is on its way may have it all: the editor is asked once it is there, or it takes long. What was written
   * meanwhile is not in it, and the editor (25.04.9) sends that off 5 s later, or takes it for sent with that version.
   */
  #onUploading(pending: PendingSave): void {
    pending.isAnswered = true;
    this.#waitForVersion(pending, DOUBT_MS, () => this.#requestAgain(pending, false));
    this.#options.hurry();
  }

  #onUnmodified(pending: PendingSave): void {
    if (pending.force) return;
    pending.isAnswered = true;
    // A save for another user may still be on its way.
    if (this.#options.unsaved.isDoubtful())
      this.#waitForVersion(pending, DOUBT_MS, () => this.#requestAgain(pending, true));
    else this.#onNothingToSave(pending);
  }
}
