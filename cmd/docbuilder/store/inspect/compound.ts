import {
  isPresentationEncrypted,
  isWordEncrypted,
  isWorkbookEncrypted,
  STREAM_START_BYTES,
} from '../../domain/binary-office.ts';
import { type Family, familyOf, type SourceFormat } from '../../domain/formats.ts';
import { corrupt, unsupported } from '../../domain/source-errors.ts';
import type { SourceName } from '../../domain/source-name.ts';
import { readCompoundFile } from './cfb.ts';
import type { ByteSource } from './source.ts';

const BINARY_FORMATS: [
  stream: string,
  format: SourceFormat,
  start: string,
  isEncrypted: (start: Buffer) => boolean | undefined,
][] = [
  ['WordDocument', 'doc', 'WordDocument', isWordEncrypted],
  ['Workbook', 'xls', 'Workbook', isWorkbookEncrypted],
  ['Book', 'xls', 'Book', isWorkbookEncrypted],
  ['PowerPoint Document', 'ppt', 'Current User', isPresentationEncrypted],
];

/** Compound files that are known and not taken, by a stream that they have. */
const FOREIGN: [stream: string, format: string][] = [
  ['VisioDocument', 'vsd'],
  ['__properties_version1.0', 'msg'],
  ['Contents', 'pub'],
];

const OOXML_OF: Record<Family, SourceFormat> = { text: 'docx', sheet: 'xlsx', slides: 'pptx' };

/**
 * Looks into a compound file: doc, xls, ppt, or an encrypted OOXML package ([MS-OFFCRYPTO], section 2.3.1).
 * @throws {AppError} `corrupt_source`; `unsupported_format` for others
 */
export async function inspectCompound(
  source: ByteSource,
  name: SourceName,
): Promise<{ format: SourceFormat; encrypted: boolean }> {
  const file = await readCompoundFile(source);
  if (file.streams.has('EncryptionInfo') && file.streams.has('EncryptedPackage')) {
    return { format: encryptedFormat(name), encrypted: true };
  }
  for (const [stream, format, start, isEncrypted] of BINARY_FORMATS) {
    if (!file.streams.has(stream)) continue;
    const encrypted = isEncrypted(await file.readStart(start, STREAM_START_BYTES));
    if (encrypted === undefined) throw corrupt(`not_${format}`);
    return { format, encrypted };
  }
  throw unsupported(FOREIGN.find(([stream]) => file.streams.has(stream))?.[1] ?? 'ole');
}

/**
 * What is inside an encrypted package shows only after decryption, but the family must be known before: the name
 * tells it, a wrong one shows when the engine opens the file. With no name there is nothing to go by.
 */
function encryptedFormat({ format }: SourceName): SourceFormat {
  if (!format) throw unsupported('encrypted');
  return /^(do[ct]|xl[st]|pp[ts]|pot)[xm]$/.test(format) ? format : OOXML_OF[familyOf(format)];
}
