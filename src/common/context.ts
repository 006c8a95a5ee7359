import { AsyncLocalStorage } from 'node:async_hooks';

/** Members of every log line of a request or job. */
export interface Context {
  requestId?: string;
  jobId?: string;
  /** Name or subject of the caller. */
  caller?: string;
}

const storage = new AsyncLocalStorage<Context>();

/** Runs `work` with further members of the context. */
export function withContext<T>(context: Context, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** Adds members to the current context. */
export function addContext(context: Context): void {
  const current = storage.getStore();
  if (current) Object.assign(current, context);
}

/** Returns the current context; empty outside of a request or job. */
export function currentContext(): Readonly<Context> {
  return storage.getStore() ?? {};
}
