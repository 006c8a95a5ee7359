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
 * Moves all results of a task out of its job folder to where they belong, and does what is left to do to them. Where
 * one fails none stays.
 * @param counted what the worker counted in the document
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

/** Plain text loses the line that was added to it and gets its character set, the pages of a PDF are counted. */
async function finish(output: EngineOutput, counted: number, maxBytes: number): Promise<number> {
  if ('image' in output) return 1;
  if (output.to === 'pdf') return countPages(output.path);
  if (output.to === 'txt') await cutLastLineFeed(output.path);
  if (output.to === 'txt' || output.to === 'csv') await recode(output.path, output.options.encoding, maxBytes);
  return counted;
}

async function cutLastLineFeed(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size > 0) await truncate(path, size - 1);
}

/** LibreOffice always writes UTF-8; other character sets are made here, the same for every version of it. */
async function recode(path: string, encoding: Encoding | undefined, maxBytes: number): Promise<void> {
  if (encoding === undefined || encoding === 'utf-8') return;
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
 * The bytes of a text that comes in pieces. UTF-16 starts with a byte order mark. A character that the set does not have
 * becomes a question mark; letters whose marks stand beside them are composed first, because few sets have such marks.
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

function singleByteEncoder(encoding: 'windows-1258' | 'windows-1252'): (text: string) => Buffer {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map<string, number>();
  for (let byte = 255; byte >= 0; byte--) bytes.set(decoder.decode(Uint8Array.of(byte)), byte);
  const known = new Map<string, readonly number[]>();
  const encode = (character: string): readonly number[] => {
    const found = known.get(character) ?? toBytes(character, bytes);
    known.set(character, found);
    return found;
  };
  return (text) => Buffer.from(Array.from(text, encode).flat());
}

/**
 * The bytes of one character. Windows-1258 has letters such as `ê` and combining tone marks, but not `ế`: that is a
 * letter and a mark in it.
 */
function toBytes(character: string, bytes: ReadonlyMap<string, number>): readonly number[] {
  const own = bytes.get(character);
  if (own !== undefined) return [own];
  const parts = Array.from(character.normalize('NFD'));
  for (const mark of parts.slice(1)) {
    const letter = parts
      .filter((part) => part !== mark)
      .join('')
      .normalize('NFC');
    const pair = [bytes.get(letter), bytes.get(mark)];
    if (pair.every((byte) => byte !== undefined)) return pair;
  }
  return [UNKNOWN];
}
