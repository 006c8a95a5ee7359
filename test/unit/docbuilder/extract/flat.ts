import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExtractor, type TextOptions } from '../../../../cmd/docbuilder/extract/extractor.ts';
import type { Family } from '../../../../cmd/docbuilder/formats.ts';
import { AppError } from '../../../../src/common/errors.ts';
import type { ExtractedText } from '../../../../src/common/generated/wire.ts';

/** Flat documents in the shape in which LibreOffice writes them, made of pieces of their XML. */
export interface Pieces {
  /** What is in office:text, office:spreadsheet or office:presentation. */
  body: string;
  /** Automatic styles. */
  automatic?: string;
  fonts?: string;
  /** Named styles, and master pages with headers. */
  styles?: string;
  masters?: string;
  /** What is in office:meta. */
  meta?: string;
  /** Items of office:settings. */
  settings?: string;
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
export const NAMESPACES = [
  ...['office', 'text', 'table', 'style', 'presentation', 'meta', 'form', 'config'].map(
    (name) => `xmlns:${name}="${ODF}:${name}:1.0"`,
  ),
  `xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:fo="${ODF}:xsl-fo-compatible:1.0"`,
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:officeooo="http://openoffice.org/2009/office"',
  'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"',
  'xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"',
].join(' ');

const BODIES = { text: 'text', sheet: 'spreadsheet', slides: 'presentation' } as const;

/** A flat document of the pieces. */
export function flatOf(family: Family, pieces: Pieces): string {
  const { body, automatic = '', fonts = '', styles = '', masters = '', meta = '', settings = '' } = pieces;
  const kind = BODIES[family];
  const parts = [
    `<office:meta>${meta}</office:meta><office:settings>${settings}</office:settings>`,
    `<office:font-face-decls>${fonts}</office:font-face-decls><office:styles>${styles}</office:styles>`,
    `<office:automatic-styles>${automatic}</office:automatic-styles><office:master-styles>${masters}</office:master-styles>`,
    `<office:body><office:${kind}>${body}</office:${kind}></office:body>`,
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n<office:document ${NAMESPACES} office:version="1.3">${parts.join('')}</office:document>`;
}

export const extractor = createExtractor();

/** Writes bytes to a file for as long as `use` takes. */
export async function withFile<T>(bytes: Uint8Array | string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-extract-'));
  try {
    const path = join(folder, 'twin');
    await writeFile(path, bytes);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function extract(
  family: Family,
  document: Pieces | Uint8Array | string,
  options: Partial<TextOptions> = {},
): Promise<ExtractedText> {
  const isMade = typeof document === 'string' || document instanceof Uint8Array;
  const bytes = isMade ? document : flatOf(family, document);
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
