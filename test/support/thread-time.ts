/** Milliseconds of CPU time that this thread, and no other, takes meanwhile. */
export async function threadTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
