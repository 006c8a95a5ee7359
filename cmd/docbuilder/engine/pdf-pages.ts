import { open } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';

/** Bytes at the end of a file that are read first. */
const ENDS = [64 * 1024, 4 * 1024 * 1024];
/** A stream of objects has a few hundred and never unpacks to more. */
const MAX_OBJECTS_BYTES = 32 * 1024 * 1024;
/** The page tree of a PDF by LibreOffice is one node, with all pages as its kids. */
const PAGE_TREE = /\/Type\s*\/Pages\b/;
const COUNT = /\/Count\s+(\d+)/;
const OBJECTS = /\/Type\s*\/ObjStm\b/g;
const STREAM = /stream\r?\n/g;

/** Counts the pages of a PDF by LibreOffice, from its page tree, which is near the end. */
export async function countPages(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    for (const length of [...ENDS.filter((end) => end < size), size]) {
      const end = Buffer.alloc(length);
      await file.read(end, 0, length, size - length);
      const text = end.toString('latin1');
      const count = lastCount(text) ?? lastCountInStreams(end, text);
      if (count !== undefined) return count;
    }
    return 0;
  } finally {
    await file.close();
  }
}

/**
 * Returns the count of the last page tree in a text. A document's title may contain page trees: each piece without `>` is
 * searched once, so that the time is linear.
 */
function lastCount(text: string): number | undefined {
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf('>', end - 1) + 1;
    const piece = text.slice(start, end);
    const tree = piece.search(PAGE_TREE);
    const count = tree < 0 ? undefined : COUNT.exec(piece.slice(tree))?.[1];
    if (count !== undefined) return Number(count);
    end = start - 1;
  }
  return undefined;
}

/** Returns the count of the last page tree in a compressed stream of objects (ISO 32000-1, 7.5.7). */
function lastCountInStreams(pdf: Buffer, text: string): number | undefined {
  let count: number | undefined;
  let end = 0;
  for (const match of text.matchAll(OBJECTS)) {
    if (match.index < end) continue;
    STREAM.lastIndex = match.index;
    if (!STREAM.test(text)) break;
    const start = STREAM.lastIndex;
    end = text.indexOf('endstream', start);
    if (end < 0) break;
    count = lastCount(inflate(pdf.subarray(start, end))) ?? count;
  }
  return count;
}

function inflate(data: Buffer): string {
  try {
    return inflateSync(data, { maxOutputLength: MAX_OBJECTS_BYTES }).toString('latin1');
  } catch {
    return '';
  }
}
