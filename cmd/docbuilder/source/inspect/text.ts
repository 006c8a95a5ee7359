import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { analyse } from 'chardet';
import { parseSeparatorLine } from '../csv/delimiter.ts';
import { CsvReader, type CsvSize } from '../csv/reader.ts';
import { FOREIGN_ENCODINGS, type SourceEncoding } from '../encodings.ts';
import { corrupt } from '../source-errors.ts';
import { byteOrderMark, utf16Order } from './sniff.ts';
import type { ByteSource } from './source.ts';
import { cutBeforeStarter, normalized } from './unicode.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Finds the character set of a text file: by its byte order mark, as given, UTF-16 by its pattern of NULs, UTF-8 if all
 * of it is that, one of those in which no Vietnamese is written if chardet is sure, and else windows-1258, in which
 * Vietnamese text was written before. Other sets only when given.
 * @param head the beginning of the file
 * @throws {AppError} `corrupt_source` `encoding` if the file is not in the given set
 */
export async function detectEncoding(
  source: ByteSource,
  head: Buffer,
  given?: SourceEncoding,
): Promise<SourceEncoding> {
  const marked = byteOrderMark(head);
  const encoding = marked ?? given ?? utf16Order(head);
  if (encoding && encoding !== 'utf-8') return encoding;
  if (await isAllUtf8(source)) return 'utf-8';
  if (encoding) throw corrupt('encoding');
  return foreignEncoding(head) ?? 'windows-1258';
}

/** As much text as tells its character set; the time that chardet takes grows with it. */
const GUESSED_BYTES = 8 * 1024;
/** Percent of confidence: a foreign set at least, and windows-1258 less, which is found in any Vietnamese text. */
const SURE = 25;
const UNLIKELY = 5;

/** The foreign character set that a text is in, where it is clearly none of Vietnam's. */
function foreignEncoding(head: Buffer): SourceEncoding | undefined {
  const matches = analyse(head.subarray(0, GUESSED_BYTES)).map(({ name, confidence }) => ({
    name: name.toLowerCase(),
    confidence,
  }));
  const vietnamese = matches.find(({ name }) => name === 'windows-1258');
  if (vietnamese && vietnamese.confidence >= UNLIKELY) return undefined;
  const best = matches.find(({ name }) => FOREIGN_ENCODINGS.some((encoding) => encoding === name));
  return best && best.confidence >= SURE ? FOREIGN_ENCODINGS.find((encoding) => encoding === best.name) : undefined;
}

async function isAllUtf8(source: ByteSource): Promise<boolean> {
  for (let position = 0; position < source.size; ) {
    const chunk = await source.read(position, CHUNK_BYTES);
    const last = position + chunk.length >= source.size;
    const length = last ? chunk.length : utf8Boundary(chunk);
    if (length === 0 || !isUtf8(chunk.subarray(0, length))) return false;
    position += length;
  }
  return true;
}

/** Length of a chunk without the character that its end may have cut. */
function utf8Boundary(chunk: Buffer): number {
  let end = chunk.length;
  while (end > chunk.length - 4 && end > 0 && ((chunk[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return end > 0 && (chunk[end - 1] ?? 0) >= 0xc0 ? end - 1 : chunk.length;
}

export interface TranscodeTask {
  path: string;
  /** A file that is there and empty. */
  target: string;
  encoding: SourceEncoding;
  /**
   * Only for csv. A first line `sep=;`, which the engine would take for data, is left out, and fields that would lose digits
   * are quoted.
   */
  delimiter?: string;
}

/**
 * Writes the text in `path` as UTF-8 to `target`: without byte order mark, in Unicode normalization form C
 * (windows-1258 has its tone marks beside the letters) as far as `normalized` goes, line ends as they are. Holds a chunk
 * in memory.
 * @returns the extent of csv
 * @throws {AppError} `corrupt_source` `encoding` if the text is not in `encoding`
 */
export async function transcode({ path, target, encoding, delimiter }: TranscodeTask): Promise<CsvSize | undefined> {
  const csv = delimiter === undefined ? undefined : new CsvReader(delimiter);
  await pipeline(
    createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    (chunks: AsyncIterable<Buffer>) => toUtf8(decode(chunks, encoding), csv),
    createWriteStream(target, { flags: 'r+' }),
  );
  return csv?.size;
}

/** Decodes text in the pieces it came in. */
async function* decode(chunks: AsyncIterable<Buffer>, from: SourceEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(from, { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? corrupt('encoding', error) : error;
  }
}

async function* toUtf8(pieces: AsyncIterable<string>, csv: CsvReader | undefined): AsyncGenerator<Buffer> {
  let held = '';
  let atStart = csv !== undefined;
  for await (const piece of pieces) {
    held += piece;
    if (atStart && held.length > 0) {
      held = held.slice(parseSeparatorLine(held)?.length ?? 0);
      atStart = false;
    }
    const cut = cutBeforeStarter(held);
    const ready = held.slice(0, cut);
    if (cut > 0) yield toBytes(csv?.add(ready) ?? ready);
    held = held.slice(cut);
  }
  yield toBytes(csv ? csv.add(held) + csv.end() : held);
}

function toBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  return isAscii(bytes) ? bytes : Buffer.from(normalized(text, 'NFC'));
}
