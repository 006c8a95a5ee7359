/**
 * A stopwatch for work that must not take longer than its length bounds: it counts what this process uses of the processors,
 * whatever its neighbours do meanwhile.
 * @returns milliseconds since the call
 */
export function processorTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
