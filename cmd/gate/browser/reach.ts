/** Finds out, while somebody edits, whether anything still gets through to the service. */
export interface Reach {
  stop(): void;
}

export interface ReachOptions {
  /** Whether something could be lost now. */
  isNeeded(): boolean;
  /** Whether nothing at all comes back from the service within so many milliseconds. */
  isSilent(ms: number): Promise<boolean>;
  onSilent(): void;
}

const EVERY_MS = 3_000;
/** The first may go over a connection that is dead alone; the second has time for a new one over a slow line. */
const PATIENCE_MS = [2_000, 3_000];

/**
 * Connections die without anybody being told where packets are lost, as in a lift: the editor's page goes on taking keys
 * for minutes. So a small request goes the same way every three seconds, until two in a row are not answered at all.
 */
export function createReach({ isNeeded, isSilent, onSilent }: ReachOptions): Reach {
  let asking = false;
  const timer = setInterval(() => void look(), EVERY_MS);

  async function look(): Promise<void> {
    if (asking || !isNeeded()) return;
    asking = true;
    let silent = true;
    for (const ms of PATIENCE_MS) silent = silent && (await isSilent(ms));
    asking = false;
    if (silent && isNeeded()) onSilent();
  }

  return { stop: () => clearInterval(timer) };
}
