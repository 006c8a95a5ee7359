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

/** A slide with a text and a video, for which a picture stands. */
export function slidesWithVideo(text: string): Buffer {
  const names = `${NAMESPACES} xmlns:xlink="http://www.w3.org/1999/xlink"`;
  const place = 'svg:x="2cm" svg:y="2cm" svg:width="8cm" svg:height="3cm"';
  const link = (path: string) => `xlink:href="${path}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"`;
  const video = `<draw:plugin ${link('Media/a.mp4')} draw:mime-type="application/vnd.sun.star.media"/><draw:image ${link('Pictures/a.png')}/>`;
  const page = `<draw:page draw:name="page1"><draw:frame ${place}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame><draw:frame ${place}>${video}</draw:frame></draw:page>`;
  const file = (path: string, type: string) =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`;
  return zip({
    mimetype: ODF_TYPES.odp,
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content ${names} office:version="1.3"><office:body><office:presentation>${page}</office:presentation></office:body></office:document-content>`,
    'Media/a.mp4': 'no video',
    'Pictures/a.png': PNG,
    'META-INF/manifest.xml': manifest(ODF_TYPES.odp).replace(
      '</manifest:manifest>',
      `${file('Media/a.mp4', 'application/vnd.sun.star.media')}${file('Pictures/a.png', 'image/png')}</manifest:manifest>`,
    ),
  });
}

/** One grey pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

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
