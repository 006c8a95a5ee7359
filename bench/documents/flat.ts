const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = [
  ...['office', 'text', 'table', 'style', 'presentation'].map((name) => [name, `${OASIS}:${name}:1.0`]),
  ['draw', `${OASIS}:drawing:1.0`],
  ['fo', `${OASIS}:xsl-fo-compatible:1.0`],
  ['svg', `${OASIS}:svg-compatible:1.0`],
  ['of', `${OASIS}:of:1.2`],
  ['xlink', 'http://www.w3.org/1999/xlink'],
]
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');

export interface FlatDocument {
  kind: 'text' | 'spreadsheet' | 'presentation';
  styles?: string;
  automaticStyles?: string;
  masterStyles?: string;
  body: string;
}

/** A flat ODF document (OpenDocument 1.2, one XML file), which the service turns into the Office formats. */
export function flatDocument({ kind, styles, automaticStyles, masterStyles, body }: FlatDocument): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${kind}">
${wrapped('styles', styles)}${wrapped('automatic-styles', automaticStyles)}${wrapped('master-styles', masterStyles)}
<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`);
}

function wrapped(name: string, content: string | undefined): string {
  return content === undefined ? '' : `<office:${name}>${content}</office:${name}>\n`;
}

/** A picture in a frame; `place` holds the frame's further attributes, lengths in centimetres. */
export function picture(png: Buffer, widthCm: number, heightCm: number, place: string): string {
  return `<draw:frame ${place} svg:width="${widthCm}cm" svg:height="${heightCm}cm"><draw:image><office:binary-data>${png.toString('base64')}</office:binary-data></draw:image></draw:frame>`;
}

/** `item(1)` to `item(count)`, joined. */
export function repeat(count: number, item: (n: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index + 1)).join('');
}
