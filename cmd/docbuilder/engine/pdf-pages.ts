import { open, readFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';

const STEP = 64 * 1024;
const FAR = 4 * 1024 * 1024;
/** The root of the page tree as LibreOffice writes it: the only node, with all pages as its kids. */
const PAGE_TREE = /\/Type\s*\/Pages\b[^>]*?\/Count\s+(\d+)/g;

/**
 * Counts the pages of a PDF that LibreOffice wrote, from its page tree. It stands near the end; of a large file only
 * the end is read.
 */
export async function countPages(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    for (let length = Math.min(STEP, size); ; length = Math.min(length * 4, size)) {
      const end = Buffer.alloc(length);
      await file.read(end, 0, length, size - length);
      const count = lastCount(end.toString('latin1'));
      if (count !== undefined) return count;
      if (length === size || length > FAR) break;
    }
  } finally {
    await file.close();
  }
  return countInObjectStreams(await readFile(path));
}

function lastCount(text: string): number | undefined {
  const found = [...text.matchAll(PAGE_TREE)].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Newer versions pack objects into compressed streams (ISO 32000-1, 7.5.7). */
function countInObjectStreams(pdf: Buffer): number {
  const text = pdf.toString('latin1');
  let count: number | undefined;
  for (const match of text.matchAll(/\/Type\s*\/ObjStm\b[\s\S]*?stream\r?\n/g)) {
    const start = match.index + match[0].length;
    const end = text.indexOf('endstream', start);
    count = lastCount(inflate(pdf.subarray(start, end))) ?? count;
  }
  return count ?? lastCount(text) ?? 0;
}

function inflate(data: Buffer): string {
  try {
    return inflateSync(data).toString('latin1');
  } catch {
    return '';
  }
}
