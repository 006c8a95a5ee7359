import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { openPromise, type ZipFile } from 'yauzl';
import { type Content, parseContentTypes, parseMimetype, SNIFF_BYTES, sniffContent } from '../domain/content.ts';

/** The entries of a package that are searched for those that name its type. */
const MAX_ENTRIES = 20_000;

/** The entries that name a package's type, and the bytes of them that are unpacked. */
const TYPE_ENTRIES: readonly [name: string, { parse: (text: string) => Content | undefined; maxBytes: number }][] = [
  ['mimetype', { parse: parseMimetype, maxBytes: 256 }],
  ['[Content_Types].xml', { parse: parseContentTypes, maxBytes: 4 * 1024 * 1024 }],
];

/** Detects the type of a downloaded file. @param options.signal ends it, and it rejects with its reason */
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
 * Returns the type of a package, `zip` where it cannot be read. Of each name the first entry counts: more may share
 * bytes.
 */
async function packageContent(path: string, signal: AbortSignal): Promise<Content> {
  const entries = new Map(TYPE_ENTRIES);
  let archive: ZipFile | undefined;
  try {
    archive = await openPromise(path, { autoClose: false });
    let looked = 0;
    for await (const entry of archive.eachEntry()) {
      signal.throwIfAborted();
      const wanted = entries.get(entry.fileName);
      if (wanted) {
        const stream = await archive.openReadStreamPromise(entry);
        const type = wanted.parse(await readBeginning(stream, wanted.maxBytes, signal));
        if (type) return type;
        entries.delete(entry.fileName);
      }
      if (entries.size === 0 || ++looked === MAX_ENTRIES) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'syscall' in error) throw error;
  } finally {
    archive?.close();
  }
  return 'zip';
}

/** Reads no more of an entry than `maxBytes`, so that it cannot be a bomb. */
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
