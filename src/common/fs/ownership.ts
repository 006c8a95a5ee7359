import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from './atomic.ts';

/** A process, distinguished from a later one with the same id by its start time (clock ticks since boot). */
interface ProcessIdentity {
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

/**
 * Writes down which process owns a data folder. A process that is gone, or whose id now is another's, owns nothing.
 * @throws {Error} when another living process owns it
 */
export async function takeOwnership(path: string): Promise<void> {
  const file = join(path, 'owner.json');
  // A power cut may have left it empty; no process that it could name outlived that.
  const owner: ProcessIdentity | undefined = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  const own = processIdentity(process.pid);
  const living = owner && processIdentity(owner.pid);
  if (living && owner.pid !== process.pid && living.startTime === owner.startTime) {
    throw new Error(`${path} is in use by process ${owner.pid}: give each service a data folder of its own`);
  }
  await writeAtomic(file, JSON.stringify(own));
}
