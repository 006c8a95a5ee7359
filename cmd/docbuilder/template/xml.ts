import { XML_ENTITIES } from '../source/inspect/xml-entities.ts';

/** Text as XML character data; a line feed stays, a carriage return would not (XML 1.0, section 2.11). */
export function escapeText(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, escaped) : text;
}

/** Text as the value of an attribute in double quotes (XML 1.0, section 3.3.3). */
export function escapeAttribute(text: string): string {
  return /[&<>"\t\n\r]/.test(text) ? text.replace(/[&<>"\t\n\r]/g, escaped) : text;
}

/** A text of which this is true is its own XML. */
const PLAIN = /^[ !-%'-;=?-\ud7ff\ue000-\ufffd]*$/;
/** What XML 1.0 has no characters for (section 2.2). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const BREAK = '</w:t><w:br/><w:t xml:space="preserve">';
const TAB = '</w:t><w:tab/><w:t xml:space="preserve">';

/**
 * A value as content of a `w:t`: lines are parted by `w:br`, tabs are `w:tab`, what XML cannot hold is dropped. It
 * leaves the `w:t` and enters another of the same run, so that the run's formatting holds for all of it.
 */
export function runText(value: string): string {
  if (PLAIN.test(value)) return value;
  return escapeText(value.replace(FORBIDDEN, '').replace(/\r\n?/g, '\n')).replaceAll('\n', BREAK).replaceAll('\t', TAB);
}

function escaped(character: string): string {
  return XML_ENTITIES[character] ?? character;
}
