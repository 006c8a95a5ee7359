/** One opening of a document that may fail without a word. */
export interface Attempt {
  /** From now on it has so many milliseconds. */
  within(ms: number): void;
  end(ok: boolean): void;
}

export interface AttemptOptions {
  /** Milliseconds that it has at first. */
  patience: number;
  /** Milliseconds that it gets when these are over. */
  more(): number;
  /** Called once. */
  onEnd(ok: boolean): void;
}

export function createAttempt({ patience, more, onEnd }: AttemptOptions): Attempt {
  let ended = false;
  let timer = setTimeout(() => {
    const ms = more();
    if (ms > 0) within(ms);
    else end(false);
  }, patience);

  function within(ms: number): void {
    clearTimeout(timer);
    if (!ended) timer = setTimeout(() => end(false), ms);
  }

  function end(ok: boolean): void {
    clearTimeout(timer);
    if (ended) return;
    ended = true;
    onEnd(ok);
  }

  return { within, end };
}
