import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../../src/common/errors.ts';
import type { SourceFile } from '../domain/convert.ts';
import { readForm } from './multipart.ts';

const MB = 1024 * 1024;
/** What a form may be larger than its file: the other fields and the boundaries. */
const FORM_OVERHEAD = MB;

/** Takes uploaded files in. */
export interface Uploads {
  /** Streams to disk. @throws {AppError} `file_too_large` as soon as it is known */
  receive(stream: Readable, maxBytes: number): Promise<string>;
  remove(path: string): Promise<void>;
  /** The plan's largest file, bytes. */
  maxBytes(): number;
  /** Milliseconds without a byte after which an upload has stalled. */
  idleMs: number;
}

/**
 * A form with at most one part `file`, streamed to disk.
 * @throws {AppError} `file_too_large` before the upload's end, `bad_request`
 */
export async function receiveForm(
  request: IncomingMessage,
  uploads: Uploads,
): Promise<{ fields: Map<string, string>; file: SourceFile | undefined }> {
  const maxBytes = uploads.maxBytes();
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_OVERHEAD) {
    throw new AppError('file_too_large', { limit_mb: maxBytes / MB });
  }
  const { fields, files } = await readForm<SourceFile>(request, {
    fileNames: ['file'],
    receive: async (stream, filename) => ({ path: await uploads.receive(stream, maxBytes), filename }),
    discard: ({ path }) => uploads.remove(path),
    idleMs: uploads.idleMs,
  });
  return { fields, file: files.get('file') };
}
