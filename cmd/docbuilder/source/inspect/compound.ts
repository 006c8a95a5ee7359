import { type Family, type Generation, getFamily, isOoxml, type SourceFormat } from '../../formats.ts';
import { corrupt, unsupported } from '../source-errors.ts';
import { refuseUnknown, type SourceName } from '../source-name.ts';
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

/** Formats that are not supported, by a stream that they have. */
const FOREIGN: [stream: string, format: string][] = [
  ['VisioDocument', 'vsd'],
  ['__properties_version1.0', 'msg'],
  ['Contents', 'pub'],
];

/** Bytes of a stream that show whether it is encrypted. */
const STREAM_START_BYTES = 4096;

const OOXML_OF: Record<Family, SourceFormat> = { text: 'docx', sheet: 'xlsx', slides: 'pptx' };

interface BinaryDocument {
  format: SourceFormat;
  encrypted: boolean;
  generation?: Generation;
}

const OLD_PRESENTATION = { format: 'ppt', encrypted: false, generation: 'powerpoint_4' } as const;

/**
 * Inspects a compound file: doc, xls, ppt, or an encrypted OOXML package ([MS-OFFCRYPTO], section 2.3.1).
 * @throws {AppError} `corrupt_source`; `unsupported_format` for others, and for a ppt or xls that the engine cannot decrypt
 */
export function inspectCompound(source: ByteSource, name: SourceName): BinaryDocument {
  const file = readCompoundFile(source);
  if (!MAIN_STREAMS.every(file.isWhole)) throw corrupt('bad_compound_file');
  if (file.has('EncryptionInfo') && file.has('EncryptedPackage')) {
    return { format: encryptedFormat(name), encrypted: true };
  }
  if (file.has('WordDocument')) {
    const isOld = !file.has('0Table') && !file.has('1Table');
    return binaryDocument('doc', start(file, 'WordDocument'), isOld ? 'word_6' : undefined);
  }
  if (file.has('Workbook')) return binaryDocument('xls', start(file, 'Workbook'));
  if (file.has('Book')) return binaryDocument('xls', start(file, 'Book'), 'excel_5');
  // PowerPoint 95, with the same presentation for PowerPoint 97 beside it.
  if (file.has('PP97_DUALSTORAGE')) return { format: 'ppt', encrypted: false };
  if (file.has('PowerPoint Document')) {
    const encrypted = isPresentationEncrypted(start(file, 'Current User'));
    if (encrypted) throw unsupported('ppt', 'encrypted');
    return encrypted === undefined ? OLD_PRESENTATION : { format: 'ppt', encrypted };
  }
  if (file.has('PP40')) return OLD_PRESENTATION;
  const foreign = FOREIGN.find(([stream]) => file.has(stream));
  if (foreign) throw unsupported(foreign[1]);
  return refuseUnknown(name, 'ole');
}

function start(file: CompoundFile, stream: string): Buffer {
  return file.readStart(stream, STREAM_START_BYTES);
}

/** Inspects a document by its main stream. @throws {AppError} `corrupt_source` if the stream is of another format */
export function binaryDocument(format: 'doc' | 'xls', start: Buffer, generation?: Generation): BinaryDocument {
  const encrypted = (format === 'doc' ? isWordEncrypted : isWorkbookEncrypted)(start);
  if (encrypted === undefined) throw corrupt(`not_${format}`);
  return { format, encrypted, ...(generation && { generation }) };
}

/** Returns the OOXML format of the name's family: the content is encrypted, and the engine finds a wrong family. */
function encryptedFormat({ format }: SourceName): SourceFormat {
  if (!format) throw unsupported('encrypted', 'from_required');
  return isOoxml(format) ? format : OOXML_OF[getFamily(format)];
}

// Each of these functions returns undefined if the stream is of another format.

const WORD_ENCRYPTED = 0x0100;

/** Reads `fEncrypted` of stream `WordDocument` ([MS-DOC], section 2.5.2 FibBase). Any version is accepted. */
function isWordEncrypted(start: Buffer): boolean | undefined {
  if (start.length < 12 || start.readUInt16LE(0) === 0) return undefined;
  return (start.readUInt16LE(10) & WORD_ENCRYPTED) !== 0;
}

/** Record types of Excel 2, 3, 4, and 5 and later. */
const BOF = [0x0009, 0x0209, 0x0409, 0x0809];
const FILE_PASS = 0x002f;
/** FilePass comes directly after BOF, or after WriteProtect. */
const RECORDS_BEFORE_FILE_PASS = 8;

/** `RC4 CryptoAPI`, version 2: LibreOffice cannot decrypt it, unlike versions 1, 3 and 4, and says that the file is broken. */
const RC4_OF_EXCEL_2003 = Buffer.from([1, 0, 2, 0]);

/** Finds a FilePass record in stream `Workbook` or `Book` ([MS-XLS], sections 2.1.7.20.3 and 2.4.117). */
function isWorkbookEncrypted(start: Buffer): boolean | undefined {
  let position = 0;
  for (let count = 0; count < RECORDS_BEFORE_FILE_PASS && position + 4 <= start.length; count++) {
    const type = start.readUInt16LE(position);
    if (count === 0 && !BOF.includes(type)) return undefined;
    if (type === FILE_PASS) {
      if (start.subarray(position + 4, position + 8).equals(RC4_OF_EXCEL_2003)) throw unsupported('xls', 'encrypted');
      return true;
    }
    position += 4 + start.readUInt16LE(position + 2);
  }
  return position === 0 ? undefined : false;
}

const CURRENT_USER_ATOM = 0x0ff6;
const ENCRYPTED_TOKEN = 0xf3d1c4df;

/** Reads `headerToken` of stream `Current User` ([MS-PPT], section 2.3.2). PowerPoint 95 has no such atom. */
function isPresentationEncrypted(start: Buffer): boolean | undefined {
  if (start.length < 16 || start.readUInt16LE(2) !== CURRENT_USER_ATOM) return undefined;
  return start.readUInt32LE(12) === ENCRYPTED_TOKEN;
}
