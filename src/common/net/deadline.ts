/** A signal that aborts after a time, or with an outer signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Clears the timer, which keeps the process alive. */
  end(): void;
}

/** Starts a deadline. @param late makes the signal's reason when time is up; an outer abort has its own reason */
export function startDeadline(milliseconds: number, late: () => Error, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const stop = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(late()), milliseconds);
  if (outer?.aborted) stop();
  else outer?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', stop);
    },
  };
}

/** Runs work with a deadline. */
export async function withDeadline<T>(
  milliseconds: number,
  late: () => Error,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, end } = startDeadline(milliseconds, late, outer);
  try {
    return await work(signal);
  } finally {
    end();
  }
}

/** Settles as `work` does, or rejects with the reason of the signal; `work` then goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
