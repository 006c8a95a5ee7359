import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../../src/common/errors.ts';
import type { Common } from './common.ts';
import { type Embedding, invalidConfig } from './config-check.ts';
import type { DocumentRecord } from './model.ts';
import type { Downloader, RowsReader, RowsTransaction } from './ports.ts';
import { dropUpload, takeUpload, type Uploaded } from './uploads.ts';

type Wanted = Embedding['document'];

interface Dependencies extends Pick<Common, 'rows' | 'uploads' | 'maxBytes' | 'clock' | 'audit'> {
  downloader: Downloader;
}

/** The documents that the gate holds, one of each key (contract: Rules about document.key). */
export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments({ rows, uploads, downloader, maxBytes, clock, audit }: Dependencies) {
  /** Downloads under way, by key and source. */
  const flights = new Map<string, Promise<DocumentRecord>>();
  const stopped = new AbortController();

  async function heldOrFetched(wanted: Wanted): Promise<DocumentRecord> {
    const held = await rows.transact(async (tx) => {
      const found = await tx.documentByKey(wanted.key);
      // It must not be cleaned away before it is opened.
      if (found?.state === 'closed') await tx.putDocument({ ...found, closedAt: clock() });
      return found;
    });
    if (held) return held;
    const docId = `doc_${randomBytes(16).toString('hex')}`;
    const options = { fileType: wanted.fileType, maxBytes, signal: stopped.signal };
    const store = (content: Readable) =>
      uploads.store(docId, content, { maxBytes }, async (tx, uploaded) => {
        const other = await tx.documentByKey(wanted.key);
        if (!other) return add(tx, docId, wanted, uploaded, clock());
        await dropUpload(tx, uploaded.blob, clock());
        return other;
      });
    const document = await downloader.download(wanted.url, options, store).catch((error: unknown) => {
      throw at('/document/url', error);
    });
    if (document.docId === docId) audit.record('document.opened', { document: docId, key: document.key });
    return document;
  }

  return {
    /**
     * Returns the document of a key, downloaded first unless the gate holds it. Requests for the same source at the same
     * time share a download, which no client can abort. A new document is closed until a session is let in.
     * @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`; `invalid_config` if the key belongs to
     *   a document of another type
     */
    async hold(wanted: Wanted): Promise<DocumentRecord> {
      const flight = `${wanted.key} ${wanted.fileType} ${wanted.url}`;
      const running = flights.get(flight) ?? heldOrFetched(wanted).finally(() => flights.delete(flight));
      flights.set(flight, running);
      const document = await running;
      if (document.fileType === wanted.fileType) return document;
      throw invalidConfig({
        path: '/document/fileType',
        message: `phải là ${document.fileType} như tài liệu đang có key này; hãy dùng key mới cho tài liệu khác`,
      });
    },
    stop: () => stopped.abort(new AppError('download_failed', { reason: 'stopped' })),
  };
}

async function add(
  tx: RowsTransaction,
  docId: string,
  { key, fileType, title }: Wanted,
  uploaded: Uploaded,
  now: number,
): Promise<DocumentRecord> {
  const document: DocumentRecord = {
    docId,
    key,
    fileType,
    title: title ?? `${key}.${fileType}`,
    state: 'closed',
    version: 0,
    createdAt: now,
    lastViewAt: now,
    closedAt: now,
    callbackUrl: null,
    baseUrl: '',
  };
  await takeUpload(tx, uploaded.blob);
  await tx.putDocument(document);
  const nobody = { savedBy: null, autosave: false, final: false, modifiedByUser: false, nonce: null };
  await tx.putVersion({ docId, version: 0, ...uploaded, savedAt: now, ...nobody });
  return document;
}

/**
 * Opens a document for a session, whose title, callback URL and base URL it takes.
 * @throws {AppError} `not_found` if it has been cleaned up
 */
export async function letIn(
  tx: RowsTransaction,
  docId: string,
  now: number,
  said: { title?: string | null; callbackUrl?: string | null; baseUrl?: string } = {},
): Promise<DocumentRecord> {
  const held = await tx.document(docId);
  if (!held) throw new AppError('not_found');
  const document: DocumentRecord = {
    ...held,
    state: 'open',
    closedAt: null,
    lastViewAt: now,
    title: said.title ?? held.title,
    callbackUrl: said.callbackUrl ?? held.callbackUrl,
    baseUrl: said.baseUrl ?? held.baseUrl,
  };
  await tx.putDocument(document);
  return document;
}

/** Finds a document and its current version. @throws {AppError} `not_found` */
export async function findCurrent(tx: RowsReader, docId: string) {
  const document = await tx.document(docId);
  const version = document && (await tx.version(docId, document.version));
  if (!document || !version) throw new AppError('not_found');
  return { document, version };
}

/** Adds to an error the member of the configuration that caused it. */
export function at(path: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !['url_not_allowed', 'download_failed'].includes(error.code)) return error;
  return new AppError(error.code, { ...error.detail, path }, { cause: error.cause });
}
