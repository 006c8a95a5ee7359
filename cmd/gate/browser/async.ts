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

/** Work that is done later, once; starting it again puts it off. */
export class Timer {
  #id: ReturnType<typeof setTimeout> | undefined;

  start(ms: number, work: () => void): void {
    this.stop();
    this.#id = setTimeout(() => {
      this.#id = undefined;
      work();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#id);
    this.#id = undefined;
  }

  isRunning(): boolean {
    return this.#id !== undefined;
  }
}

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns 128 random bits in hex: nobody can guess them, and none come twice. */
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
