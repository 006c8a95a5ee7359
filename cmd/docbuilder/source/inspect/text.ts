import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { analyse } from 'chardet';
import { FOREIGN_ENCODINGS, type SourceEncoding } from '../../formats.ts';
import { CsvReader, type CsvSize, parseSeparatorLine } from '../csv.ts';
import { corrupt } from '../source-errors.ts';
import { byteOrderMark, utf16Order } from './sniff.ts';
import type { ByteSource } from './source.ts';
import { cutBefore, cutBeforeStarter, normalized } from './unicode.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Finds the character set of a text file: by its byte order mark, as given, UTF-16 by its pattern of NULs, UTF-8 if all
 * of it is that, one of those in which no Vietnamese is written if chardet is sure, and else windows-1258, in which
 * Vietnamese text was written before. Other sets only when given.
 * @param head the beginning of the file
 * @throws {AppError} `corrupt_source` `encoding` if the file is not in the given set
 */
export function detectEncoding(source: ByteSource, head: Buffer, given?: SourceEncoding): SourceEncoding {
  const marked = byteOrderMark(head);
  const encoding = marked ?? given ?? utf16Order(head);
  if (encoding && encoding !== 'utf-8') return encoding;
  if (isAllUtf8(source)) return 'utf-8';
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
  const matches = analyse(head.subarray(0, GUESSED_BYTES));
  const isVietnamese = matches.some(
    ({ name, confidence }) => name.toLowerCase() === 'windows-1258' && confidence >= UNLIKELY,
  );
  if (isVietnamese) return undefined;
  return matches
    .filter(({ confidence }) => confidence >= SURE)
    .flatMap(({ name }) => FOREIGN_ENCODINGS.filter((encoding) => encoding === name.toLowerCase()))[0];
}

function isAllUtf8(source: ByteSource): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let position = 0; position < source.size; position += CHUNK_BYTES) {
      decoder.decode(source.read(position, CHUNK_BYTES), { stream: true });
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

export interface TranscodeTask {
  path: string;
  /** A file that is there and empty. */
  target: string;
  encoding: SourceEncoding;
  /**
   * Only for csv. A first line `sep=;`, which the engine would take for data, is left out, and fields that would change
   * as numbers are quoted.
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
    (chunks: AsyncIterable<Buffer>) => toNormalForm(decode(chunks, encoding), csv, delimiter),
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

async function* toNormalForm(
  pieces: AsyncIterable<string>,
  csv: CsvReader | undefined,
  delimiter = '',
): AsyncGenerator<string> {
  let held = '';
  let atStart = csv !== undefined;
  for await (const piece of pieces) {
    held += piece;
    if (atStart && held.length > 0) {
      held = held.slice(parseSeparatorLine(held)?.length ?? 0);
      atStart = false;
    }
    const cut = csv ? cutBefore(held, (character) => `\r\n${delimiter}`.includes(character)) : cutBeforeStarter(held);
    const ready = held.slice(0, cut);
    if (cut > 0) yield normalized(csv?.add(ready) ?? ready, 'NFC');
    held = held.slice(cut);
  }
  yield normalized(csv?.add(held) ?? held, 'NFC');
}
