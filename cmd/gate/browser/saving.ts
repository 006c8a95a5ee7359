import { defer, randomHex } from './async.ts';
import { editorError } from './errors.ts';
import type { EditorMessage } from './frame.ts';
import type { PendingSave } from './pending-save.ts';
import { type SessionState, toSavedVersion } from './server.ts';
import type { Texts } from './texts.ts';
import { type Baseline, locateChanges, type UnsavedChanges } from './unsaved-changes.ts';

export interface SavingOptions {
  texts: Texts;
  post(id: string, values: Record<string, unknown>): void;
  /** Wakes a page that sleeps. */
  wake(): void;
  /** Asks the server at once and often. */
  hurry(): void;
  askState(): Promise<SessionState>;
  /** Returns the newest version known. */
  getVersion(): number;
  /** Returns whether there is a document that can be asked. */
  isOpen(): boolean;
  /** Returns whether the session may save. */
  isEditing(): boolean;
  isDoubtful: UnsavedChanges['isDoubtful'];
  onSave: UnsavedChanges['onSave'];
  /** The editor has not said a word about a save in all its time: the page may have lost it without knowing. */
  onUnanswered(): void;
}

/** Contract: Browser events. */
const SAVE_MS = 30_000;
/** Time for the last question about a save whose time is up. */
const LAST_QUESTION_MS = 2_000;
/** Pause on average, different each time: people who save together would drop each other's requests again and again. */
const RETRY_MS = 500;
/** Time after which a request has no answer: the editor's page passes on one answer for requests that come close together. */
const UNANSWERED_MS = 5_000;
/** Answers that may still come to requests of before: their number is not known, and each costs a save a request more. */
const LATE_ANSWERS = 2;
/** Time until an upload that the editor has begun for somebody else is thought to have failed. */
const DOUBT_MS = 2_000;
/** The same for an upload of before a connection was lost, which the editor may try a second time. */
const BASELINE_MS = 10_000;

/** The editor's message for an upload that is under way, sent to all who save meanwhile (Collabora Online 25.04.9). */
const UPLOADING = 'Already in progress.';

/** One save at a time, from the request to the stored version. */
export class Saving {
  readonly #options: SavingOptions;
  #pending: PendingSave | undefined;
  #baseline: Baseline | undefined;
  /** Requests to this page, and answers to them, which come in their order; some never come. */
  #requests = 0;
  #answers = 0;
  #requestedAt = 0;
  /** Those who wait for a sign of life: one is enough for all. */
  readonly #proofs = new Set<(isProof: boolean) => void>();

  constructor(options: SavingOptions) {
    this.#options = options;
  }

