import type { Meta } from '../../../src/common/generated/script.ts';
import { officeMeta } from './metadata.ts';
import { element } from './xml.ts';

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = {
  'xmlns:office': `${OASIS}:office:1.0`,
  'xmlns:style': `${OASIS}:style:1.0`,
  'xmlns:text': `${OASIS}:text:1.0`,
  'xmlns:table': `${OASIS}:table:1.0`,
  'xmlns:draw': `${OASIS}:drawing:1.0`,
  'xmlns:presentation': `${OASIS}:presentation:1.0`,
  'xmlns:fo': `${OASIS}:xsl-fo-compatible:1.0`,
  'xmlns:svg': `${OASIS}:svg-compatible:1.0`,
  'xmlns:number': `${OASIS}:datastyle:1.0`,
  'xmlns:meta': `${OASIS}:meta:1.0`,
  'xmlns:config': `${OASIS}:config:1.0`,
  'xmlns:of': `${OASIS}:of:1.2`,
  'xmlns:xlink': 'http://www.w3.org/1999/xlink',
  'xmlns:ooo': 'http://openoffice.org/2004/office',
  'xmlns:msoxl': 'http://schemas.microsoft.com/office/excel/formula',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:loext': 'urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0',
};

/** The parts of a flat file before its body, as XML. */
export interface Head {
  kind: 'text' | 'spreadsheet' | 'presentation';
  meta: Meta | undefined;
  now: Date;
  /** Inside of `office:settings`. */
  settings?: string;
  /** Inside of `office:styles`. */
  styles: string;
  /** Inside of `office:automatic-styles`. */
  automatic: string;
  /** Inside of `office:master-styles`. */
  masters: string;
}

/** All that stands before the first piece of the body (ODF 1.3 part 3, 3.1.2). */
export function writeHead({ kind, meta, now, settings = '', styles, automatic, masters }: Head): string {
  const attributes = {
    ...NAMESPACES,
    'office:version': '1.3',
    'office:mimetype': `application/vnd.oasis.opendocument.${kind}`,
  };
  const start = element('office:document', attributes).slice(0, -'/>'.length);
  return [
    `<?xml version="1.0" encoding="UTF-8"?>\n${start}>`,
    officeMeta(meta, now),
    settings && element('office:settings', {}, settings),
    element('office:styles', {}, styles),
    element('office:automatic-styles', {}, automatic),
    element('office:master-styles', {}, masters),
    `<office:body><office:${kind}>`,
  ].join('');
}

/** All that stands after the body. */
export function writeTail(kind: Head['kind']): string {
  return `</office:${kind}></office:body></office:document>`;
}
