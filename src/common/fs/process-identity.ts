import { readFileSync } from 'node:fs';

/** A process, distinguished from a later one with the same id by its start time (clock ticks since boot). */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
}

/** The living process with this id, from /proc (proc_pid_stat(5)); undefined when there is none. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [fields[0], fields[19]];
    return startTime === undefined || state === 'Z' ? undefined : { pid, startTime };
  } catch {
    return undefined;
  }
}
