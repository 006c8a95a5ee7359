export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/** A promise and its two ends. A rejection that nobody looks at is no error of the page. */
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
