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
 * Finds the character set of a text file: by its byte order mark; as given; UTF-16 by its NULs; UTF-8 if all of it is
 * valid; a foreign set if chardet is sure; else windows-1258, an old set of Vietnamese text.
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

/** Bytes that chardet reads; its time grows with them. */
const GUESSED_BYTES = 8 * 1024;
/** Least confidence for a foreign set, and for windows-1258, in percent. */
const SURE = 25;
const UNLIKELY = 5;

/** Returns the foreign character set of a text that is surely not Vietnamese. */
function foreignEncoding(head: Buffer): SourceEncoding | undefined {
  const matches = analyse(head.subarray(0, GUESSED_BYTES));
  const isVietnamese = ({ name, confidence }: (typeof matches)[number]) =>
    name.toLowerCase() === 'windows-1258' && confidence >= UNLIKELY;
  if (matches.some(isVietnamese)) return undefined;
  const sure = matches.filter(({ confidence }) => confidence >= SURE).map(({ name }) => name.toLowerCase());
  return sure.flatMap((name) => FOREIGN_ENCODINGS.filter((encoding) => encoding === name))[0];
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
  /** An empty file. */
  target: string;
  encoding: SourceEncoding;
  /** Only csv has it. A first line `sep=;` is left out, and fields are quoted (CsvReader). */
  delimiter?: string;
}

/**
 * Writes the text in `path` as UTF-8 to `target`, without byte order mark and in normalization form C: windows-1258 has
 * combining tone marks.
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
