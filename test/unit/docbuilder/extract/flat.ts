import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractText } from '../../../../cmd/docbuilder/extract/document.ts';
import type { Family } from '../../../../cmd/docbuilder/formats.ts';
import type { ExtractedText } from '../../../../src/common/generated/wire.ts';

/** The pieces of a flat document as LibreOffice writes it, in XML. */
export interface Pieces {
  /** The content of office:text, office:spreadsheet or office:presentation. */
  body: string;
  automatic?: string;
  fonts?: string;
  styles?: string;
  masters?: string;
  meta?: string;
  settings?: string;
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const PREFIXES = 'office text table style presentation meta form config draw svg fo dc officeooo loext field chart';
export const NAMESPACES = PREFIXES.split(' ').map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`);
const BODIES = { text: 'text', sheet: 'spreadsheet', slides: 'presentation' } as const;

/** Returns a flat document of the pieces. */
export function toFlat(family: Family, pieces: Pieces): string {
  const { body, automatic = '', fonts = '', styles = '', masters = '', meta = '', settings = '' } = pieces;
  const kind = BODIES[family];
  const parts = [
    `<office:meta>${meta}</office:meta><office:settings>${settings}</office:settings>`,
    `<office:font-face-decls>${fonts}</office:font-face-decls><office:styles>${styles}</office:styles>`,
    `<office:automatic-styles>${automatic}</office:automatic-styles><office:master-styles>${masters}</office:master-styles>`,
    `<office:body><office:${kind}>${body}</office:${kind}></office:body>`,
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<office:document ${NAMESPACES.join(' ')}>${parts.join('')}</office:document>`;
}

/** Writes bytes to a file for as long as `use` takes. */
export async function withFile<T>(bytes: Uint8Array | string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-extract-'));
  try {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function extract(
  family: Family,
  document: Pieces | Uint8Array | string,
  maxBytes = 10 * 2 ** 20,
): Promise<ExtractedText> {
  const isMade = typeof document === 'string' || document instanceof Uint8Array;
  return withFile(isMade ? document : toFlat(family, document), (path) => extractText(path, family, maxBytes, 1));
}
