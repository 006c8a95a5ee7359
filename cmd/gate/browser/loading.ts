import { type Deferred, defer } from './defer.ts';
import { editorError } from './errors.ts';
import type { Texts } from './texts.ts';

const SILENCE_MS = 10_000;
/** Contract: Browser events. */
const LOAD_MS = 120_000;

export interface LoadingOptions {
  /** Origin of the service. */
  origin: string;
  texts: Texts;
  onFail(error: SVC.EditorError): void;
}

/** Watches over the opening of a document. */
export class Loading {
  readonly #options: LoadingOptions;
  #opened: Deferred<void> = defer();
  #hint: string | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LoadingOptions) {
    this.#options = options;
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
      this.#hint = describeSilence(this.#options.origin);
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
    const { texts, onFail } = this.#options;
    const error = editorError('load_failed', texts.loadFailed, { ...detail, ...(this.#hint && { hint: this.#hint }) });
    this.stop(error);
    onFail(error);
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

/** Explains a silent page. A frame that was refused looks like any other to the page around it: only its silence is seen. */
function describeSilence(origin: string): string {
  return (
    `the editor's page has said nothing for ${SILENCE_MS / 1000} s. ` +
    `Does the editor server's Content-Security-Policy name ${location.host} in frame-ancestors ` +
    `(the service's SVC_EMBED_ALLOWED_ORIGINS must have ${location.origin}), ` +
    `and does the policy of this page name ${origin} in frame-src and form-action?`
  );
}
