import { AppError } from '../../../src/common/errors.ts';

/** The reason why inspection calls a source corrupt; `detail.reason` of `corrupt_source`. */
export type CorruptReason =
  | 'empty'
  /** A zip that is cut off, or whose directory and entries contradict each other. */
  | 'bad_archive'
  /** A zip that would unpack to more than a document ever needs, or archives within archives. */
  | 'zip_bomb'
  /** A document type declaration in an XML part: no office format has one, entity bombs do. */
  | 'doctype'
  | 'malformed_xml'
  /** An OLE2 file that is cut off or whose tables run in circles. */
  | 'bad_compound_file'
  /** Text that is not in the encoding given in the request. */
  | 'encoding'
  /** The content is not what its name or `from` says, for example `not_docx`. */
  | `not_${string}`;

/** `corrupt_source` with its reason. */
export function corrupt(reason: CorruptReason, cause?: unknown): AppError {
  return new AppError('corrupt_source', { reason }, { cause });
}

/**
 * `unsupported_format` for a source whose format is known and not taken, or not known at all.
 * @param reason why this file is not taken where others of its format are: nothing decrypts it, or neither its
 *   name nor `from` says what is protected
 */
export function unsupported(from: string, reason?: 'encrypted' | 'from_required'): AppError {
  return new AppError('unsupported_format', { from, ...(reason && { reason }) });
}
