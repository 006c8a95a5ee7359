import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError, badRequest } from '../../../src/common/errors.ts';
import type { Logger } from '../../../src/common/log.ts';
import type { VersionRecord } from './model.ts';
import type { Blobs, Incoming, ReceiveOptions, Rows, RowsTransaction } from './ports.ts';

export interface UploadsDependencies {
  rows: Rows;
  blobs: Blobs;
  incoming: Incoming;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

/** Bytes in the store, of which a version can be made. */
export type Uploaded = Pick<VersionRecord, 'blob' | 'sha256' | 'size'>;

/** Content on its way into the store. */
export interface Uploads {
  /**
   * Receives the bytes into a file, puts the file into the store under a name that nothing ever had, and runs `commit`,
   * which has to end the upload: `takeUpload` or `dropUpload`. A row notes the name before the bytes are stored, so that
   * they are found and removed when it does not come to that.
   * @throws {AppError} `bad_request` for content that is empty, stalls or breaks off; `file_too_large`
   */
  store<Result>(
    docId: string,
    content: Readable,
    options: ReceiveOptions,
    commit: (tx: RowsTransaction, uploaded: Uploaded) => Promise<Result>,
  ): Promise<Result>;
}

export function createUploads({ rows, blobs, incoming, clock, log }: UploadsDependencies): Uploads {
  const gate = newName();

  return {
    async store(docId, content, options, commit) {
      const { attempt = (work) => work() } = options;
      const blob = newName();
      const noted = attempt(() => rows.transact((tx) => tx.putUpload({ blob, docId, gate, seenAt: clock() })));
      // The content may fail first.
      noted.catch(() => {});
      const file = await incoming.receive(content, options);
      try {
        if (file.size === 0) throw badRequest({ path: '', message: 'tài liệu không bao giờ rỗng' });
        await noted;
        await attempt((signal) => blobs.put(file, blob, signal));
        const uploaded = { blob, sha256: file.sha256, size: file.size };
        return await attempt(() => rows.transact((tx) => commit(tx, uploaded)));
      } finally {
        await incoming
          .discard(file)
          .catch((error) => log.error({ err: error }, 'a received file could not be removed'));
      }
    },
  };
}

/**
 * Ends an upload as part of the transaction that makes a version of it.
 * @throws {AppError} 503 when nobody believed in it any more, and its bytes are removed
 */
export async function takeUpload(tx: RowsTransaction, blob: string): Promise<void> {
  if (!(await tx.removeUpload(blob))) throw new AppError('internal', {}, { status: 503 });
}

/** Ends an upload that nothing is made of. */
export async function dropUpload(tx: RowsTransaction, blob: string): Promise<void> {
  await tx.removeUpload(blob);
  // Nobody reads it, so that it can go at once.
  await tx.addRemoval(blob, 0);
}

/** Returns a random name, which nothing else has. */
function newName(): string {
  return randomBytes(16).toString('hex');
}
