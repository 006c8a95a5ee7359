import { constants, deflateRawSync } from 'node:zlib';
import { ooxml, ooxmlParts, type Parts, zip } from '../../scripts/support/documents.ts';

/** Documents that nobody should open. */

const MiB = 1024 * 1024;
/** The end of a deflate stream (RFC 1951, section 3.2.6: a last block of fixed codes with nothing in it). */
const EMPTY_LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** A part of `mebibytes` of blanks: a few hundred kilobytes that unpack to all of it. Made without packing all of it. */
export function ratioBomb(mebibytes = 300): Buffer {
  const block = Buffer.alloc(MiB, ' ');
  const packedBlock = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([...Array.from({ length: mebibytes }, () => packedBlock), EMPTY_LAST_BLOCK]);
  return rawDocx({ name: 'word/styles.xml', content: '', packed, size: mebibytes * MiB });
}

/** More parts than a document has. */
export function countBomb(entries = 20_000): Buffer {
  return rawDocx(...Array.from({ length: entries }, (_, index) => ({ name: `word/${index}`, content: '', method: 0 })));
}

/** A docx inside a docx inside a docx ...; `depth` 1 is an ordinary embedded document. */
export function nestedArchive(depth: number): Buffer {
  let inner = ooxml('docx');
  for (let level = 0; level < depth; level++) inner = ooxml('docx', {}, { 'word/embeddings/document.docx': inner });
  return inner;
}

/** Bombs that are small enough each, in archives of their own. */
export function nestedBomb(archives = 10, mebibytes = 12): Buffer {
  const part = zip({ 'xl/worksheets/sheet1.xml': `<x>${' '.repeat(mebibytes * MiB)}</x>` });
  const parts: Parts = {};
  for (let index = 0; index < archives; index++) parts[`word/embeddings/${index}.xlsx`] = part;
  return ooxml('docx', {}, parts);
}

export const ENTITY_BOMB = `<!DOCTYPE bomb [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, index) => {
  const name = String.fromCharCode(97 + index);
  return `<!ENTITY ${String.fromCharCode(98 + index)} "&${name};&${name};&${name};&${name};">`;
}).join('')}]>`;

/** A docx whose main part declares entities. */
export function entityBomb(prolog = ENTITY_BOMB): Buffer {
  const document = String(ooxmlParts('docx')['word/document.xml']);
  return ooxml('docx', {}, { 'word/document.xml': document.replace('<w:document', `${prolog}<w:document`) });
}

/** Two parts that share bytes: the first one's content is the second. However many, the file stays small. */
export function overlapBomb(): Buffer {
  const content = Buffer.from('x');
  const inner = Buffer.concat([header(0x04034b50, 'b', { flags: 0, method: 0, packed: 1, size: 1 }), content]);
  const pair = [
    { name: 'a', content: inner, method: 0 },
    { name: 'b', content, method: 0, offset: 31 },
  ];
  return rawZip([...pair, ...docxEntries()]);
}

/** The first half of a file, as an upload that stopped leaves it. */
export function half(file: Buffer): Buffer {
  return file.subarray(0, file.length >> 1);
}

/** Text that does not shrink much. */
export function noise(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 0x7fffffff;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

/** One entry of `rawZip`; absent members have correct values. */
export interface RawEntry {
  name: string;
  content: string | Buffer;
  /** The packed bytes, if they are not simply the packed content. */
  packed?: Buffer;
  /** Name in the entry's own header. */
  localName?: string;
  /** Unpacked size in the directory; in its own header as well unless `localSize` says otherwise. */
  size?: number;
  localSize?: number;
  flags?: number;
  method?: number;
  /** Where the directory says the entry is; it is then not written again. */
  offset?: number;
}

/** A docx with further entries of whatever kind; one that has the name of a part takes its place. */
export function rawDocx(...extra: RawEntry[]): Buffer {
  const names = new Set(extra.map(({ name }) => name));
  return rawZip([...docxEntries().filter(({ name }) => !names.has(name)), ...extra]);
}

export function docxEntries(): RawEntry[] {
  return Object.entries(ooxmlParts('docx')).map(([name, part]) => ({ name, content: Buffer.from(part) }));
}

/** A zip written by hand, for what no library writes. `count` is the number of entries that the end record tells. */
export function rawZip(entries: RawEntry[], count = entries.length): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const method = entry.method ?? 8;
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const size = entry.size ?? content.length;
    const fields = { flags: entry.flags ?? 0, method, packed: packed.length };
    const local = header(0x04034b50, entry.localName ?? entry.name, { ...fields, size: entry.localSize ?? size });
    directory.push(header(0x02014b50, entry.name, { ...fields, size, offset: entry.offset ?? offset }));
    if (entry.offset !== undefined) continue;
    files.push(local, packed);
    offset += local.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
}

interface HeaderFields {
  flags: number;
  method: number;
  packed: number;
  size: number;
  /** Where the entry begins; in the directory only. */
  offset?: number;
}

/** APPNOTE.TXT, sections 4.3.7 and 4.3.12: the same fields, which the directory has two bytes later. */
function header(signature: number, name: string, { flags, method, packed, size, offset }: HeaderFields): Buffer {
  const shift = offset === undefined ? 0 : 2;
  const bytes = Buffer.alloc(offset === undefined ? 30 : 46);
  const nameBytes = Buffer.from(name);
  bytes.writeUInt32LE(signature, 0);
  bytes.writeUInt16LE(20, 4 + shift);
  bytes.writeUInt16LE(flags | 0x800, 6 + shift);
  bytes.writeUInt16LE(method, 8 + shift);
  bytes.writeUInt32LE(packed, 18 + shift);
  bytes.writeUInt32LE(size, 22 + shift);
  bytes.writeUInt16LE(nameBytes.length, 26 + shift);
  if (offset !== undefined) bytes.writeUInt32LE(offset, 42);
  return Buffer.concat([bytes, nameBytes]);
}
