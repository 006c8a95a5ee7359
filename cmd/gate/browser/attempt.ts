/** One opening of a document that may fail without a word. */
export interface Attempt {
  /** From now on it has so many milliseconds. */
  within(ms: number): void;
  end(ok: boolean): void;
}

/** @param onEnd called once @param ms how long it has at first */
export function createAttempt(ms: number, onEnd: (ok: boolean) => void): Attempt {
  let ended = false;
  let timer = setTimeout(() => end(false), ms);

  function end(ok: boolean): void {
    clearTimeout(timer);
    if (ended) return;
    ended = true;
    onEnd(ok);
  }

  return {
    within(later) {
      clearTimeout(timer);
      if (!ended) timer = setTimeout(() => end(false), later);
    },
    end,
  };
}
