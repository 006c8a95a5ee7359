/**
 * Detection of encryption by the first bytes of the main stream, in the formats before OOXML. Each takes the start of
 * the stream and answers whether the document needs a password; undefined if the stream is not what its name says.
 */

const WORD_ENCRYPTED = 0x0100;

/** [MS-DOC], section 2.5.2 FibBase: `fEncrypted` in the flags. The
 * number before tells the version, of which there are many. Stream `WordDocument`. */
export function isWordEncrypted(start: Buffer): boolean | undefined {
  if (start.length < 12 || start.readUInt16LE(0) === 0) return undefined;
  return (start.readUInt16LE(10) & WORD_ENCRYPTED) !== 0;
}

/** Record types of Excel 2, 3, 4, and 5 and later. */
const BOF = [0x0009, 0x0209, 0x0409, 0x0809];
const FILE_PASS = 0x002f;
/** FilePass comes right after BOF, or after WriteProtect; by then this many records have gone by at most. */
const RECORDS_BEFORE_FILE_PASS = 8;

/** [MS-XLS], sections 2.1.7.20.3 and 2.4.117: a FilePass record near the start. Streams `Workbook` and `Book`. */
export function isWorkbookEncrypted(start: Buffer): boolean | undefined {
  let position = 0;
  for (let count = 0; count < RECORDS_BEFORE_FILE_PASS && position + 4 <= start.length; count++) {
    const type = start.readUInt16LE(position);
    if (count === 0 && !BOF.includes(type)) return undefined;
    if (type === FILE_PASS) return true;
    position += 4 + start.readUInt16LE(position + 2);
  }
  return position === 0 ? undefined : false;
}

const CURRENT_USER_ATOM = 0x0ff6;
const ENCRYPTED_TOKEN = 0xf3d1c4df;

/** [MS-PPT], section 2.3.2 CurrentUserAtom: its `headerToken`. Stream `Current User`. */
export function isPresentationEncrypted(start: Buffer): boolean | undefined {
  if (start.length < 16 || start.readUInt16LE(2) !== CURRENT_USER_ATOM) return undefined;
  return start.readUInt32LE(12) === ENCRYPTED_TOKEN;
}

/** Bytes of a stream that suffice for each of these. */
export const STREAM_START_BYTES = 4096;
