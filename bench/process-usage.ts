import { readFileSync } from 'node:fs';

/** The kernel's clock ticks a second (sysconf(3), _SC_CLK_TCK), on every Linux that Node runs on. */
const HZ = 100;

/**
 * Seconds of CPU time that a process has used (proc(5)), in its own code and in the kernel. What a neighbour on the host
 * took is not in it.
 */
export function cpuSeconds(pid: number | undefined): number {
  // The fields after the name, which is in brackets, begin with the third.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / HZ;
}

/** Resident memory of a process in bytes (proc(5), status). */
export function residentBytes(pid: number | undefined): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}
