/** How long the next editor waits for it. */
const WAIT_MS = 1_000;
/** Sessions of this page's editors that have gone, on their way back to the server. */
const underWay = new Set<Promise<unknown>>();

/** A session is being given back. */
export function goesBack(work: Promise<unknown>): void {
  const done = work.catch(() => {}).finally(() => underWay.delete(done));
  underWay.add(done);
}

/**
 * Resolves when the server has them, or after a moment: whoever opens an editor in the place of another may need just
 * that one's place. Never at once: a framework may make an editor only to take it away again (React in StrictMode).
 */
export async function allBack(): Promise<void> {
  if (underWay.size === 0) return;
  await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, WAIT_MS))]);
}
