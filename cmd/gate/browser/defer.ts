export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** A promise and its two ends. An unhandled rejection is not an error of the page. */
export function defer<Value>(): Deferred<Value> {
  const deferred = {} as Deferred<Value>;
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  deferred.promise.catch(() => {});
  return deferred;
}

/** Runs works one after the other, each whether or not the one before went well. */
export function createQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** What ends once. */
export interface Ending {
  isOver(): boolean;
  /** Does the work unless it has ended, and waits for it until it ends. @throws what `createEnding` was given */
  unlessOver<Value>(work: () => Promise<Value>): Promise<Value>;
  end(): void;
}

/** @param error of all that is begun too late, or not done in time */
export function createEnding(error: () => Error): Ending {
  const ended = defer<never>();
  let isOver = false;
  return {
    isOver: () => isOver,
    unlessOver(work) {
      if (isOver) return Promise.reject(error());
      const result = Promise.race([work(), ended.promise]);
      // Whoever does not wait for it learns from onError.
      result.catch(() => {});
      return result;
    },
    end() {
      isOver = true;
      // After those whose work has just been done.
      setTimeout(() => ended.reject(error()));
    },
  };
}
