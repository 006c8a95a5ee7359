import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Encoding } from '../formats.ts';
import { cutBeforeStarter, normalized } from '../source/inspect/unicode.ts';
import { fileError, type JobFolder } from './job-folder.ts';
import { countPages } from './pdf-pages.ts';
import { EngineFailure, type EngineOutput, type EngineTask } from './task.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const UNKNOWN = 0x3f;

/**
 * Moves the results of a task to their paths, and finishes them. If one fails, none stays.
 * @param counted pages, sheets or slides of the document
 * @returns pages, sheets or slides of each output
 * @throws {EngineFailure}
 */
export async function deliverAll(task: EngineTask, folder: JobFolder, counted: number): Promise<number[]> {
  const pages: number[] = [];
  try {
    for (const [index, output] of task.outputs.entries()) {
      await folder.deliver(index, output.path, task.maxOutputBytes);
      pages.push(await finish(output, counted, task.maxOutputBytes));
    }
    return pages;
  } catch (error) {
    for (const { path } of task.outputs) await rm(path, { force: true });
    throw fileError(error);
  }
}

async function finish(output: EngineOutput, counted: number, maxBytes: number): Promise<number> {
  if ('image' in output) return 1;
  const { path, to, options } = output;
  if (to === 'pdf') return countPages(path);
  if (to === 'txt') {
    // The paragraph that was added (filters.ts, endParagraph).
    const { size } = await stat(path);
    if (size > 0) await truncate(path, size - 1);
  }
  const { encoding = 'utf-8' } = options;
  if ((to === 'txt' || to === 'csv') && encoding !== 'utf-8') await recode(path, encoding, maxBytes);
  return counted;
}

/** Encodes a file in UTF-8, as LibreOffice writes it, anew: LibreOffice's versions differ in other character sets. */
async function recode(path: string, encoding: Exclude<Encoding, 'utf-8'>, maxBytes: number): Promise<void> {
  const temporary = `${path}.recoded`;
  let bytes = 0;
  try {
    await pipeline(
      createReadStream(path, { encoding: 'utf8' }),
      async function* (chunks: AsyncIterable<string>) {
        for await (const piece of encoded(chunks, encoding)) {
          bytes += piece.length;
          if (bytes > maxBytes) throw new EngineFailure('output_limit', `the result has over ${bytes} bytes`);
          yield piece;
        }
      },
      createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
    );
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

type Pieces = AsyncIterable<string> | Iterable<string>;

/**
 * Encodes text that comes in pieces. UTF-16 begins with a byte order mark. Letters and their combining marks are composed
 * before they are encoded in other sets, and become question marks where the set does not have them.
 */
export async function* encoded(pieces: Pieces, encoding: Exclude<Encoding, 'utf-8'>): AsyncGenerator<Buffer> {
  if (encoding === 'windows-1258' || encoding === 'windows-1252') {
    const encode = singleByteEncoder(encoding);
    for await (const piece of composed(pieces)) yield encode(piece);
    return;
  }
  let mark = BYTE_ORDER_MARK;
  for await (const piece of pieces) {
    const bytes = Buffer.from(mark + piece, 'utf16le');
    mark = '';
    yield encoding === 'utf-16le' ? bytes : bytes.swap16();
  }
}

async function* composed(pieces: Pieces): AsyncGenerator<string> {
  let held = '';
  for await (const piece of pieces) {
    const searched = held.length;
    held += piece;
    const cut = cutBeforeStarter(held, searched);
    if (cut > 0) yield normalized(held.slice(0, cut), 'NFC');
    held = held.slice(cut);
  }
  yield normalized(held, 'NFC');
}

/** Creates an encoder. Windows-1258 has `ê` and combining tone marks: `ế` is a letter and a mark in it. */
function singleByteEncoder(encoding: 'windows-1258' | 'windows-1252'): (text: string) => Buffer {
  const decoder = new TextDecoder(encoding);
  const characters = Array.from({ length: 256 }, (_, byte) => decoder.decode(Uint8Array.of(byte)));
  const bytes = new Map<string, readonly number[]>();
  for (const [mark, combining] of characters.entries()) {
    if (!/^\p{M}$/u.test(combining)) continue;
    for (const [letter, base] of characters.entries()) bytes.set((base + combining).normalize('NFC'), [letter, mark]);
  }
  for (const [byte, character] of characters.entries()) bytes.set(character, [byte]);
  return (text) => Buffer.from(Array.from(text, (character) => bytes.get(character) ?? [UNKNOWN]).flat());
}
