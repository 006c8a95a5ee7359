import { type Family, type Generation, getFamily, isOoxml, type SourceFormat } from '../../formats.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { refuseUnknown, type SourceName } from '../source-name.ts';
import { isPresentationEncrypted, isWordEncrypted, isWorkbookEncrypted, STREAM_START_BYTES } from './binary-office.ts';
import { type CompoundFile, readCompoundFile } from './cfb.ts';
import type { ByteSource } from './source.ts';

/** Streams of the text, the cells and the slides. */
const MAIN_STREAMS = [
  'WordDocument',
  '0Table',
  '1Table',
  'Workbook',
  'Book',
  'PowerPoint Document',
  'EncryptedPackage',
];

/** Compound files that are known and not taken, by a stream that they have. */
const FOREIGN: [stream: string, format: string][] = [
  ['VisioDocument', 'vsd'],
  ['__properties_version1.0', 'msg'],
  ['Contents', 'pub'],
];

const OOXML_OF: Record<Family, SourceFormat> = { text: 'docx', sheet: 'xlsx', slides: 'pptx' };

/** The result of inspecting a binary document. */
export interface BinaryDocument {
  format: SourceFormat;
  encrypted: boolean;
  generation?: Generation;
}

/**
 * Inspects a compound file: doc, xls, ppt, or an encrypted OOXML package ([MS-OFFCRYPTO], section 2.3.1).
 * @throws {AppError} `corrupt_source`; `unsupported_format` for others, and for a ppt that the engine cannot decrypt
 */
export async function inspectCompound(source: ByteSource, name: SourceName): Promise<BinaryDocument> {
  const file = await readCompoundFile(source);
  if (!MAIN_STREAMS.every(file.isWhole)) throw corrupt('bad_compound_file');
  if (file.has('EncryptionInfo') && file.has('EncryptedPackage')) {
    return { format: encryptedFormat(name), encrypted: true };
  }
  if (file.has('WordDocument')) {
    const isOld = !file.has('0Table') && !file.has('1Table');
    return binaryDocument('doc', await start(file, 'WordDocument'), isOld ? 'word_6' : undefined);
  }
  if (file.has('Workbook')) return binaryDocument('xls', await start(file, 'Workbook'));
  if (file.has('Book')) return binaryDocument('xls', await start(file, 'Book'), 'excel_5');
  if (file.has('PowerPoint Document')) {
    if (isPresentationEncrypted(await start(file, 'Current User'))) throw unsupported('ppt', 'encrypted');
    return { format: 'ppt', encrypted: false };
  }
  // PowerPoint 95, which may hold the same presentation for PowerPoint 97 as well.
  if (file.has('PP97_DUALSTORAGE')) return { format: 'ppt', encrypted: false };
  if (file.has('PP40')) throw unsupported('ppt', 'version');
  const foreign = FOREIGN.find(([stream]) => file.has(stream));
  if (foreign) throw unsupported(foreign[1]);
  return refuseUnknown(name, 'ole');
}

function start(file: CompoundFile, stream: string): Promise<Buffer> {
  return file.readStart(stream, STREAM_START_BYTES);
}

/**
 * A document by its main stream.
 * @throws {AppError} `corrupt_source` if the stream begins like none of its format
 */
export function binaryDocument(format: 'doc' | 'xls', start: Buffer, generation?: Generation): BinaryDocument {
  const encrypted = (format === 'doc' ? isWordEncrypted : isWorkbookEncrypted)(start);
  if (encrypted === undefined) throw corrupt(`not_${format}`);
  return { format, encrypted, ...(generation && { generation }) };
}

/**
 * The content of an encrypted package shows only after decryption, but the family must be known before: it is taken
 * from the name, and a wrong one shows when the engine opens the file.
 */
function encryptedFormat({ format }: SourceName): SourceFormat {
  if (!format) throw unsupported('encrypted', 'from_required');
  return isOoxml(format) ? format : OOXML_OF[getFamily(format)];
}
