import { type Deferred, defer, pause } from './async.ts';
import { asEditorError, closedError, editorError, isFinal, notLoaded } from './errors.ts';
import { getPatience } from './opening.ts';
import type { EditorPage } from './page.ts';
import type { StatePoller } from './poller.ts';
import type { Saving } from './saving.ts';
import type { Session } from './server.ts';
import type { Context } from './state.ts';
import type { Baseline, UnsavedChanges } from './unsaved-changes.ts';

/** A document whose page may lose it (open-document.ts). */
export interface RecoverableDocument {
  readonly page: EditorPage;
  readonly saving: Saving;
  readonly unsaved: UnsavedChanges;
  readonly poller: StatePoller;
  enter(granted: Session): void;
  saveSoon(): void;
  onLost(detail: Record<string, unknown>): void;
  reportError(error: SVC.EditorError): void;
  isRemoved(): boolean;
  failToLoad(error: SVC.EditorError): void;
}

/** How a document is got back. */
export interface Return {
  /** Sentence that is shown meanwhile. */
  text?: string;
  /** True if it was told that the connection is lost. */
  isTold?: boolean;
  /** True if the session has to be given its place again. */
  renews?: boolean;
  /** Resolves when that may begin. */
  ready?: Promise<unknown>;
}

const TICK_MS = 5_000;
/** A page whose clock jumps so far has slept, as with its machine. Browsers wake a hidden one once a minute. */
const SLEPT_MS = { visible: 30_000, hidden: 150_000 };
/**
 * A connection may be dead alone, as when an address translator has forgotten it. Asking whether it lives saves a
 * document that is modified, so that is done less often than the editor saves by itself.
 */
const QUIET_MS = 60_000;
const QUIET_MODIFIED_MS = 120_000;
const PROOF_MS = 5_000;
/** Shorter for a page that was given up since nothing got through: it is opened anew sooner. */
const RESUME_MS = 2_000;
/** The user may be about to type for so long after the last use of keys or mouse. */
const IN_USE_MS = 10_000;
/**
 * Interval of a small request to the service while the user edits. Two in a row without an answer are a loss: where packets
 * are dropped, connections die without notice, and the editor's page goes on taking keys for minutes.
 */
const REACH_MS = 3_000;
/** The first may go over a connection that is dead alone; the second has time for a new one over a slow line. */
const REACH_PATIENCE_MS = [2_000, 3_000];

const WAIT_MS = 30_000;
/** The place of a session without a connection is kept for 120 s (contract: Cap). */
const RENEW_MS = 60_000;
const FIRST_MS = 300;
const LONGEST_MS = 1_000;
/** Longest pause while the server answers and its editor does not. */
const LONGEST_EDITOR_MS = 5_000;
/** After so long away, pauses are longer. */
const LONG_MS = 120_000;
const LONGEST_LATER_MS = 15_000;
/** A question that was not answered for so long got lost: connections may be dead without the browser knowing. */
const SILENT_MS = 1_500;

/** Notices that the page has lost its document, and gets back to it. */
export class Recovery {
  readonly #context: Context;
  readonly #document: RecoverableDocument;
  /** Settles when the document is there again; undefined while it is. */
  #away: Deferred<void> | undefined;
  /** Unsaved changes at the time of the loss. */
  #before: { unsaved: boolean; baseline: Baseline | undefined } | undefined;
  /** True if nothing got through to the service, which says nothing about the page's own connection. */
  #isSilent = false;
  /** Resolves when the service may be asked. */
  #ready: Promise<unknown> | undefined;
  /** When the session was given its place. */
  #renewedAt = 0;
  #lastTick = Date.now();
  #hasten: () => void = () => {};

