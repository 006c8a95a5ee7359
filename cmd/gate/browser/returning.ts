import { type Deferred, defer } from './defer.ts';
import { asEditorError, editorError, isFinal } from './errors.ts';
import type { Texts } from './texts.ts';

/** Gets back to a document whose page has lost it. */
export interface Returning {
  /** The page has lost its document: tries until it is back. */
  lost(): void;
  isAway(): boolean;
  /** Resolves when the document is there, at once if it is. @throws {SVC.EditorError} `network_error` after 30 s */
  back(): Promise<void>;
  /** Stops trying: the document is opened in another way. */
  cancel(): void;
  stop(): void;
}

export interface ReturningOptions {
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
  /** @param resumed it is the same page */
  onBack(resumed: boolean): void;
  /** The session has ended: there is no way back. */
  onOver(error: SVC.EditorError): void;
}

const WAIT_MS = 30_000;
/** The place of a session without a connection is kept for 120 s (contract: Cap). */
const RENEW_MS = 60_000;
const FIRST_MS = 300;
const LONGEST_MS = 1_000;
/** While the server answers and its editor does not. */
const LONGEST_EDITOR_MS = 5_000;
/** After so long away, pauses are longer. */
const LONG_MS = 120_000;
const LONGEST_LATER_MS = 15_000;
/** A question that was not answered for so long got lost: connections may be dead without the browser knowing. */
const SILENT_MS = 1_500;
/** The most that a browser keeps to a server. */
const CONNECTIONS = 6;

/**
 * A browser finds out one by one that its connections are dead: where they may be, an opening that is not answered is
 * tried again at once until all have had their turn, otherwise later and later, for a service that is only slow.
 */
function patienceOf(tries: number, isSilent: boolean): number {
  return isSilent && tries < CONNECTIONS ? 2_000 : Math.min(5_000 + tries * 1_250, 30_000);
}

export function createReturning(options: ReturningOptions): Returning {
  let away: Deferred<void> | undefined;
  let hasten: () => void = () => {};
  // Somebody is back at the page, or the machine is back in its network.
  const onReturn = (): void => hasten();
  const signs: [EventTarget, string][] = [
    [window, 'online'],
    [window, 'focus'],
    [document, 'visibilitychange'],
  ];
  for (const [target, name] of signs) target.addEventListener(name, onReturn);

  async function comeBack(mine: Deferred<void>, since: number): Promise<void> {
    let longest = LONGEST_MS;
    let tries = 0;
    let tried = 0;
    let isSilent = false;
    for (let pause = 0; ; pause = Math.min(Math.max(pause * 2, FIRST_MS), longest)) {
      // What was not answered has been waited for already.
      if (pause > 0) await passOrReturn(pause * (0.75 + Math.random() / 2) - (Date.now() - tried));
      if (away !== mine) return;
      tried = Date.now();
      try {
        const elapsed = tried - since;
        await (elapsed > RENEW_MS ? options.renew() : options.probe());
        if (await options.resume()) return finish(mine, true);
        // Where the service was there at once, the page finds back to it as well, and so keeps the document open.
        if (away === mine && (await options.reopen(patienceOf(tries++, isSilent), pause === 0)))
          return finish(mine, false);
        longest = elapsed > LONG_MS ? LONGEST_LATER_MS : LONGEST_EDITOR_MS;
      } catch (thrown) {
        const error = asEditorError(thrown);
        isSilent ||= Date.now() - tried >= SILENT_MS;
        if (isFinal(error)) return over(mine, error);
        longest = Date.now() - since > LONG_MS ? LONGEST_LATER_MS : LONGEST_MS;
      }
    }
  }

  function passOrReturn(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      hasten = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function finish(mine: Deferred<void>, resumed: boolean): void {
    if (away !== mine) return;
    away = undefined;
    options.onBack(resumed);
    mine.resolve();
  }

  function over(mine: Deferred<void>, error: SVC.EditorError): void {
    if (away !== mine) return;
    away = undefined;
    mine.reject(error);
    options.onOver(error);
  }

  function cancel(): void {
    away?.resolve();
    away = undefined;
    hasten();
  }

  return {
    lost() {
      if (away) return;
      away = defer();
      void comeBack(away, Date.now());
    },
    isAway: () => away !== undefined,
    async back() {
      if (!away) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(editorError('network_error', options.texts.ended)), WAIT_MS);
      });
      await Promise.race([away.promise, late]).finally(() => clearTimeout(timer));
    },
    cancel,
    stop() {
      cancel();
      for (const [target, name] of signs) target.removeEventListener(name, onReturn);
    },
  };
}
