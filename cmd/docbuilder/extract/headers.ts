import { createFlow, linesText } from './flow.ts';
import { type Part, part } from './parts.ts';
import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './sax.ts';

/** A header or footer of a page style. */
export interface PageText {
  kind: 'header' | 'footer';
  masterPage: string;
  text: string;
}

/**
 * Handlers of the headers and footers of all page styles, those of first and left pages too (ODF 1.3 part 3, section
 * 16.11).
 * @param found receives those that have text
 */
export function headerElements(reader: Reader, found: PageText[]): Elements {
  let masterPage = '';
  const read = (kind: PageText['kind']): Open => {
    return (attributes) => {
      if (attributes['style:display'] === 'false') return SKIP;
      const flow = createFlow();
      const restore = reader.divert(flow, { style: reader.styles.base('paragraph') });
      return () => {
        restore();
        const text = linesText(flow.lines).trim();
        if (text !== '') found.push({ kind, masterPage, text });
      };
    };
  };
  const pages = ['', '-left', '-first'].flatMap((page) => [
    [`style:header${page}`, read('header')] as const,
    [`style:footer${page}`, read('footer')] as const,
  ]);
  return {
    'style:master-page': (attributes) => {
      masterPage = attributes['style:name'] ?? '';
      return undefined;
    },
    ...Object.fromEntries(pages),
  };
}

/** Returns a part for each different text of one kind, in order. */
export function pageParts(found: readonly PageText[], kind: PageText['kind']): Part[] {
  const texts = new Set(found.filter((page) => page.kind === kind).map(({ text }) => text));
  return [...texts].map((text) => part(kind, text));
}
