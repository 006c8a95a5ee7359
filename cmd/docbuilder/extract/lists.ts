import { createFlow, openParagraph } from './flow.ts';
import type { Attributes } from './namespaces.ts';
import { divert, type Reader } from './reader.ts';
import type { Elements } from './walk.ts';

/** Lists (ODF 1.3 part 3, section 5.3). LibreOffice writes the labels of a text document's items as `text:number`. */
export function listElements(reader: Reader): Elements {
  return {
    'text:list': (attributes) => {
      const { list: around, level } = reader;
      const style = attributes['text:style-name'];
      reader.level += 1;
      if (reader.countsItems && (!around || style !== undefined)) reader.list = reader.styles.counters(style);
      return () => {
        reader.level = level;
        reader.list = around;
      };
    },
    'text:list-item': (attributes) => {
      const around = reader.item;
      reader.item = { label: '', start: startOf(attributes) };
      return () => {
        reader.item = around;
      };
    },
    'text:number': () => {
      const flow = createFlow();
      openParagraph(flow);
      const restore = divert(reader, flow, { onPage: false });
      return () => {
        restore();
        if (reader.item) reader.item.label = flow.paragraph?.pieces.join('') ?? '';
      };
    },
  };
}

/**
 * The label that a paragraph begins with: an item's first one has the item's, a heading its number.
 * @param heading attributes of the paragraph if it is a heading
 * @returns an empty text for a paragraph without one
 */
export function labelOf(reader: Reader, heading: Attributes | undefined): string {
  const { item, list, level } = reader;
  reader.item = undefined;
  if (item && !list) return item.label;
  const label = item ? list?.next(level, item.start) : headingLabel(reader, heading);
  if (!label) return '';
  reader.output.take(label);
  return label;
}

function headingLabel(reader: Reader, heading: Attributes | undefined): string {
  if (!heading || reader.level > 0 || heading['text:is-list-header'] === 'true') return '';
  if (!reader.styles.isNumbered(heading['text:style-name'])) return '';
  reader.headings ??= reader.styles.counters(undefined);
  return reader.headings.next(Number(heading['text:outline-level'] ?? 1) || 1, startOf(heading));
}

/** The number that counting begins anew with. */
function startOf(attributes: Attributes): number | undefined {
  const start = attributes['text:start-value'] ?? (attributes['text:restart-numbering'] === 'true' ? 1 : undefined);
  return start === undefined ? undefined : Number(start) || 0;
}
