import type { Meta } from '../../../src/common/generated/script.ts';
import { type Attributes, element, escapeXml } from './xml.ts';

const DEFAULT_LANGUAGE = 'vi-VN';
const EAST_ASIAN = ['zh', 'ja', 'ko', 'yue'];
/** Languages whose letters LibreOffice takes for "complex": right-to-left, or shaped by context. */
const COMPLEX =
  'ar he fa ur ps sd ug yi dv syr ku ckb th lo km my hi mr ne sa bn as pa gu or ta te kn ml si bo dz'.split(' ');

/** `office:meta` (ODF 1.3 part 3, 4.3): what the document says about itself. `now` is when it was made. */
export function officeMeta(meta: Meta = {}, now: Date): string {
  const { title, subject, author, keywords = [], description } = meta;
  const date = now.toISOString().slice(0, 19);
  const entries: [name: string, value: string | undefined][] = [
    ['dc:title', title],
    ['dc:subject', subject],
    ['dc:description', description],
    ['meta:initial-creator', author],
    ['dc:creator', author],
    ['dc:language', getLanguage(meta)],
    ['meta:creation-date', date],
    ['dc:date', date],
    ...keywords.map((keyword): [string, string] => ['meta:keyword', keyword]),
  ];
  const content = entries.map(([name, value]) => (value ? element(name, {}, escapeXml(value)) : '')).join('');
  return element('office:meta', {}, content);
}

/** The language as a BCP 47 tag. */
export function getLanguage(meta: Meta = {}): string {
  return meta.lang ?? DEFAULT_LANGUAGE;
}

/**
 * The language as attributes of `style:text-properties` of a default style. An East Asian or "complex" language is
 * also said for the letters of its own.
 */
export function languageAttributes(meta: Meta = {}): Attributes {
  const { language, script, region } = new Intl.Locale(getLanguage(meta));
  const attributes: Record<string, string | undefined> = {
    'fo:language': language,
    'fo:script': script,
    'fo:country': region ?? 'none',
  };
  const own = EAST_ASIAN.includes(language) ? 'asian' : COMPLEX.includes(language) ? 'complex' : undefined;
  if (own) {
    attributes[`style:language-${own}`] = language;
    attributes[`style:script-${own}`] = script;
    attributes[`style:country-${own}`] = region ?? 'none';
  }
  return attributes;
}
