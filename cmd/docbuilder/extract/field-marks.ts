import { readText } from './paragraphs.ts';
import type { Reader } from './reader.ts';
import { type Elements, SKIP } from './walk.ts';

/**
 * Drop-down lists of Word's forms, which LibreOffice writes as field marks: the chosen entry is text of the paragraph,
 * the first entry where the document chooses none.
 */
export function fieldMarkElements(reader: Reader): Elements {
  let entries: string[] = [];
  let chosen = 0;
  return {
    'field:fieldmark': (attributes) => {
      if (!attributes['field:type']?.endsWith('.FORMDROPDOWN')) return undefined;
      entries = [];
      chosen = 0;
      return () => readText(reader, entries[chosen] ?? '');
    },
    'field:param': (attributes) => {
      const value = attributes['field:value'] ?? '';
      if (attributes['field:name'] === 'Dropdown_ListEntry') entries.push(value);
      if (attributes['field:name'] === 'Dropdown_Selected') chosen = Number(value);
      return SKIP;
    },
  };
}
