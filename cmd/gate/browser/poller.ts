import { Timer } from './async.ts';
import { asEditorError, isFinal, isUnreachable } from './errors.ts';
import type { SessionState } from './server.ts';
import type { UnsavedChanges } from './unsaved-changes.ts';

/** A document whose state the server knows (open-document.ts). */
export interface KnownDocument {
  readonly unsaved: UnsavedChanges;
  readonly recovery: { isAway(): boolean; doubt(): void };
  askState(): Promise<SessionState>;
  onState(state: SessionState): void;
  isRemoved(): boolean;
  reportError(error: SVC.EditorError): void;
}

const HURRY_MS = 35_000;
const SHORTEST_MS = 250;
const LONGEST_MS = 2_000;
const NUDGES_MS = [1_000, 11_000];
/** While there are changes that are not stored, so that a version may come. */
const EXPECTING_MS = 10_000;
const IDLE_MS = 30_000;
/** The failure in a row that is reported; no other is until the server answers again. */
const FAILURES = 3;

/** Asks the server for the session's state again and again: a save is known only from there. */
export class StatePoller {
  readonly #document: KnownDocument;
  readonly #timer = new Timer();
  #hurryUntil = 0;
  #pause = SHORTEST_MS;
  #nudges: number[] = [];
  #failures = 0;
  #isAsking = false;
  /** A question is to be asked at once. */
  #isDue = false;
  #isRunning = false;

  constructor(document: KnownDocument) {
    this.#document = document;
  }

  start(): void {
    this.#isRunning = true;
    this.#schedule();
  }

  /** Asks at once, and often for a while, since news is expected. */
  hurry(): void {
    this.#hurryUntil = Date.now() + HURRY_MS;
    this.#pause = SHORTEST_MS;
    this.#schedule();
  }

  /**
   * Asks soon, and again when the server has had time to see it: people have come or gone.
   * @param atOnce whether to ask before that as well; no later call puts that off
   */
  nudge(atOnce = false): void {
    this.#isDue ||= atOnce;
    this.#nudges = [...(this.#isDue ? [0] : []), ...NUDGES_MS];
    if (Date.now() >= this.#hurryUntil) this.#schedule();
  }

  stop(): void {
    this.#isRunning = false;
    this.#timer.stop();
  }

  #schedule(): void {
    if (this.#isRunning && !this.#isAsking) this.#timer.start(this.#nextPause(), () => void this.#ask());
  }

  #nextPause(): number {
    if (Date.now() >= this.#hurryUntil) {
      return this.#nudges.shift() ?? (this.#document.unsaved.any() ? EXPECTING_MS : IDLE_MS);
    }
    const pause = this.#pause;
    this.#pause = Math.min(pause * 1.5, LONGEST_MS);
    return pause;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    this.#isDue = false;
    const document = this.#document;
    try {
      if (!document.isRemoved() && !document.recovery.isAway()) {
        const state = await document.askState();
        this.#failures = 0;
        if (this.#isRunning) document.onState(state);
      }
    } catch (error) {
      if (this.#isRunning) this.#fail(asEditorError(error));
    }
    this.#isAsking = false;
    this.#schedule();
  }

  #fail(error: SVC.EditorError): void {
    const { recovery } = this.#document;
    this.#failures += 1;
    const final = isFinal(error);
    if (final) this.stop();
    // The editor's page may have lost its document as well.
    if (this.#failures === 1 && isUnreachable(error)) recovery.doubt();
    if ((final || this.#failures === FAILURES) && !recovery.isAway()) this.#document.reportError(error);
  }
}
