/** Returns what a promise rejects with, undefined when it resolves. */
export function failure(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error) => error,
  );
}
