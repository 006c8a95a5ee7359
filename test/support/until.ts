/** Calls `probe` again and again until it returns something, and returns that; once more when the time is up. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  ms = 20_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (let isLast = false; !isLast; ) {
    // The machine may have stood still since the one before.
    isLast = Date.now() >= deadline;
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`timed out: ${what}`);
}
