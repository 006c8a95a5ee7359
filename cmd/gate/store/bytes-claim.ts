import { join } from 'node:path';
import { keptKey } from '../../../src/common/fs/key-file.ts';
import type { SharedText } from '../domain/shared.ts';

/**
 * Claims a shared database for the bytes in a data folder: a gate with another folder would have none of them.
 * @param claim who has claimed it, if anybody
 * @throws {Error} in words for the operator
 */
export async function claimBytes(claim: SharedText, folder: string): Promise<void> {
  const id = (await keptKey(join(folder, 'folder.id'))).toString('hex');
  if (await claim.write(id, 0)) return;
  const { text } = await claim.read(0);
  if (text === id) return;
  throw new Error(
    `the documents' bytes are in another data folder than ${folder}: several gates need SVC_S3_BUCKET beside SVC_DATABASE_URL`,
  );
}
