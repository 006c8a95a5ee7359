import type { Readable } from 'node:stream';
import type { ByteRange } from '../../../src/common/byte-range.ts';
import { AppError } from '../../../src/common/errors.ts';
import { CONTENT_TYPES } from './content-types.ts';
import type { LinkQuery, Links } from './links.ts';
import type { DocumentRecord, VersionRecord } from './model.ts';
import type { Blobs, Rows, RowsReader } from './ports.ts';
import { baseFileName } from './wopi.ts';

/** A version of a document, as a file to download. */
export interface DownloadedFile {
  name: string;
  contentType: string;
  version: number;
  size: number;
  sha256: string;
}

/** The files of signed links (contract: GET /svc/embed/files/{doc_id}). */
export interface Downloads {
  /**
   * Lets `send` have the file of a link.
   * @throws {AppError} `bad_request`, `invalid_signature`, `link_expired`, `version_gone`, `not_found`
   */
  serve(
    docId: string,
    query: LinkQuery,
    send: (file: DownloadedFile, read: (range?: ByteRange) => Readable) => Promise<void>,
  ): Promise<void>;
}

export function createDownloads({ links, rows, blobs }: { links: Links; rows: Rows; blobs: Blobs }): Downloads {
  return {
    async serve(docId, query, send) {
      const number = links.verify(docId, query);
      const found = await rows.read((tx) => find(tx, docId, number));
      await send(toFile(found), (range) => blobs.read(found.version, range));
    },
  };
}

interface Found {
  document: DocumentRecord;
  version: VersionRecord;
}

async function find(tx: RowsReader, docId: string, number: number): Promise<Found> {
  const document = await tx.document(docId);
  if (!document || number > document.version) throw new AppError('not_found');
  const version = await tx.version(docId, number);
  if (!version) throw new AppError('version_gone', { version: number, current: document.version });
  return { document, version };
}

function toFile({ document, version: { version, size, sha256 } }: Found): DownloadedFile {
  return { name: baseFileName(document), contentType: CONTENT_TYPES[document.fileType], version, size, sha256 };
}
