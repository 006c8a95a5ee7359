import type { IncomingMessage } from 'node:http';
import { fileTooLarge, MB } from '../../../src/common/errors.ts';
import { writeLimited } from '../jobs/write-limited.ts';
import type { SourceFile } from '../source/sources.ts';
import { type Form, readForm } from './multipart.ts';

/** Room for the other fields and the boundaries of a form, beside its file. */
const FORM_OVERHEAD = MB;

export interface UploadLimits {
  /** The plan's largest file, bytes. */
  maxBytes(): number;
  /** Milliseconds without a byte after which an upload has stalled. */
  idleMs: number;
}

/**
 * Reads a form and streams its files to disk.
 * @param names of the parts that may be files
 * @param newPath gives a path for a file, which the caller removes, also after a failure
 * @throws {AppError} `file_too_large` before the upload's end, `bad_request`
 */
export async function receiveForm(
  request: IncomingMessage,
  limits: UploadLimits,
  names: readonly string[],
  newPath: () => string,
): Promise<Form<SourceFile>> {
  const maxBytes = limits.maxBytes();
  if (Number(request.headers['content-length'] ?? 0) > names.length * maxBytes + FORM_OVERHEAD) {
    throw fileTooLarge(maxBytes);
  }
  return readForm<SourceFile>(request, {
    fileNames: names,
    async receive(stream, filename, signal) {
      const path = newPath();
      await writeLimited(stream, path, maxBytes, signal);
      return { path, filename };
    },
    idleMs: limits.idleMs,
  });
}
