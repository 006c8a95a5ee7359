import type { Reader } from './reader.ts';
import { type Elements, type Open, SKIP } from './walk.ts';

/**
 * Embedded objects, which stand in the file as documents of their own: the titles, categories and values of a chart,
 * the rows of a spreadsheet. Their text is text of the frame that they are in; fonts, words and tables are not counted.
 */
export function objectElements(reader: Reader): Elements {
  let depth = 0;
  const ofObject: Open = () => (depth > 0 ? SKIP : undefined);
  return {
    'draw:object': () => {
      reader.frame = 'content';
      const { onPage } = reader;
      reader.onPage = false;
      depth += 1;
      return () => {
        depth -= 1;
        reader.onPage = onPage;
      };
    },
    // Its styles have names that styles of the document around have as well.
    ...Object.fromEntries(OWN_PARTS.map((name) => [name, ofObject])),
  };
}

const OWN_PARTS = ['office:styles', 'office:automatic-styles', 'office:master-styles', 'office:font-face-decls'];
