import { type DocumentSize, type Parts, SENTENCE, times, zip } from '../../scripts/support/documents.ts';

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = `xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:table="${ODF}:table:1.0" xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:style="${ODF}:style:1.0"`;
const TYPE = 'application/vnd.oasis.opendocument';

/** Media types of OpenDocument packages, by extension. */
export const ODF_TYPES = {
  odt: `${TYPE}.text`,
  ott: `${TYPE}.text-template`,
  ods: `${TYPE}.spreadsheet`,
  ots: `${TYPE}.spreadsheet-template`,
  odp: `${TYPE}.presentation`,
  otp: `${TYPE}.presentation-template`,
} as const;
export type OdfFormat = keyof typeof ODF_TYPES;
export type FlatFormat = 'fodt' | 'fods' | 'fodp';

/** An OpenDocument package; `extra` adds or replaces parts. */
export function odf(format: OdfFormat, size: DocumentSize = {}, extra: Parts = {}): Buffer {
  return zip({ ...odfParts(format, size), ...extra });
}

export function odfParts(format: OdfFormat, size: DocumentSize = {}): Parts {
  return {
    mimetype: ODF_TYPES[format],
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content ${NAMESPACES} office:version="1.3">${body(format, size)}</office:document-content>`,
    'META-INF/manifest.xml': manifest(ODF_TYPES[format]),
  };
}

/** `inner` goes into the entry of content.xml: an encrypted package has `<manifest:encryption-data …/>` there. */
export function manifest(mediaType: string, inner = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0" manifest:version="1.3">
<manifest:file-entry manifest:full-path="/" manifest:version="1.3" manifest:media-type="${mediaType}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">${inner}</manifest:file-entry>
</manifest:manifest>`;
}

/** The same documents in one XML file. */
export function flatOdf(format: FlatFormat, size: DocumentSize = {}, prolog = ''): Buffer {
  const packaged = format.slice(1) as 'odt' | 'ods' | 'odp';
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n${prolog}<office:document ${NAMESPACES} office:version="1.3" office:mimetype="${ODF_TYPES[packaged]}">${body(packaged, size)}</office:document>`,
  );
}

function body(format: OdfFormat, { paragraphs = 1, rows = 3, columns = 3, slides = 1 }: DocumentSize): string {
  const text = (n: number): string => `<text:p>${n}. ${SENTENCE}</text:p>`;
  if (/^o(dt|tt)$/.test(format)) return wrap('text', times(paragraphs, text));
  if (/^o(ds|ts)$/.test(format)) {
    const cells = (row: number): string =>
      times(columns, (column) => `<table:table-cell office:value-type="float" office:value="${row * column}"/>`);
    const data = times(rows, (row) => `<table:table-row>${cells(row)}</table:table-row>`);
    return wrap('spreadsheet', `<table:table table:name="Bảng">${data}</table:table>`);
  }
  const page = (n: number): string =>
    `<draw:page draw:name="slide${n}"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box>${text(n)}</draw:text-box></draw:frame></draw:page>`;
  return wrap('presentation', times(slides, page));
}

function wrap(kind: string, content: string): string {
  return `<office:body><office:${kind}>${content}</office:${kind}></office:body>`;
}

/** RTF with Vietnamese letters as `\u` escapes. */
export function rtf({ paragraphs = 1 }: DocumentSize = {}): Buffer {
  const escaped = SENTENCE.replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0)}?`);
  return Buffer.from(
    `{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times New Roman;}}\n${times(paragraphs, (n) => `${n}. ${escaped}\\par\n`)}}`,
  );
}

export function txt({ paragraphs = 1 }: DocumentSize = {}): Buffer {
  return Buffer.from(times(paragraphs, (n) => `${n}. ${SENTENCE}\n`));
}

export function csv({ rows = 3, columns = 3 }: DocumentSize = {}, delimiter = ','): Buffer {
  const line = (row: number): string =>
    Array.from({ length: columns }, (_, column) => (column ? `${row * column}` : `"Dòng ${row}"`)).join(delimiter);
  return Buffer.from(times(rows, (row) => `${line(row)}\r\n`));
}