  /** Saves, or finds out for somebody who only reads whether what was not saved before is stored. */
  save(): Promise<SVC.SaveResult> {
    const { isDoubtful, getVersion, isEditing, onSave } = this.#options;
    const late = Date.now() - this.#requestedAt > UNANSWERED_MS ? 0 : LATE_ANSWERS;
    this.#answers = Math.max(this.#answers, this.#requests - late);
    const pending: PendingSave = {
      ...defer<SVC.SaveResult>(),
      nonce: randomHex(),
      first: this.#requests + 1,
      force: isDoubtful() === 'long',
      versionAtCall: getVersion(),
      versionAtRequest: getVersion(),
      isAnswered: false,
      isHeard: false,
      timer: setTimeout(() => this.#onTimeout(pending), SAVE_MS),
    };
    this.#pending = pending;
    if (!isEditing()) this.#onNothingToSave(pending);
    else {
      this.#unlessLost(pending, () => {
        onSave();
        this.#request(pending);
        this.#retryLater(pending);
      });
    }
    return pending.promise;
  }

  /**
   * The document that its page had lost is there again: a pending save is requested again.
   * @param baseline what the server had when there were changes on top of it
   */
  onBack(baseline: Baseline | undefined): void {
    this.#baseline = baseline;
    this.#requests = 0;
    this.#answers = 0;
    const pending = this.#pending;
    if (!pending) return;
    pending.first = 1;
    if (this.#options.isEditing()) this.#unlessLost(pending, () => this.#requestAgain(pending, false));
    else this.#onNothingToSave(pending);
  }

  isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Resolves with whether the editor's server answers the page within so many milliseconds. */
  prove(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isProof: boolean): void => {
        clearTimeout(timer);
        this.#proofs.delete(settle);
        resolve(isProof);
      };
      const timer = setTimeout(() => settle(false), ms);
      this.#proofs.add(settle);
      this.#request(this.#pending ?? { nonce: randomHex(), force: false });
    });
  }

  /** The page has lost its connection: it proves nothing. */
  disprove(): void {
    for (const settle of this.#proofs) settle(false);
  }

  /** The editor has answered. */
  onAnswer(message: EditorMessage): void {
    for (const settle of this.#proofs) settle(true);
    const { success, result, errorMsg } = message.Values;
    // Said of a download, in the place of the answer that is awaited.
    if (result === 'exportas') return;
    this.#answers = Math.min(this.#answers + 1, this.#requests);
    const [pending, options] = [this.#pending, this.#options];
    if (pending) pending.isHeard = true;
    // It may be said of a request before it: what was typed in between is not saved.
    const isLate = pending !== undefined && this.#answers < pending.first;
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
  #unlessLost(pending: PendingSave, begin: () => void): void {
    const look = (state?: SessionState): void => {
      if (this.#pending !== pending) return;
      const from = this.#baseline && { ...this.#baseline, version: this.#baseline.known };
      if (state && from && locateChanges(from, state) === 'lost') this.#lose(pending, state);
      else begin();
    };
    if (this.#baseline) this.#options.askState().then(look, () => look());
    else begin();
  }

  /** The editor has nothing that is not saved: all is in the newest version, on its way to the server, or lost. */
  #onNothingToSave(pending: PendingSave, isLate = false): void {
    const { askState, isEditing } = this.#options;
    const settle = (state: SessionState): void => {
      this.onState(state);
      if (this.#pending !== pending) return;
      const found = this.#baseline ? locateChanges(this.#baseline, state) : 'stored';
      if (found === 'stored') this.#finish(pending, state);
      else if (found === 'lost' || (found === 'unknown' && isLate)) this.#lose(pending, state);
      else if (!isLate) this.#waitForVersion(pending, BASELINE_MS, () => this.#onNothingToSave(pending, true));
      // The editor has them still, and may have forgotten to send them off. A reader leaves that to others.
      else if (isEditing()) this.#requestAgain(pending, true);
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
    const unmodified = state.version <= pending.versionAtCall || !this.#options.isEditing();
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

  #request({ nonce, force }: Pick<PendingSave, 'nonce' | 'force'>): void {
    const { wake, post, hurry } = this.#options;
    wake();
    this.#requests += 1;
    this.#requestedAt = Date.now();
    post('Action_Save', {
      DontTerminateEdit: true,
      DontSaveIfUnmodified: !force,
      Notify: true,
      ExtendedData: `svc1.${nonce}`,
    });
    hurry();
  }

  #requestAgain(pending: PendingSave, force: boolean): void {
    clearTimeout(pending.late);
    Object.assign(pending, { force, versionAtRequest: this.#options.getVersion(), isAnswered: false });
    this.#request(pending);
  }

  /**
   * While the editor saves for somebody it drops the requests of others, without an answer. A save without an answer is
   * requested again, and so is one that sees a version come without its nonce: the editor saves what is not in it, or says
   * that all is.
   */
  #retryLater(pending: PendingSave): void {
    const { isOpen, isEditing, getVersion } = this.#options;
    const retry = (): void => {
      this.#retryLater(pending);
      if (!isOpen() || !isEditing()) return;
      const isLate = pending.force && Date.now() - this.#requestedAt > UNANSWERED_MS;
      if (getVersion() > pending.versionAtRequest) this.#requestAgain(pending, false);
      else if (!pending.isAnswered) this.#requestAgain(pending, pending.force);
      // After an upload that failed the editor waits for 5 s, and then for somebody who wants something of it.
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
    // A save for somebody else may have come between, and be on its way still.
    if (this.#options.isDoubtful()) this.#waitForVersion(pending, DOUBT_MS, () => this.#requestAgain(pending, true));
    else this.#onNothingToSave(pending);
  }
}
