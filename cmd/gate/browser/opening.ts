import { type Deferred, defer } from './async.ts';
import { editorError } from './errors.ts';
import type { Context } from './state.ts';

const SILENCE_MS = 10_000;
/** The most connections that a browser keeps to a server. */
const CONNECTIONS = 6;
/** Contract: Browser events. */
export const LOAD_MS = 120_000;

/** Watches over the opening of a document. */
export class Loading {
  readonly #context: Pick<Context, 'origin' | 'texts'>;
  readonly #onFail: (error: SVC.EditorError) => void;
  #opened: Deferred<void> = defer();
  #hint: string | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;

  constructor(context: Pick<Context, 'origin' | 'texts'>, onFail: (error: SVC.EditorError) => void) {
    this.#context = context;
    this.#onFail = onFail;
  }

  /** Begins the time of a document that is to be opened. */
  begin(): void {
    this.#clear();
    const before = this.#opened;
    this.#opened = defer();
    // Whoever still waits for a document that is opened anew waits for this.
    this.#opened.promise.then(before.resolve, before.reject);
    this.#hint = undefined;
    this.#limit = setTimeout(() => this.fail({ reason: 'timeout' }), LOAD_MS);
  }

  /** The page was requested: it should say something soon. */
  onRequested(): void {
    this.#silence = setTimeout(() => {
      this.#hint = describeSilence(this.#context.origin);
      // biome-ignore lint/suspicious/noConsole: the console is where a portal's developer looks at a blank frame
      console.warn(`SVC.Editor: ${this.#hint}`);
    }, SILENCE_MS);
  }

  /** The page has said something. */
  onMessage(): void {
    clearTimeout(this.#silence);
    this.#hint = undefined;
  }

  done(): void {
    this.#clear();
    this.#opened.resolve();
  }

  fail(detail: Record<string, unknown>): void {
    const { loadFailed } = this.#context.texts;
    const error = editorError('load_failed', loadFailed, { ...detail, ...(this.#hint && { hint: this.#hint }) });
    this.stop(error);
    this.#onFail(error);
  }

  /** Settles when the document that was opened last is there, or will not be. */
  wait(): Promise<void> {
    return this.#opened.promise;
  }

  stop(error: unknown): void {
    this.#clear();
    this.#opened.reject(error);
  }

  #clear(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
  }
}

export interface OpeningAttemptOptions {
  /** Milliseconds that it has at first. */
  patience: number;
  /** Returns milliseconds that it gets when these are over. */
  extend(): number;
  /** Called once. */
  onEnd(ok: boolean): void;
}

/** One opening of a document that may fail silently. */
export class OpeningAttempt {
  readonly #onEnd: (ok: boolean) => void;
  #timer: ReturnType<typeof setTimeout>;
  #ended = false;

  constructor({ patience, extend, onEnd }: OpeningAttemptOptions) {
    this.#onEnd = onEnd;
    this.#timer = setTimeout(() => {
      const ms = extend();
      if (ms > 0) this.limit(ms);
      else this.end(false);
    }, patience);
  }

  /** Gives it so many milliseconds from now on. */
  limit(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(() => this.end(false), ms);
  }

  end(ok: boolean): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(ok);
  }
}

/** Explains a silent page. A frame that was refused looks like any other to the page around it: only its silence is seen. */
function describeSilence(origin: string): string {
  return (
    `the editor's page has said nothing for ${SILENCE_MS / 1000} s. ` +
    `Does the editor server's Content-Security-Policy name ${location.host} in frame-ancestors ` +
    `(the service's SVC_EMBED_ALLOWED_ORIGINS must have ${location.origin}), ` +
    `and does the policy of this page name ${origin} in frame-src and form-action?`
  );
}

/**
 * Returns how long an opening may take. A browser finds out one by one that its connections are dead: where they may be, an
 * opening that is not answered is tried again at once until all have had their turn, otherwise later and later, for a
 * service that is only slow.
 */
export function getPatience(tries: number, wasSilent: boolean): number {
  return wasSilent && tries < CONNECTIONS ? 2_000 : Math.min(5_000 + tries * 1_250, 30_000);
}
