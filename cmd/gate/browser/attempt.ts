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
