/**
 * Milliseconds between looks at a file that may change: mounted Secrets and ConfigMaps change by a link above the file,
 * and some file systems have no events.
 */
export const FILE_LOOK_MS = 1_000;

/**
 * Repeats an action, `ms` milliseconds after its last end.
 * @param action does not reject
 * @returns stops it; resolves when a running action has ended
 */
export function repeat(ms: number, action: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let running = Promise.resolve();
  const plan = (): NodeJS.Timeout =>
    setTimeout(async () => {
      running = action();
      await running;
      if (!stopped) timer = plan();
    }, ms);
  let timer = plan();
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}
