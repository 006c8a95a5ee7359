import { closeParagraph, openParagraph } from './flow.ts';
import type { Reader } from './reader.ts';
import { type Attributes, type Elements, type Open, SKIP } from './sax.ts';

/** More spaces in a row, or deeper lists, are an attack. */
const MAX_SPACES = 4096;
const MAX_INDENT = 9;

/**
 * Returns handlers of paragraphs, lists and fields (ODF 1.3 part 3, sections 5 to 7). A paragraph is a line that begins with
 * its label, and with a tab for each list around the innermost. Fields are as displayed, ruby text follows its base in
 * brackets, hidden text is left out.
 */
export function paragraphElements(reader: Reader): Elements {
  const paragraph = (attributes: Attributes, heading?: Attributes): ReturnType<Open> => {
    const restore = reader.applyStyle('paragraph', attributes['text:style-name']);
    const { flow } = reader;
    openParagraph(flow, reader.style.hidden, takeLabel(reader, heading));
    return () => {
      const depth = reader.inCell ? 0 : Math.min(Math.max(reader.listLevel - 1, 0), MAX_INDENT);
      reader.budget.take('\n');
      closeParagraph(flow, '\t'.repeat(depth));
      restore?.();
    };
  };
  const span: Open = (attributes) => reader.applyStyle('text', attributes['text:style-name']);
  const mark = (text: (attributes: Attributes) => string): Open => {
    return (attributes) => reader.addMark(text(attributes));
  };
  return {
    'office:body': () => reader.resetStyle(),
    ...listElements(reader),
    ...changeElements(reader),
    ...dropDownElements(reader),
    'text:p': (attributes) => paragraph(attributes),
    'text:h': (attributes) => paragraph(attributes, attributes),
    'text:span': span,
    'text:a': span,
    'text:ruby-text': () => {
      reader.addMark(' (');
      return () => reader.addMark(')');
    },
    'text:tab': mark(() => '\t'),
    'text:line-break': mark(() => '\n'),
    'text:s': mark(({ 'text:c': count = 1 }) => ' '.repeat(Math.min(Number(count) || 0, MAX_SPACES))),
    'text:hidden-paragraph': (attributes) => {
      if (isHidden(attributes) && reader.flow.paragraph) reader.flow.paragraph.hidden = true;
      return SKIP;
    },
    ...Object.fromEntries(
      MAY_BE_HIDDEN.map((name) => [name, (attributes) => (isHidden(attributes) ? SKIP : undefined)]),
    ),
    ...Object.fromEntries(NOT_SHOWN.map((name) => [name, () => SKIP])),
  };
}

function isHidden(attributes: Attributes): boolean {
  return attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true';
}

const MAY_BE_HIDDEN = [
  ...['text:section', 'text:hidden-text', 'text:user-field-get', 'text:variable-get', 'text:variable-set'],
];

/** Elements with paragraphs or captured text that is not on the page. */
const NOT_SHOWN = [
  ...['office:meta', 'text:script', 'svg:title', 'svg:desc', 'table:tracked-changes', 'table:content-validations'],
];

/**
 * Returns handlers of tracked changes (ODF 1.3 part 3, section 5.5). LibreOffice leaves deleted text in its place; the page
 * shows it only if the document is shown with its changes.
 */
function changeElements(reader: Reader): Elements {
  const deletions = new Set<string>();
  const open = new Set<string>();
  let region = '';
  const change =
    (act: (id: string) => void): Open =>
    (attributes) => {
      const id = attributes['text:change-id'] ?? '';
      if (deletions.has(id)) act(id);
      reader.isDeleted = !reader.showsChanges && open.size > 0;
    };
  const setting = reader.capture((value) => {
    reader.showsChanges = value !== 'false';
  });
  return {
    'config:config-item': (attributes) =>
      attributes['config:name'] === 'ShowRedlineChanges' ? setting(attributes) : SKIP,
    'text:changed-region': (attributes) => {
      region = attributes['text:id'] ?? '';
    },
    'text:insertion': () => SKIP,
    'text:format-change': () => SKIP,
    'text:deletion': () => {
      deletions.add(region);
      return SKIP;
    },
    'text:change-start': change((id) => open.add(id)),
    'text:change-end': change((id) => open.delete(id)),
  };
}

/** Returns handlers of drop-down lists in Word's forms. The selected entry, or the first one, is text of the paragraph. */
function dropDownElements(reader: Reader): Elements {
  let entries: string[] = [];
  let chosen = 0;
  return {
    'field:fieldmark': (attributes) => {
      if (!attributes['field:type']?.endsWith('.FORMDROPDOWN')) return;
      entries = [];
      chosen = 0;
      return () => reader.addText(entries[chosen] ?? '');
    },
    'field:param': (attributes) => {
      const value = attributes['field:value'] ?? '';
      if (attributes['field:name'] === 'Dropdown_ListEntry') entries.push(value);
      if (attributes['field:name'] === 'Dropdown_Selected') chosen = Number(value);
      return SKIP;
    },
  };
}

/** Returns handlers of lists (ODF 1.3 part 3, section 5.3). LibreOffice writes labels (`text:number`) in text documents only. */
function listElements(reader: Reader): Elements {
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

/** Returns a paragraph's label: that of a list item for its first paragraph, or a heading's number. */
function takeLabel(reader: Reader, heading: Attributes | undefined): string {
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

/** Returns the number with which numbering restarts. */
function parseStart(attributes: Attributes): number | undefined {
  const start = attributes['text:start-value'] ?? (attributes['text:restart-numbering'] === 'true' ? 1 : undefined);
  return start === undefined ? undefined : Number(start) || 0;
}