  constructor(context: Context, document: RecoverableDocument) {
    this.#context = context;
    this.#document = document;
    void this.#repeat(REACH_MS, () => this.#reach());
    void this.#repeat(TICK_MS, () => this.#tick());
    // Somebody is back at the page, or the machine is back in its network.
    const options = { signal: context.over };
    const hasten = (): void => this.#hasten();
    window.document.addEventListener('visibilitychange', hasten, options);
    for (const name of ['online', 'focus']) window.addEventListener(name, hasten, options);
    window.addEventListener('online', () => void this.check(), options);
    window.addEventListener('offline', () => document.poller.nudge(true), options);
  }

  /** Returns whether the page has lost its document, and tries to get back to it. */
  isAway(): boolean {
    return this.#away !== undefined;
  }

  /** The page has lost its document: tries until it is back. Called again, it starts over. */
  lose({ text, isTold = false, renews = false, ready }: Return): void {
    const { page, unsaved } = this.#document;
    this.#before ??= { unsaved: unsaved.any(), baseline: unsaved.getBaseline() };
    page.cover(text);
    this.#ready = ready;
    if (renews) this.#renewedAt = 0;
    if (this.#away) {
      this.#isSilent = false;
      page.endAttempt(false);
      return;
    }
    if (!renews) this.#renewedAt = Date.now();
    this.#away = defer();
    void this.#reconnect(this.#away, isTold, text);
  }

