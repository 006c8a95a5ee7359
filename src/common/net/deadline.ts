/** A signal that some time or an outer signal sets off, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the clock. Without it the timer would keep the process alive. */
  end(): void;
}

/**
 * Starts a deadline.
 * @param late makes the reason with which the signal aborts when the time is up; an outer abort keeps its own reason
 */
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

/** Does work until a deadline, as `startDeadline` has it. */
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

/** Settles as `work` does, unless the signal aborts first: then it rejects with its reason, and `work` goes on. */
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
