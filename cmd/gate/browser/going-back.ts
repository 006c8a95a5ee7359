/** How long the next editor waits for it. */
const WAIT_MS = 1_000;
/** How long `close()` waits for the server to forget the session. */
const GOODBYE_MS = 5_000;
/** Sessions of this page's editors that have gone, on their way back to the server. */
const underWay = new Set<Promise<unknown>>();

/** A session is being given back. */
export function goesBack(work: Promise<unknown>): void {
  const done = work.catch(() => {}).finally(() => underWay.delete(done));
  underWay.add(done);
}

/** The same, for who waits for it: resolves when the server has it, or after a while. */
export async function givenBack(work: Promise<unknown>): Promise<void> {
  goesBack(work);
  await atMost(GOODBYE_MS, work);
}

/**
 * Resolves when the server has them, or after a moment: whoever opens an editor in the place of another may need just
 * that one's place. Never at once: a framework may make an editor only to take it away again (React in StrictMode).
 */
export async function allBack(): Promise<void> {
  if (underWay.size === 0) return;
  await atMost(WAIT_MS, Promise.all(underWay));
}

/** Resolves when the work is done, well or not, or after so many milliseconds. */
function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ms))]);
}