  /** Resolves when the document is there, at once if it is. @throws {SVC.EditorError} `network_error` when it takes too long */
  async wait(ms = WAIT_MS): Promise<void> {
    if (!this.#away) return;
    const late = pause(ms).then(() => {
      throw this.#lost();
    });
    await Promise.race([this.#away.promise, late]);
  }

  /** Stops trying. */
  end(error: SVC.EditorError): void {
    this.#away?.reject(error);
    this.#away = undefined;
    this.#before = undefined;
    this.#hasten();
  }

  /**
   * A question to the server was not answered. A modified document is not saved to find out more: where only the gate is
   * away, that would fail, and the editor would show a dialog to the user.
   */
  doubt(): void {
    if (!navigator.onLine || !this.#document.unsaved.isModified()) void this.check();
  }

  /** Finds out whether the editor still answers. */
  async check(): Promise<void> {
    if (!this.#isOpen()) return;
    const asks = this.#context.state.isEditing() && navigator.onLine;
    if (asks && (await this.#document.saving.prove(PROOF_MS))) return;
    this.#loseTouch(!asks);
  }

  stop(): void {
    this.end(closedError());
  }

  /** Does it again and again while there is an editor, with a pause before each. */
  async #repeat(ms: number, work: () => unknown): Promise<void> {
    for (;;) {
      await pause(ms);
      if (this.#context.over.aborted) return;
      await work();
    }
  }

  #tick(): void {
    const slept = Date.now() - this.#lastTick > SLEPT_MS[document.visibilityState];
    this.#lastTick = Date.now();
    const { page, unsaved } = this.#document;
    // The server is not asked any more after an opening that failed, so nothing else would notice.
    if (this.#document.isRemoved()) return;
    const quiet = unsaved.isModified() ? QUIET_MODIFIED_MS : QUIET_MS;
    if (slept || (this.#isInUse() && page.heartbeat.quietMs() > quiet)) void this.check();
  }

  /** While the user edits, finds out whether anything still reaches the service. */
  async #reach(): Promise<void> {
    if (!this.#mayLose()) return;
    let silent = true;
    for (const ms of REACH_PATIENCE_MS) silent = silent && (await this.#context.server.isSilent(ms));
    if (silent && this.#mayLose()) this.#loseTouch(true);
  }

  /** Returns whether something could be lost now. */
  #mayLose(): boolean {
    const { page, unsaved } = this.#document;
    return this.#isInUse() && (unsaved.any() || page.heartbeat.unusedMs() < IN_USE_MS);
  }

  /** Returns whether the user may be typing. */
  #isInUse(): boolean {
    const isSeen = document.visibilityState === 'visible' && !this.#document.page.heartbeat.isIdle();
    return isSeen && this.#isOpen() && this.#context.state.isEditing();
  }

  /** A document that was closed since nobody used it has no connection to lose. */
  #isOpen(): boolean {
    return this.#context.state.status === 'loaded' && !this.#away && !this.#document.page.isAsleep();
  }

  #loseTouch(silent: boolean): void {
    if (this.#away || this.#document.page.isAsleep()) return;
    this.#isSilent = silent;
    this.#document.onLost({ reason: 'unreachable' });
  }

  #lost(): SVC.EditorError {
    return editorError('network_error', this.#context.texts.ended);
  }

  async #reconnect(away: Deferred<void>, wasTold: boolean, text = this.#context.texts.reopening): Promise<void> {
    let isTold = wasTold;
    const tell = (): void => {
      if (!isTold && this.#away === away) this.#document.reportError(this.#lost());
      isTold = true;
    };
    await this.#ready;
    const since = Date.now();
    let longest = LONGEST_MS;
    let tries = 0;
    let tried = 0;
    let wasSilent = false;
    const { page } = this.#document;
    for (let ms = 0; ; ms = Math.min(Math.max(ms * 2, FIRST_MS), longest)) {
      // Time without an answer counts as waiting.
      if (ms > 0) await this.#pause(ms * (0.75 + Math.random() / 2) - (Date.now() - tried));
      const ready = this.#ready;
      await Promise.all([ready, page.frame.usable()]);
      if (this.#away !== away) return;
      tried = Date.now();
      try {
        const session = await this.#ask();
        if (await this.#resume()) return this.#finish(away, true);
        // Where the service answers at once, the page that is shown reconnects too, which keeps the document open.
        const options = { patience: getPatience(tries++, wasSilent), text, keep: ms === 0 };
        const isDue = this.#away === away && this.#ready === ready && !this.#document.isRemoved();
        if (isDue && (await page.reopen(session, options))) return this.#finish(away, false);
        // The first may have been interrupted.
        if (tries > 1) tell();
        longest = tried - since > LONG_MS ? LONGEST_LATER_MS : LONGEST_EDITOR_MS;
      } catch (thrown) {
        const error = asEditorError(thrown);
        wasSilent ||= Date.now() - tried >= SILENT_MS;
        if (isFinal(error) && this.#away === away) return this.#document.failToLoad(error);
        tell();
        longest = Date.now() - since > LONG_MS ? LONGEST_LATER_MS : LONGEST_MS;
      }
    }
  }

  /** Asks the server whether it is there; now and then for the session's place, which may be taken by now, or free again. */
  async #ask(): Promise<Session> {
    const { session } = this.#context.state;
    const { server } = this.#context;
    if (!session) throw notLoaded();
    await server.probe(session);
    const now = Date.now();
    if (now - this.#renewedAt <= RENEW_MS) return session;
    const granted = await server.setMode(session, session.requested_mode);
    this.#document.enter(granted);
    this.#renewedAt = now;
    return granted;
  }

  /** Goes on with the page that is shown, if its connection has outlived a short silence: all that was typed has arrived. */
  async #resume(): Promise<boolean> {
    const { page, saving } = this.#document;
    const tries = this.#isSilent && this.#context.state.isEditing() && page.isLoaded();
    this.#isSilent = false;
    if (!tries || !(await saving.prove(RESUME_MS)) || !page.isLoaded() || !this.#away) return false;
    page.resume();
    return true;
  }

  /** Resolves after so many milliseconds, or at a sign that it may succeed now. */
  async #pause(ms: number): Promise<void> {
    await Promise.race([pause(ms), new Promise<void>((resolve) => (this.#hasten = resolve))]);
  }

  #finish(away: Deferred<void>, resumed: boolean): void {
    if (this.#away !== away) return;
    this.#away = undefined;
    const { unsaved, saving } = this.#document;
    const before = this.#before;
    this.#before = undefined;
    if (!resumed) {
      unsaved.reset();
      saving.onBack(before?.baseline);
    }
    if (before?.unsaved && !saving.isPending()) this.#document.saveSoon();
    away.resolve();
  }
}
