export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** Returns a promise with its two ends. An unhandled rejection is not an error of the page. */
export function defer<Value>(): Deferred<Value> {
  const deferred = {} as Deferred<Value>;
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  deferred.promise.catch(() => {});
  return deferred;
}

/** Returns a function that runs works one after the other, each whether or not the one before succeeded. */
export function createQueue(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

/** The life of something that ends once. */
export class Lifetime {
  readonly #error: () => Error;
  readonly #ended = defer<never>();
  #over = false;

  /** @param error makes the error of all that is begun too late, or not done in time */
  constructor(error: () => Error) {
    this.#error = error;
  }

  isOver(): boolean {
    return this.#over;
  }

  /** Does the work unless it is over, and waits for it until it is. */
  run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#over) return Promise.reject(this.#error());
    const result = Promise.race([work(), this.#ended.promise]);
    // A caller that does not wait for it learns from onError.
    result.catch(() => {});
    return result;
  }

  end(): void {
    this.#over = true;
    // After callers whose work has just been done.
    setTimeout(() => this.#ended.reject(this.#error()));
  }
}
