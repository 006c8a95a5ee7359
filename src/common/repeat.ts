/**
 * Milliseconds between looks at a file that somebody may change: Secrets and ConfigMaps that are mounted change by a link
 * above the file, and some file systems have no events.
 */
export const FILE_LOOK_MS = 1_000;

/**
 * Does something again and again, `ms` milliseconds after it last ended, so that it never runs beside itself.
 * @param action does not reject
 * @returns ends it; resolves when what runs has ended
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
