import type { EditorMessage, Frame } from './frame.ts';

const INTERVAL_MS = 2_000;

/**
 * Finds out whether the editor's page still has its document. It asks one thing that only a page with an open document
 * answers, then one that is answered in any state (seen with Collabora Online 25.04.9). So a page that is only busy is
 * never taken for one that has lost its document. It costs no request: the page answers by itself.
 */
export class Heartbeat {
  readonly #frame: Frame;
  readonly #onLost: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasDocument = false;
  #idle = false;
  #lastNews = Date.now();
  #lastUse = 0;

  /** @param onLost the page answers, but has lost its document */
  constructor(frame: Frame, onLost: () => void) {
    this.#frame = frame;
    this.#onLost = onLost;
  }

  start(): void {
    this.stop();
    [this.#hasDocument, this.#idle] = [false, false];
    this.#timer = setInterval(() => this.ask(), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Asks now. */
  ask(): void {
    if (this.#timer === undefined) return;
    this.#frame.post('Get_Views');
    this.#frame.post('Get_User_State');
  }

  onMessage({ MessageId: id, Values: values }: EditorMessage): void {
    if (id === 'Get_Views_Resp') this.#hasDocument = true;
    else if (id !== 'Get_User_State_Resp') this.#lastNews = Date.now();
    if (id === 'User_Idle') this.#idle = true;
    if (id !== 'Get_User_State_Resp') return;
    this.#idle = values['State'] === 'idle';
    this.#lastUse = Date.now() - 1_000 * Number(values['Elapsed'] ?? Number.POSITIVE_INFINITY);
    if (!this.#hasDocument && this.#timer !== undefined) this.#onLost();
    this.#hasDocument = false;
  }

  /** Milliseconds since the page last sent anything but an answer to these questions. */
  quietMs(): number {
    return Date.now() - this.#lastNews;
  }

  /** Returns whether the page sleeps, because nobody has used it for long: then it passes on nothing but what wakes it. */
  isIdle(): boolean {
    return this.#idle;
  }

  /** Milliseconds since the user used keys or mouse in the page. */
  unusedMs(): number {
    return Date.now() - this.#lastUse;
  }
}
