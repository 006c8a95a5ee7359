import { createReadStream } from 'node:fs';
import { isMetafile, START_BYTES } from './metafile/lines.ts';
import { parseXml, type XmlHandler } from './xml.ts';

/** Larger pieces are slower to search: they no longer fit into the processor's cache. */
const PIECE_BYTES = 64 * 1024;
const OPENING = Buffer.from('<office:binary-data>');
const CLOSING = Buffer.from('</office:binary-data>');

/**
 * Parses what the engine made of a document: a flat OpenDocument file (ODF 1.3 part 3, section 3.1.1).
 * @param signal ends it between two slices; the promise then rejects with the signal's reason
 * @throws {AppError} `corrupt_source`: `malformed_xml`, `doctype`
 */
export function parseTwin(path: string, handler: XmlHandler, signal?: AbortSignal): Promise<void> {
  return parseXml(withoutPictures(createReadStream(path, { highWaterMark: PIECE_BYTES })), handler, signal);
}

/** Of a metafile, in base64: what is behind is left out. */
const MAX_METAFILE = 2 ** 20;

/** Leaves out the bytes of pictures, of which a file may mostly consist, but for metafiles: those may have text. */
async function* withoutPictures(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let isInside = false;
  /** So many more bytes of the picture are passed on; undefined at its start. */
  let wanted: number | undefined;
  for await (const piece of pieces) {
    let left: Buffer = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    for (;;) {
      if (isInside && wanted === undefined) {
        if (left.length < START_BYTES) break;
        wanted = isMetafile(left) ? MAX_METAFILE : 0;
      }
      const mark = isInside ? CLOSING : OPENING;
      const at = left.indexOf(mark);
      // The beginning of a mark may stand at the end.
      const end = at < 0 ? Math.max(0, left.length - mark.length + 1) : at + (isInside ? 0 : mark.length);
      const passed = isInside ? Math.min(end, wanted ?? 0) : end;
      if (passed > 0) yield left.subarray(0, passed);
      if (isInside) wanted = (wanted ?? 0) - passed;
      left = left.subarray(end);
      if (at < 0) break;
      isInside = !isInside;
      wanted = undefined;
    }
    rest = left;
  }
  if (!isInside) yield rest;
}
