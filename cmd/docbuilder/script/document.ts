import type { Meta, Script } from '../../../src/common/generated/script.ts';
import type { Picture } from './check/pictures.ts';
import { type Attributes, element, escapeXml, startTag } from './xml.ts';

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

/** The input of a document besides its script. */
export interface Surroundings {
  /** By JSON Pointer of the image in the script, such as `/body/3`. */
  pictures: ReadonlyMap<string, Picture>;
  now: Date;
}

export interface Content {
  kind: 'text' | 'spreadsheet' | 'presentation';
  /** Pieces of the body, made one by one: the whole may be larger than memory. */
  body: Iterable<string>;
  /** The rest, complete only after the body: its styles are in it. */
  head(): Record<'styles' | 'automatic' | 'masters', string> & { settings?: string };
}

/** Builds a document from a checked script. */
export type ContentBuilder = (script: Script, surroundings: Surroundings) => Content;

/** The pieces of a flat OpenDocument file (ODF 1.3 part 3, `office:document`). */
export interface FlatDocument {
  body: Iterable<string>;
  /** Called after the body. */
  head(): string;
  tail: string;
}

export function toFlat({ kind, body, head }: Content, meta: Meta | undefined, now: Date): FlatDocument {
  const attributes = {
    ...NAMESPACES,
    'office:version': '1.3',
    'office:mimetype': `application/vnd.oasis.opendocument.${kind}`,
  };
  const writeHead = (): string => {
    const { settings, styles, automatic, masters } = head();
    return [
      '<?xml version="1.0" encoding="UTF-8"?>\n',
      startTag('office:document', attributes),
      officeMeta(meta, now),
      settings && element('office:settings', {}, settings),
      element('office:styles', {}, styles),
      element('office:automatic-styles', {}, automatic),
      element('office:master-styles', {}, masters),
      `<office:body><office:${kind}>`,
    ].join('');
  };
  return { body, head: writeHead, tail: `</office:${kind}></office:body></office:document>` };
}

const DEFAULT_LANGUAGE = 'vi-VN';
const EAST_ASIAN = ['zh', 'ja', 'ko', 'yue'];
/** Languages whose letters LibreOffice calls "complex": right-to-left, or shaped by context. */
const COMPLEX =
  'ar he fa ur ps sd ug yi dv syr ku ckb th lo km my hi mr ne sa bn as pa gu or ta te kn ml si bo dz'.split(' ');

function officeMeta(meta: Meta = {}, now: Date): string {
  const { title, subject, author, keywords = [], description } = meta;
  const date = now.toISOString().slice(0, 19);
  const entries = {
    'dc:title': title,
    'dc:subject': subject,
    'dc:description': description,
    'meta:initial-creator': author,
    'dc:creator': author,
    'dc:language': getLanguage(meta),
    'meta:creation-date': date,
    'dc:date': date,
    'meta:keyword': keywords,
  };
  const content = Object.entries(entries).flatMap(([name, value = []]) =>
    [value].flat().map((text) => text && element(name, {}, escapeXml(text))),
  );
  return element('office:meta', {}, content.join(''));
}

/** The language as a BCP 47 tag. */
export function getLanguage(meta: Meta = {}): string {
  return meta.lang ?? DEFAULT_LANGUAGE;
}

/** The language as attributes of a default style. An East Asian or "complex" language has attributes of its own as well. */
export function languageAttributes(meta: Meta = {}): Attributes {
  const { language, script, region } = new Intl.Locale(getLanguage(meta));
  const country = region ?? 'none';
  const own = EAST_ASIAN.includes(language) ? 'asian' : COMPLEX.includes(language) ? 'complex' : undefined;
  return {
    'fo:language': language,
    'fo:script': script,
    'fo:country': country,
    ...(own && {
      [`style:language-${own}`]: language,
      [`style:script-${own}`]: script,
      [`style:country-${own}`]: country,
    }),
  };
}

/** A setting, for a `config:config-item-set`. */
export function configItem(name: string, type: string, value: string | number | boolean): string {
  return element('config:config-item', { 'config:name': name, 'config:type': type }, escapeXml(String(value)));
}
