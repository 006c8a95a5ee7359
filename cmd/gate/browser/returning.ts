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
  /**
   * Opens the document in a page behind the one that is shown; resolves with whether it did open.
   * @param patience milliseconds that the service has to answer
   */
  reopen(patience: number): Promise<boolean>;
  onBack(): void;
  /** The session has ended: there is no way back. */
  onOver(error: SVC.EditorError): void;
}

const WAIT_MS = 30_000;
/** The place of a session without a connection is kept for 120 s (contract: Cap). */
const RENEW_MS = 60_000;
const FIRST_MS = 300;
const LONGEST_MS = 2_000;
/** While the server answers and its editor does not. */
const LONGEST_EDITOR_MS = 5_000;
/** After so long away, pauses are longer. */
const LONG_MS = 120_000;
const LONGEST_LATER_MS = 15_000;
/** A browser keeps some connections to a server; that they are dead it finds out one by one. */
const DEAD_CONNECTIONS = 8;
const PATIENCE_MS = 5_000;
const LONG_PATIENCE_MS = 30_000;

export function createReturning(options: ReturningOptions): Returning {
  let away: Deferred<void> | undefined;
  let hasten: () => void = () => {};
  const onOnline = (): void => hasten();
  window.addEventListener('online', onOnline);

  async function comeBack(mine: Deferred<void>, since: number): Promise<void> {
    let longest = LONGEST_MS;
    let tries = 0;
    for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, longest)) {
      await passOrOnline(pause * (0.5 + Math.random() / 2));
      if (away !== mine) return;
      try {
        const elapsed = Date.now() - since;
        await (elapsed > RENEW_MS ? options.renew() : options.probe());
        if (away === mine && (await options.reopen(tries++ < DEAD_CONNECTIONS ? PATIENCE_MS : LONG_PATIENCE_MS))) {
          return finish(mine);
        }
        longest = elapsed > LONG_MS ? LONGEST_LATER_MS : LONGEST_EDITOR_MS;
      } catch (thrown) {
        const error = asEditorError(thrown);
        if (isFinal(error)) return over(mine, error);
        longest = Date.now() - since > LONG_MS ? LONGEST_LATER_MS : LONGEST_MS;
      }
    }
  }

  function passOrOnline(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      hasten = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function finish(mine: Deferred<void>): void {
    if (away !== mine) return;
    away = undefined;
    options.onBack();
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
      window.removeEventListener('online', onOnline);
    },
  };
}
