import { addLines } from './flow.ts';
import type { Attributes } from './namespaces.ts';
import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** Shows its label. */
const LABELLED = ['form:button', 'form:checkbox', 'form:radio', 'form:fixed-text', 'form:frame'];
/** Shows what it has been filled in with. */
const FILLED = [
  ...['form:text', 'form:textarea', 'form:formatted-text', 'form:number', 'form:date', 'form:time', 'form:combobox'],
];

/**
 * Controls of forms (ODF 1.3 part 3, section 13): they are declared before the text, which says where they are. What
 * they show is text of a shape.
 * @param shape reads a shape
 */
export function controlElements(reader: Reader, shape: Open): Elements {
  const texts = new Map<string, string>();
  let list = '';
  const keep = (attributes: Attributes, text: string | undefined) => {
    const id = attributes['xml:id'] ?? attributes['form:id'];
    if (id !== undefined && text) texts.set(id, text.replaceAll(/[\t\n\r]/g, ' '));
  };
  const labelled: Open = (attributes) => {
    keep(attributes, attributes['form:label']);
    return undefined;
  };
  const filled: Open = (attributes) => {
    keep(attributes, attributes['form:current-value'] ?? attributes['form:value']);
    return undefined;
  };
  return {
    ...Object.fromEntries(LABELLED.map((name) => [name, labelled])),
    ...Object.fromEntries(FILLED.map((name) => [name, filled])),
    'form:listbox': (attributes) => {
      list = '';
      return () => keep(attributes, list);
    },
    'form:option': (attributes) => {
      if (attributes['form:current-selected'] === 'true') list = attributes['form:label'] ?? '';
      return SKIP;
    },
    'draw:control': (attributes) => {
      const text = texts.get(attributes['draw:control'] ?? '');
      const close = text === undefined ? SKIP : shape(attributes);
      if (text === undefined || close === SKIP) return SKIP;
      reader.output.take(text);
      addLines(reader.flow, [text]);
      close?.();
      return SKIP;
    },
  };
}
