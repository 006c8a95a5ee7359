import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { openPromise, type ZipFile } from 'yauzl';
import { type Content, ooxmlOf, openDocumentOf, SNIFF_BYTES, sniffContent } from '../domain/content.ts';

/** Entries of a package that are looked through for those that tell what it is. */
const MAX_ENTRIES = 20_000;
/** Bytes of such an entry, unpacked. */
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;

const TELLING = new Map([
  ['mimetype', openDocumentOf],
  ['[Content_Types].xml', ooxmlOf],
]);

/**
 * What a downloaded file is, by its own bytes.
 * @param contentType as its server gave it
 */
export async function contentOf(path: string, contentType?: string): Promise<Content> {
  const sniffed = sniffContent(await headOf(path), contentType);
  return sniffed === 'zip' ? packageContent(path) : sniffed;
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A package that can't be read is a zip and nothing more. */
async function packageContent(path: string): Promise<Content> {
  let archive: ZipFile | undefined;
  try {
    archive = await openPromise(path, { autoClose: false });
    let looked = 0;
    for await (const entry of archive.eachEntry()) {
      const told = TELLING.get(entry.fileName)?.(await textOf(await archive.openReadStreamPromise(entry)));
      if (told) return told;
      if (++looked === MAX_ENTRIES) break;
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
  } finally {
    archive?.close();
  }
  return 'zip';
}

/** The beginning of an entry: so much can't be a bomb. */
async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ENTRY_BYTES) break;
  }
  return Buffer.concat(chunks).toString('latin1');
}
