import type { Context } from 'mocha';

/**
 * Starts something before the first test of the suite around the call, and stops it after the last. Its members are
 * there while tests run.
 */
export function useStarted<Started extends object>(
  start: (context: Context) => Promise<Started>,
  stop: (started: Started) => unknown = () => undefined,
): Started {
  let started: Started | undefined;
  before(async function () {
    started = await start(this);
  });
  after(() => started && stop(started));
  return new Proxy({} as Started, { get: (_, name) => Reflect.get(started as Started, name) });
}
