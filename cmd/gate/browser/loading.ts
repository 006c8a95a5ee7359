import { type Deferred, defer } from './defer.ts';
import { editorError } from './errors.ts';
import type { Texts } from './texts.ts';

/** Watches over the opening of a document. */
export interface Loading {
  /** A document is to be opened: its time begins. */
  begin(): void;
  /** Its page was asked for. */
  asked(): void;
  /** The page has said something. */
  heard(): void;
  done(): void;
  fail(detail: Record<string, unknown>): void;
  /** Settles when the document is there, or will not be. */
  wait(): Promise<void>;
  stop(error: unknown): void;
}

const SILENCE_MS = 10_000;
/** Contract: Browser events. */
const LOAD_MS = 120_000;

export interface LoadingOptions {
  /** Origin of the service. */
  origin: string;
  texts: Texts;
  onFail(error: SVC.EditorError): void;
}

export function createLoading({ origin, texts, onFail }: LoadingOptions): Loading {
  let opened: Deferred<void> = defer();
  let hint: string | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let limit: ReturnType<typeof setTimeout> | undefined;

  function fail(detail: Record<string, unknown>): void {
    halt();
    const error = editorError('load_failed', texts.loadFailed, { ...detail, ...(hint && { hint }) });
    opened.reject(error);
    onFail(error);
  }

  function halt(): void {
    clearTimeout(silence);
    clearTimeout(limit);
  }

  return {
    begin() {
      halt();
      const before = opened;
      opened = defer();
      // Whoever still waits for a document that is opened anew waits for this.
      opened.promise.then(before.resolve, before.reject);
      hint = undefined;
      limit = setTimeout(() => fail({ reason: 'timeout' }), LOAD_MS);
    },
    asked() {
      silence = setTimeout(() => {
        hint = silenceHint(origin);
        // biome-ignore lint/suspicious/noConsole: the console is where a portal's developer looks at a blank frame
        console.warn(`SVC.Editor: ${hint}`);
      }, SILENCE_MS);
    },
    heard() {
      clearTimeout(silence);
      hint = undefined;
    },
    done() {
      halt();
      opened.resolve();
    },
    fail,
    wait: () => opened.promise,
    stop(error) {
      halt();
      opened.reject(error);
    },
  };
}

/** A frame that was refused looks like any other to the page around it: only its silence is seen. */
function silenceHint(origin: string): string {
  return (
    `the editor's page has said nothing for ${SILENCE_MS / 1000} s. ` +
    `Does the editor server's Content-Security-Policy name ${location.host} in frame-ancestors ` +
    `(the service's SVC_EMBED_ALLOWED_ORIGINS must have ${location.origin}), ` +
    `and does the policy of this page name ${origin} in frame-src and form-action?`
  );
}
