/** The time that a new editor waits for the sessions of editors that are gone. */
const WAIT_MS = 1_000;
/** The time that `close()` waits for the server to forget the session. */
const CLOSE_MS = 5_000;
/** Requests that remove the sessions of this page's former editors. */
const pending = new Set<Promise<unknown>>();

/** Keeps track of a request that removes a session, until it is done. */
export function trackRelease(work: Promise<unknown>): void {
  const done = work.catch(() => {}).finally(() => pending.delete(done));
  pending.add(done);
}

/** Tracks a release and waits for it, or for a while. */
export async function awaitRelease(work: Promise<unknown>): Promise<void> {
  trackRelease(work);
  await atMost(CLOSE_MS, work);
}

/**
 * Resolves when all tracked releases are done, or after a moment: a new editor may need just the place of the one before it.
 * Never resolves at once: a framework may create an editor only to remove it again (React in StrictMode).
 */
export async function awaitReleases(): Promise<void> {
  if (pending.size === 0) return;
  await atMost(WAIT_MS, Promise.all(pending));
}

/** Resolves when the work has settled, or after so many milliseconds. */
function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ms))]);
}
