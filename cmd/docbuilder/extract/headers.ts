import { createFlow, textOf } from './flow.ts';
import { divert, type Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/** A header or footer of a page style. */
export interface PageText {
  kind: 'header' | 'footer';
  masterPage: string;
  text: string;
}

/**
 * Headers and footers of all page styles, those of first and left pages too (ODF 1.3 part 3, section 16.11).
 * @param found gets those that have text
 */
export function headerElements(reader: Reader, found: PageText[]): Elements {
  let masterPage = '';
  const read = (kind: PageText['kind']): Open => {
    return (attributes) => {
      if (attributes['style:display'] === 'false') return SKIP;
      const flow = createFlow();
      const restore = divert(reader, flow, { style: reader.styles.base('paragraph') });
      return () => {
        restore();
        const text = textOf(flow).trim();
        if (text !== '') found.push({ kind, masterPage, text });
      };
    };
  };
  const elements: Elements = {
    'style:master-page': (attributes) => {
      masterPage = attributes['style:name'] ?? '';
      return undefined;
    },
  };
  for (const which of ['', '-left', '-first']) {
    elements[`style:header${which}`] = read('header');
    elements[`style:footer${which}`] = read('footer');
  }
  return elements;
}

/** The different texts of one kind, in order. */
export function distinct(found: readonly PageText[], kind: PageText['kind']): string[] {
  return [...new Set(found.filter((page) => page.kind === kind).map(({ text }) => text))];
}
