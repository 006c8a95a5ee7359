import { AppError } from '../../../src/common/errors.ts';

/** `detail.reason` of a source that inspection finds to be corrupt. */
type CorruptReason =
  | 'empty'
  /** A zip that is cut off, or whose directory and entries contradict each other. */
  | 'bad_archive'
  /** A zip that unpacks to more than a document ever has, or archives within archives. */
  | 'zip_bomb'
  /** A document type declaration, which may define entities that grow without end. No office format has one. */
  | 'doctype'
  | 'malformed_xml'
  /** An OLE2 file that is cut off or whose tables run in circles. */
  | 'bad_compound_file'
  /** Text that is not in the encoding of the request. */
  | 'encoding'
  /** The content is not of the format of its name or of `from`, for example `not_docx`. */
  | `not_${string}`;

export function corrupt(reason: CorruptReason, cause?: unknown): AppError {
  return new AppError('corrupt_source', { reason }, { cause });
}

/**
 * Creates an `unsupported_format`.
 * @param reason why this file is refused and others of its format are not: the engine cannot decrypt it, or it is
 *   encrypted and neither its name nor `from` says what it is
 */
export function unsupported(from: string, reason?: 'encrypted' | 'from_required'): AppError {
  return new AppError('unsupported_format', { from, ...(reason && { reason }) });
}
