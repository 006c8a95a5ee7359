import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { AppError } from '../../../src/common/errors.ts';
import { type Embedding, invalidConfig } from './config-check.ts';
import type { DocumentRecord } from './model.ts';
import type { Downloader, Rows, RowsReader, RowsTransaction } from './ports.ts';
import { dropUpload, takeUpload, type Uploaded, type Uploads } from './uploads.ts';

type Wanted = Embedding['document'];

interface Dependencies {
  rows: Rows;
  uploads: Uploads;
  downloader: Downloader;
  maxBytes: number;
  clock: Clock;
  audit: Audit;
}

/** The documents that the gate holds, one of each key (contract: Rules about document.key). */
export type Documents = ReturnType<typeof createDocuments>;

interface Flight {
  /** The type and the URL that it fetches. */
  source: string;
  document: Promise<DocumentRecord>;
}

export function createDocuments({ rows, uploads, downloader, maxBytes, clock, audit }: Dependencies) {
  const flights = new Map<string, Flight>();
  const stopped = new AbortController();

  /** Not tied to the client that asked: others may be waiting too. */
  function start(wanted: Wanted): Flight {
    const document = heldOrFetched(wanted).finally(() => flights.delete(wanted.key));
    const flight = { source: getSource(wanted), document };
    flights.set(wanted.key, flight);
    return flight;
  }

  async function heldOrFetched(wanted: Wanted): Promise<DocumentRecord> {
    const held = await rows.transact((tx) => keep(tx, wanted.key, clock()));
    if (held) return held;
    const options = { fileType: wanted.fileType, maxBytes, signal: stopped.signal };
    const store = (content: Readable) => storeOriginal(wanted, content);
    const document = await downloader.download(wanted.url, options, store).catch((error: unknown) => {
      throw at('/document/url', error);
    });
    audit.record('document.opened', { document: document.docId, key: document.key });
    return document;
  }

  function storeOriginal(wanted: Wanted, content: Readable): Promise<DocumentRecord> {
    const docId = `doc_${randomBytes(16).toString('hex')}`;
    return uploads.store(docId, content, { maxBytes }, async (tx, uploaded) => {
      const held = await tx.documentByKey(wanted.key);
      if (!held) return add(tx, docId, wanted, uploaded, clock());
      await dropUpload(tx, uploaded.blob);
      return held;
    });
  }

  return {
    /**
     * Returns the document of a key, downloaded first unless the gate holds it. Whoever asks at the same time waits for
     * the same download. One that nobody was let into yet is a closed one.
     * @throws {AppError} `url_not_allowed`, `download_failed`, `file_too_large`; `invalid_config` if the key belongs to
     *   a document of another type
     */
    async hold(wanted: Wanted): Promise<DocumentRecord> {
      for (;;) {
        const running = flights.get(wanted.key);
        const { source, document } = running ?? start(wanted);
        try {
          return checkType(await document, wanted);
        } catch (error) {
          // That another's address leads nowhere says nothing about one's own.
          const own = source === getSource(wanted);
          if (own || !(error instanceof AppError) || error.code === 'invalid_config') throw error;
        }
      }
    },
    /** Ends the downloads that are under way. */
    stop: () => stopped.abort(new AppError('download_failed', { reason: 'stopped' })),
  };
}

/** The document of a key. A closed one is kept for another while, so that it does not vanish before it is opened. */
async function keep(tx: RowsTransaction, key: string, now: number): Promise<DocumentRecord | undefined> {
  const held = await tx.documentByKey(key);
  if (held?.state === 'closed') await tx.putDocument({ ...held, closedAt: now });
  return held;
}

/** A new document with its original. */
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
 * Opens a document because a session is let in. What its newest session said about it counts from now on.
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

/** One key is one document: under it a file of another type can only be meant for another key. */
function checkType(document: DocumentRecord, { fileType }: Wanted): DocumentRecord {
  if (document.fileType === fileType) return document;
  throw invalidConfig({
    path: '/document/fileType',
    message: `phải là ${document.fileType} như tài liệu đang có key này; hãy dùng key mới cho tài liệu khác`,
  });
}

/** An error with the place in the configuration that brought it about. */
export function at(path: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !['url_not_allowed', 'download_failed'].includes(error.code)) return error;
  return new AppError(error.code, { ...error.detail, path }, { cause: error.cause });
}

function getSource({ url, fileType }: Wanted): string {
  return `${fileType} ${url}`;
}
