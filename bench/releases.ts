const pending = new Set<() => Promise<void>>();

/**
 * Keeps in mind how something (a process, a folder) is ended.
 * @returns a function that ends it, once, however often it is called
 */
export function onRelease(end: () => Promise<void>): () => Promise<void> {
  let ending: Promise<void> | undefined;
  const release = (): Promise<void> => {
    pending.delete(release);
    ending ??= end();
    return ending;
  };
  pending.add(release);
  return release;
}

/** Ends what has not been ended yet, the youngest first. */
export async function releaseAll(): Promise<void> {
  for (const release of [...pending].reverse()) await release();
}
