import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { fileTooLarge, MB } from '../../../src/common/errors.ts';
import type { SourceFile } from '../source/sources.ts';
import { type Form, readForm } from './multipart.ts';

/** What a form may be larger than its file: the other fields and the boundaries. */
const FORM_OVERHEAD = MB;

/** Takes uploaded files in. */
export interface Uploads {
  /** Streams to disk. @throws {AppError} `file_too_large` as soon as it is known; when the signal aborts */
  receive(stream: Readable, maxBytes: number, signal: AbortSignal): Promise<string>;
  read(path: string): Promise<Buffer>;
  /** Bytes of a file. */
  size(path: string): Promise<number>;
  remove(path: string): Promise<void>;
  /** The plan's largest file, bytes. */
  maxBytes(): number;
  /** Milliseconds without a byte after which an upload has stalled. */
  idleMs: number;
}

/**
 * A form with files, streamed to disk.
 * @param names of the parts that may be files
 * @throws {AppError} `file_too_large` before the upload's end, `bad_request`
 */
export async function receiveForm(
  request: IncomingMessage,
  uploads: Uploads,
  names: readonly string[],
): Promise<Form<SourceFile>> {
  const maxBytes = uploads.maxBytes();
  if (Number(request.headers['content-length'] ?? 0) > names.length * maxBytes + FORM_OVERHEAD) {
    throw fileTooLarge(maxBytes);
  }
  return readForm<SourceFile>(request, {
    fileNames: names,
    receive: async (stream, filename, signal) => ({ path: await uploads.receive(stream, maxBytes, signal), filename }),
    discard: ({ path }) => uploads.remove(path),
    idleMs: uploads.idleMs,
  });
}
