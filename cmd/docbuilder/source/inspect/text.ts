import { isAscii, isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { analyse } from 'chardet';
import { createNewFile } from '../../../../src/common/fs/new-file.ts';
import { detectDelimiter, separatorLine } from '../csv/csv.ts';
import { CsvDigits } from '../csv/csv-digits.ts';
import type { CsvSize } from '../csv/csv-size.ts';
import { FOREIGN_ENCODINGS, type SourceEncoding } from '../encodings.ts';
import { corrupt } from '../source-errors.ts';
import { byteOrderMark, utf16Order } from './sniff.ts';
import type { ByteSource } from './source.ts';
import { cutBeforeStarter, normalized } from './unicode.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * The character set of a text file: by its byte order mark, as told, UTF-16 by its pattern of NULs, UTF-8 if all of it
 * is that, one of those in which no Vietnamese is written if it looks like that, and else windows-1258, in which
 * Vietnamese text was written before. Other sets only when given.
 * @param head the beginning of the file
 * @throws {AppError} `corrupt_source` `encoding` if the file is not in the given set
 */
export async function detectEncoding(source: ByteSource, head: Buffer, told?: SourceEncoding): Promise<SourceEncoding> {
  const marked = byteOrderMark(head);
  const encoding = marked ?? told ?? utf16Order(head);
  if (encoding && encoding !== 'utf-8') return encoding;
  if (await isAllUtf8(source)) return 'utf-8';
  if (encoding) throw corrupt('encoding');
  return foreignEncoding(head) ?? 'windows-1258';
}

/** As much text as tells its character set; to look at more takes time in which others wait. */
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

/**
 * The separator of a csv file.
 * @param head its beginning, as much as should be looked at
 * @param complete whether that is all of it
 * @param fallback the separator if nothing speaks for another
 */
export function delimiterOf(head: Buffer, encoding: SourceEncoding, complete: boolean, fallback: ',' | '\t'): string {
  return detectDelimiter(new TextDecoder(encoding).decode(head, { stream: !complete }), complete, fallback);
}

export interface TranscodeOptions {
  /**
   * For csv: measures it. A first line `sep=;`, which the engine would take for data, is left out, and fields that would
   * lose digits are quoted.
   */
  csv?: CsvSize;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes the text in `path` as UTF-8 to the new file `target`: without byte order mark, in Unicode normalization form C
 * (windows-1258 has its tone marks beside the letters) as far as `normalized` goes, line ends as they are. Holds a chunk
 * in memory.
 * @throws {AppError} `corrupt_source` `encoding` if the text is not in `from`
 */
export async function transcode(
  path: string,
  target: string,
  from: SourceEncoding,
  options: TranscodeOptions = {},
): Promise<void> {
  await pipeline(
    createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    (chunks: AsyncIterable<Buffer>) => toUtf8(decode(chunks, from), options.csv),
    await createNewFile(target),
    { signal: options.signal },
  );
}

/** Text in the pieces it came in. */
async function* decode(chunks: AsyncIterable<Buffer>, from: SourceEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(from, { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? corrupt('encoding', error) : error;
  }
}

async function* toUtf8(pieces: AsyncIterable<string>, csv: CsvSize | undefined): AsyncGenerator<Buffer> {
  const digits = csv && new CsvDigits(csv.delimiter);
  const told = (text: string): string => {
    csv?.add(text);
    return digits ? digits.add(text) : text;
  };
  let held = '';
  let atStart = csv !== undefined;
  for await (const piece of pieces) {
    held += piece;
    if (atStart && held.length > 0) {
      held = held.slice(separatorLine(held)?.length ?? 0);
      atStart = false;
    }
    const cut = cutBeforeStarter(held);
    if (cut > 0) yield bytesOf(told(held.slice(0, cut)));
    held = held.slice(cut);
  }
  yield bytesOf(told(held) + (digits?.end() ?? ''));
}

function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return isAscii(bytes) ? bytes : Buffer.from(normalized(text, 'NFC'));
}
