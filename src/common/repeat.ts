/**
 * Milliseconds between looks at a file that somebody may change: Secrets and ConfigMaps that are mounted change by a link
 * above the file, and some file systems have no events.
 */
export const FILE_LOOK_MS = 1_000;

/**
 * Does something again and again, `ms` milliseconds after it last ended, so that it never runs beside itself.
 * @param action does not reject
 * @returns ends it; what runs is not waited for
 */
export function repeat(ms: number, action: () => Promise<void>): () => void {
  let stopped = false;
  const plan = (): NodeJS.Timeout =>
    setTimeout(async () => {
      await action();
      if (!stopped) timer = plan();
    }, ms);
  let timer = plan();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
