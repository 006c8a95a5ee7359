import type { Reader } from './reader.ts';
import type { Attributes, Elements } from './sax.ts';

/** Handlers of lists (ODF 1.3 part 3, section 5.3). LibreOffice writes labels as `text:number` in text documents only. */
export function listElements(reader: Reader): Elements {
  return {
    'text:list': (attributes) => {
      const { list, listLevel } = reader;
      const style = attributes['text:style-name'];
      reader.listLevel += 1;
      if (reader.family === 'slides' && (!list || style !== undefined)) reader.list = reader.styles.listCounter(style);
      return () => Object.assign(reader, { list, listLevel });
    },
    'text:list-item': (attributes) => {
      const around = reader.listItem;
      reader.listItem = { label: '', start: parseStart(attributes) };
      return () => {
        reader.listItem = around;
      };
    },
    'text:number': reader.capture((label) => {
      if (reader.listItem) reader.listItem.label = label.trimStart();
    }),
  };
}

/**
 * Takes the label that a paragraph begins with: the first one of an item has the item's, a heading its number.
 * @param heading attributes of the paragraph if it is a heading
 * @returns an empty text for a paragraph without one
 */
export function takeLabel(reader: Reader, heading: Attributes | undefined): string {
  const { listItem, list, listLevel } = reader;
  reader.listItem = undefined;
  if (listItem && !list) return listItem.label;
  const label = listItem ? list?.next(listLevel, listItem.start) : headingLabel(reader, heading);
  if (!label) return '';
  reader.budget.take(label);
  return label;
}

function headingLabel(reader: Reader, heading: Attributes | undefined): string {
  if (!heading || reader.listLevel > 0 || heading['text:is-list-header'] === 'true') return '';
  if (!reader.styles.isNumbered(heading['text:style-name'])) return '';
  reader.headings ??= reader.styles.listCounter(undefined);
  return reader.headings.next(Number(heading['text:outline-level'] ?? 1) || 1, parseStart(heading));
}

/** Returns the number that counting begins anew with. */
function parseStart(attributes: Attributes): number | undefined {
  const start = attributes['text:start-value'] ?? (attributes['text:restart-numbering'] === 'true' ? 1 : undefined);
  return start === undefined ? undefined : Number(start) || 0;
}
