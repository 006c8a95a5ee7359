import { AsyncLocalStorage } from 'node:async_hooks';

/** Members that every log line of a request or job carries. */
export interface Context {
  requestId?: string;
  jobId?: string;
  /** Name or subject of the caller, never the key itself. */
  caller?: string;
}

const storage = new AsyncLocalStorage<Context>();

/** Runs `work` so that log lines written in it carry `context` on top of what is already there. */
export function withContext<T>(context: Context, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** Adds to the context of the request or job that is running. */
export function addContext(context: Context): void {
  const current = storage.getStore();
  if (current) Object.assign(current, context);
}

/** The context of the request or job that is running; empty outside of one. */
export function currentContext(): Readonly<Context> {
  return storage.getStore() ?? {};
}
