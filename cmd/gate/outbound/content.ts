import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { openPromise, type ZipFile } from 'yauzl';
import { type Content, parseContentTypes, parseMimetype, SNIFF_BYTES, sniffContent } from '../domain/content.ts';

/** Entries of a package that are looked through for those that tell what it is. */
const MAX_ENTRIES = 20_000;

/** How an entry tells what its package is, by its name, and the bytes of it that are unpacked for that. */
const TELLING: readonly [name: string, { tell: (text: string) => Content | undefined; maxBytes: number }][] = [
  ['mimetype', { tell: parseMimetype, maxBytes: 256 }],
  ['[Content_Types].xml', { tell: parseContentTypes, maxBytes: 4 * 1024 * 1024 }],
];

/**
 * What a downloaded file is, by its own bytes.
 * @param options.contentType as its server gave it
 * @param options.signal ends the looking, whoever made the file; it rejects with its reason
 */
export async function detectContent(
  path: string,
  { contentType, signal }: { contentType?: string | undefined; signal: AbortSignal },
): Promise<Content> {
  const sniffed = sniffContent(await readHead(path), contentType);
  return sniffed === 'zip' ? packageContent(path, signal) : sniffed;
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * A package that can't be read is a zip and nothing more. Of each name the first entry counts: any number of them may
 * lead to the same packed bytes.
 */
async function packageContent(path: string, signal: AbortSignal): Promise<Content> {
  const telling = new Map(TELLING);
  let archive: ZipFile | undefined;
  try {
    archive = await openPromise(path, { autoClose: false });
    let looked = 0;
    for await (const entry of archive.eachEntry()) {
      signal.throwIfAborted();
      const how = telling.get(entry.fileName);
      if (how) {
        const told = how.tell(await readBeginning(await archive.openReadStreamPromise(entry), how.maxBytes, signal));
        if (told) return told;
        telling.delete(entry.fileName);
      }
      if (telling.size === 0 || ++looked === MAX_ENTRIES) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'syscall' in error) throw error;
  } finally {
    archive?.close();
  }
  return 'zip';
}

/** So much of an entry can't be a bomb. */
async function readBeginning(stream: Readable, maxBytes: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).toString('latin1', 0, maxBytes);
}
