import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from './atomic.ts';
import { type ProcessIdentity, processIdentity } from './process-identity.ts';

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
