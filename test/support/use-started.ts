import type { Context } from 'mocha';

/**
 * Starts something before the suite around the call, and stops it afterwards. Its members are there as soon as it is.
 * @param start may skip the suite
 */
export function useStarted<Started extends object>(
  start: (context: Context) => Promise<Started>,
  stop: (started: Started) => unknown = () => undefined,
): Started {
  let started: Started | undefined;
  before(async function () {
    started = await start(this);
  });
  after(async () => {
    if (started) await stop(started);
  });
  return new Proxy({} as Started, { get: (_, name) => Reflect.get(started ?? {}, name) });
}
