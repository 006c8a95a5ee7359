export interface ReachabilityOptions {
  /** Returns whether something could be lost now. */
  isNeeded(): boolean;
  /** Returns whether nothing at all comes back from the service within so many milliseconds. */
  isSilent(ms: number): Promise<boolean>;
  onSilent(): void;
}

const INTERVAL_MS = 3_000;
/** The first may go over a connection that is dead alone; the second has time for a new one over a slow line. */
const PATIENCE_MS = [2_000, 3_000];

/**
 * Finds out, while somebody edits, whether anything still gets through to the service. Connections die without notice where
 * packets are lost, as in a lift: the editor's page goes on taking keys for minutes. So a small request goes the same way
 * every three seconds, until two in a row are not answered at all. @returns a function that stops it
 */
export function watchReachability({ isNeeded, isSilent, onSilent }: ReachabilityOptions): () => void {
  let isAsking = false;

  async function check(): Promise<void> {
    if (isAsking || !isNeeded()) return;
    isAsking = true;
    let silent = true;
    for (const ms of PATIENCE_MS) silent = silent && (await isSilent(ms));
    isAsking = false;
    if (silent && isNeeded()) onSilent();
  }

  const timer = setInterval(() => void check(), INTERVAL_MS);
  return () => clearInterval(timer);
}
