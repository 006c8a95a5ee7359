import { readFileSync } from 'node:fs';

/** Resident memory of a process in bytes (proc(5), status). */
export function residentBytes(pid: number | undefined): number {
  return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN);
}
