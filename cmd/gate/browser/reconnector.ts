import { type Deferred, defer } from './defer.ts';
import { asEditorError, editorError, isFinal } from './errors.ts';
import type { Texts } from './texts.ts';

export interface ReconnectorOptions {
  texts: Texts;
  /** Asks the server in one small request whether it is there. */
  probe(): Promise<unknown>;
  /** Asks the server for the session's place again, which may be taken by now. */
  renew(): Promise<unknown>;
  /** Goes on with the page that is shown, if it has its document after all; resolves with whether it has. */
  resume(): Promise<boolean>;
  /**
   * Opens the document in a page behind the one that is shown; resolves with whether it did open.
   * @param patience milliseconds that the service has to answer
   * @param keep whether the page that is shown stays connected until then
   */
  reopen(patience: number, keep: boolean): Promise<boolean>;
  /** @param resumed whether it is the same page */
  onBack(resumed: boolean): void;
  /** The session has ended: there is no way back. */
  onOver(error: SVC.EditorError): void;
}

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
/** The most connections that a browser keeps to a server. */
const CONNECTIONS = 6;

/** Gets back to a document whose page has lost it. */
export class Reconnector {
  readonly #options: ReconnectorOptions;
  #away: Deferred<void> | undefined;
  #hasten: () => void = () => {};
  // Somebody is back at the page, or the machine is back in its network.
  readonly #onSign = (): void => this.#hasten();
  readonly #signs: [EventTarget, string][] = [
    [window, 'online'],
    [window, 'focus'],
    [document, 'visibilitychange'],
  ];

  constructor(options: ReconnectorOptions) {
    this.#options = options;
    for (const [target, name] of this.#signs) target.addEventListener(name, this.#onSign);
  }

  /** The page has lost its document: tries until it is back. */
  start(): void {
    if (this.#away) return;
    this.#away = defer();
    void this.#reconnect(this.#away, Date.now());
  }

  isAway(): boolean {
    return this.#away !== undefined;
  }

  /** Resolves when the document is there, at once if it is. @throws {SVC.EditorError} `network_error` after 30 s */
  async wait(): Promise<void> {
    if (!this.#away) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(editorError('network_error', this.#options.texts.ended)), WAIT_MS);
    });
    await Promise.race([this.#away.promise, late]).finally(() => clearTimeout(timer));
  }

  /** Stops trying: the document is opened in another way. */
  cancel(): void {
    this.#away?.resolve();
    this.#away = undefined;
    this.#hasten();
  }

  stop(): void {
    this.cancel();
    for (const [target, name] of this.#signs) target.removeEventListener(name, this.#onSign);
  }

  async #reconnect(away: Deferred<void>, since: number): Promise<void> {
    const options = this.#options;
    let longest = LONGEST_MS;
    let tries = 0;
    let tried = 0;
    let isSilent = false;
    for (let pause = 0; ; pause = Math.min(Math.max(pause * 2, FIRST_MS), longest)) {
      // Time without an answer counts as waiting.
      if (pause > 0) await this.#pause(pause * (0.75 + Math.random() / 2) - (Date.now() - tried));
      if (this.#away !== away) return;
      tried = Date.now();
      try {
        const elapsed = tried - since;
        await (elapsed > RENEW_MS ? options.renew() : options.probe());
        if (await options.resume()) return this.#finish(away, true);
        // A page whose service was there at once finds back to it as well, and so keeps the document open.
        if (this.#away === away && (await options.reopen(getPatience(tries++, isSilent), pause === 0)))
          return this.#finish(away, false);
        longest = elapsed > LONG_MS ? LONGEST_LATER_MS : LONGEST_EDITOR_MS;
      } catch (thrown) {
        const error = asEditorError(thrown);
        isSilent ||= Date.now() - tried >= SILENT_MS;
        if (isFinal(error)) return this.#giveUp(away, error);
        longest = Date.now() - since > LONG_MS ? LONGEST_LATER_MS : LONGEST_MS;
      }
    }
  }

  /** Resolves after so many milliseconds, or at a sign that it may succeed now. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#hasten = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #finish(away: Deferred<void>, resumed: boolean): void {
    if (this.#away !== away) return;
    this.#away = undefined;
    this.#options.onBack(resumed);
    away.resolve();
  }

  #giveUp(away: Deferred<void>, error: SVC.EditorError): void {
    if (this.#away !== away) return;
    this.#away = undefined;
    away.reject(error);
    this.#options.onOver(error);
  }
}

/**
 * Returns how long an opening may take. A browser finds out one by one that its connections are dead: where they may be, an
 * opening that is not answered is tried again at once until all have had their turn, otherwise later and later, for a
 * service that is only slow.
 */
function getPatience(tries: number, isSilent: boolean): number {
  return isSilent && tries < CONNECTIONS ? 2_000 : Math.min(5_000 + tries * 1_250, 30_000);
}
