/** Milliseconds of CPU time that this thread has taken so far. */
export function threadTaken(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of CPU time that this thread, and no other, takes meanwhile. */
export async function threadTime(work: () => unknown): Promise<number> {
  const before = threadTaken();
  await work();
  return threadTaken() - before;
}
