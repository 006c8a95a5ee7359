import { join } from 'node:path';
import { makePrivateDirectory, syncDirectory, writeAtomic } from '../../../src/common/fs/atomic.ts';
import { exists, readIfThere } from '../../../src/common/fs/exists.ts';
import { lockFolder } from '../../../src/common/fs/folder-lock.ts';
import { keptKey, newKey, readKey } from '../../../src/common/fs/key-file.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { Blobs, Rows, SharedText } from '../domain/ports.ts';
import { createBlobs } from './blobs.ts';
import { createIncoming } from './incoming.ts';
import { createRows } from './rows.ts';

/** The gate's data on disk. */
export type DataDir = Awaited<ReturnType<typeof openDataDir>>;

interface DataDirOptions {
  /** A PostgreSQL with the rows; empty: they are in `gate.db`. */
  databaseUrl?: string | undefined;
  /** Opens another store of blobs than the folder. */
  openBlobs?: (() => Promise<Blobs>) | undefined;
  /** With it, the end of another process that uses the folder is waited for; without it, that is an error. */
  log?: Logger | undefined;
}

/** Opens the data folder for this process alone. With rows in PostgreSQL and blobs elsewhere no other gate needs it. */
export async function openDataDir(path: string, { databaseUrl = '', openBlobs, log }: DataDirOptions = {}) {
  await makePrivateDirectory(path);
  const unlock = await lockFolder(path, log);
  let rows: Rows | undefined;
  const close = async (): Promise<void> => {
    await rows?.close();
    unlock();
  };
  try {
    rows = await openRows(path, databaseUrl, { withBytes: openBlobs === undefined });
    const linkSecret = await getLinkSecret(join(path, 'links.key'), rows);
    if (!openBlobs && rows.shared) await claimBytes(rows.shared.bytes, path);
    const blobs = await (openBlobs?.() ?? createBlobs(join(path, 'blobs')));
    await syncDirectory(path);
    const temporary = join(path, 'incoming');
    const incoming = await createIncoming(temporary, { areKept: openBlobs === undefined });
    return {
      ...{ rows, blobs, incoming },
      /** The key that download links are signed with, the same across restarts and for all gates. */
      linkSecret,
      /** A folder for downloads; it is emptied at start. */
      temporary,
      /** Closes the rows and lets another process have the folder. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens the rows. A folder with bytes belongs to one database, whose id the file `database.id` has where it is not
 * `gate.db`. @throws {Error} in words for the operator
 */
async function openRows(path: string, databaseUrl: string, { withBytes }: { withBytes: boolean }): Promise<Rows> {
  const embedded = join(path, 'gate.db');
  const idPath = join(path, 'database.id');
  const known = (await readIfThere(idPath))?.toString();
  if (databaseUrl === '') {
    if (known === undefined) return createRows(embedded, { forgetful: withBytes });
    throw new Error(`${path} belongs to a PostgreSQL database: SVC_DATABASE_URL is missing`);
  }
  if (await exists(embedded)) {
    throw new Error(`${path} belongs to ${embedded}: with SVC_DATABASE_URL the gate needs a data folder of its own`);
  }
  const { createPostgresRows } = await import('./postgres-rows.ts');
  const rows = await createPostgresRows(databaseUrl);
  if (!withBytes) return rows;
  try {
    if (known === undefined) await writeAtomic(idPath, rows.databaseId(), { durable: true });
    else if (known !== rows.databaseId()) throw new Error(`${path} belongs to another database than SVC_DATABASE_URL`);
    return rows;
  } catch (error) {
    await rows.close();
    throw error;
  }
}

/**
 * Claims a shared database for the bytes in a data folder, which gates with another folder would lack.
 * @throws {Error} in words for the operator
 */
async function claimBytes(claim: SharedText, folder: string): Promise<void> {
  const id = (await keptKey(join(folder, 'folder.id'))).toString('hex');
  if (await claim.write(id, 0)) return;
  const { text } = await claim.read(0);
  if (text === id) return;
  throw new Error(
    `the documents' bytes are in another data folder than ${folder}: several gates need SVC_S3_BUCKET beside SVC_DATABASE_URL`,
  );
}

/** Returns the key of the file or, where gates share rows, the one in the rows, which is that of the file at first. */
async function getLinkSecret(keyPath: string, rows: Rows): Promise<Buffer> {
  if (!rows.shared) return keptKey(keyPath);
  const key = (await readKey(keyPath)) ?? newKey();
  return rows.transact((tx) => tx.keepKey('links', key));
}
