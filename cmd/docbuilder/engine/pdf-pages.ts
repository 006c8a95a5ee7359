import { open } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';

/** Bytes at the end of a file that are looked at first. */
const ENDS = [64 * 1024, 4 * 1024 * 1024];
/** More unpacks no stream of objects to: each holds a few hundred. */
const MAX_OBJECTS_BYTES = 32 * 1024 * 1024;
/** The root of the page tree as LibreOffice writes it: the only node, with all pages as its kids. */
const PAGE_TREE = /\/Type\s*\/Pages\b/;
const COUNT = /\/Count\s+(\d+)/;
const OBJECTS = /\/Type\s*\/ObjStm\b/g;
const STREAM = /stream\r?\n/g;

/**
 * Counts the pages of a PDF that LibreOffice wrote, from its page tree. It stands near the end; of a large file only
 * the end is read.
 */
export async function countPages(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    for (const length of [...ENDS.filter((end) => end < size), size]) {
      const end = Buffer.alloc(length);
      await file.read(end, 0, length, size - length);
      const count = countIn(end);
      if (count !== undefined) return count;
    }
    return 0;
  } finally {
    await file.close();
  }
}

function countIn(pdf: Buffer): number | undefined {
  const text = pdf.toString('latin1');
  return lastCount(text) ?? lastInObjectStreams(pdf, text);
}

/**
 * The count of the last page tree in a text. Whatever stands in a document's title stands in here too: each piece
 * without `>` is gone through once, so that a title of nothing but page trees costs no more than its length.
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

/** Newer versions pack objects into compressed streams (ISO 32000-1, 7.5.7). */
function lastInObjectStreams(pdf: Buffer, text: string): number | undefined {
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
