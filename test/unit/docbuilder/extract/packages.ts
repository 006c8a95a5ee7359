import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Family } from '../../../../cmd/docbuilder/domain/formats.ts';
import { createExtractor, type TextOptions } from '../../../../cmd/docbuilder/store/extract/extractor.ts';
import { AppError } from '../../../../src/common/errors.ts';
import type { ExtractedText } from '../../../../src/common/generated/wire.ts';
import { zip } from '../../../support/documents.ts';
import { ODF_TYPES } from '../../../support/open-documents.ts';

/** Packages in the shape in which LibreOffice writes them, made of pieces of their XML. */
export interface Pieces {
  /** What is in office:text, office:spreadsheet or office:presentation. */
  body: string;
  /** Automatic styles of content.xml. */
  automatic?: string;
  fonts?: string;
  /** Named styles, and master pages with headers, of styles.xml. */
  styles?: string;
  masters?: string;
  /** What is in office:meta. */
  meta?: string;
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
export const NAMESPACES = [
  ...['office', 'text', 'table', 'style', 'presentation', 'meta'].map((name) => `xmlns:${name}="${ODF}:${name}:1.0"`),
  `xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:fo="${ODF}:xsl-fo-compatible:1.0"`,
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:officeooo="http://openoffice.org/2009/office"',
  'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"',
].join(' ');

const FORMATS = { text: 'odt', sheet: 'ods', slides: 'odp' } as const;
const BODIES = { text: 'text', sheet: 'spreadsheet', slides: 'presentation' } as const;

export function contentOf(family: Family, { body, automatic = '', fonts = '' }: Pieces): string {
  const kind = BODIES[family];
  return root(
    'content',
    `<office:font-face-decls>${fonts}</office:font-face-decls><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`,
  );
}

export function packageOf(family: Family, pieces: Pieces): Buffer {
  const { styles = '', masters = '', meta = '', fonts = '' } = pieces;
  return zip({
    mimetype: ODF_TYPES[FORMATS[family]],
    'content.xml': contentOf(family, pieces),
    'styles.xml': root(
      'styles',
      `<office:font-face-decls>${fonts}</office:font-face-decls><office:styles>${styles}</office:styles><office:master-styles>${masters}</office:master-styles>`,
    ),
    'meta.xml': root('meta', `<office:meta>${meta}</office:meta>`),
  });
}

function root(part: string, inner: string): string {
  const name = `office:document-${part}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${NAMESPACES} office:version="1.3">${inner}</${name}>`;
}

export const extractor = createExtractor();

/** Writes bytes to a file for as long as `use` takes. */
export async function withFile<T>(bytes: Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-extract-'));
  try {
    const path = join(folder, 'package');
    await writeFile(path, bytes);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function extract(
  family: Family,
  pieces: Pieces | Uint8Array,
  options: Partial<TextOptions> = {},
): Promise<ExtractedText> {
  const bytes = pieces instanceof Uint8Array ? pieces : packageOf(family, pieces);
  return withFile(bytes, (path) => extractor.text(path, family, { maxBytes: 10 * 2 ** 20, ...options }));
}

/** The text of the first part. */
export async function textOf(family: Family, pieces: Pieces): Promise<string | undefined> {
  return (await extract(family, pieces)).parts[0]?.text;
}

/** The code and detail of the error that a promise ends in. */
export async function failure(promise: Promise<unknown>): Promise<{ code: string; detail: object } | 'none'> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.detail };
  }
}
