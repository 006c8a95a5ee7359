import { Timer } from './async.ts';
import { editorError, explainSilence } from './errors.ts';
import type { Context } from './state.ts';

const SILENCE_MS = 10_000;
/** The most connections that a browser keeps to a server. */
const CONNECTIONS = 6;
/** Time for an opening that has failed to succeed after all. */
const RETRY_MS = 30_000;
/** Contract: Browser events. */
export const LOAD_MS = 120_000;

/** Watches over the first opening of a document. */
export class Loading {
  readonly #context: Pick<Context, 'origin' | 'texts'>;
  readonly #onFail: (error: SVC.EditorError) => void;
  #hint: string | undefined;
  readonly #silence = new Timer();
  readonly #limit = new Timer();

  constructor(context: Pick<Context, 'origin' | 'texts'>, onFail: (error: SVC.EditorError) => void) {
    this.#context = context;
    this.#onFail = onFail;
  }

  /** The document is asked for. */
  start(): void {
    this.#limit.start(LOAD_MS, () => this.fail({ reason: 'timeout' }));
  }

  /** The page was requested: it should say something soon. */
  onRequested(): void {
    this.#silence.start(SILENCE_MS, () => {
      // A frame that was refused looks like any other to the page around it.
      this.#hint =
        `the editor's page has said nothing for ${SILENCE_MS / 1000} s: ` +
        `${explainSilence(this.#context.origin, 'frame-src and form-action')} Does the editor server's policy name ` +
        `${location.host} in frame-ancestors, and is this page without a Cross-Origin-Embedder-Policy?`;
      // biome-ignore lint/suspicious/noConsole: the console is where a portal's developer looks at a blank frame
      console.warn(`SVC.Editor: ${this.#hint}`);
    });
  }

  /** The page has said something. */
  onMessage(): void {
    this.#silence.stop();
    this.#hint = undefined;
  }

  fail(detail: Record<string, unknown>): void {
    this.stop();
    const { loadFailed } = this.#context.texts;
    this.#onFail(editorError('load_failed', loadFailed, { ...detail, ...(this.#hint && { hint: this.#hint }) }));
  }

  /** The opening has failed, and is tried again for a while. */
  failLater(detail: Record<string, unknown>): void {
    this.#limit.start(RETRY_MS, () => this.fail(detail));
  }

  /** @returns whether it was under way */
  stop(): boolean {
    const wasUnderWay = this.#limit.isRunning();
    this.#silence.stop();
    this.#limit.stop();
    return wasUnderWay;
  }
}

/**
 * Returns how long an opening may take. A browser finds out one by one that its connections are dead: where they may be, an
 * opening that is not answered is tried again at once until all have had their turn, otherwise later and later, for a
 * service that is only slow.
 */
export function getPatience(tries: number, wasSilent: boolean): number {
  return wasSilent && tries < CONNECTIONS ? 2_000 : Math.min(5_000 + tries * 1_250, 30_000);
}
