import type { Cell, Column, Sheet } from '../../../../src/common/generated/script.ts';
import { lookAttributes, lookProperties } from '../inline.ts';
import { getCells } from '../parts.ts';
import { namedStyle, properties, type Styles, textAlign } from '../styles.ts';
import { lineValue } from '../table.ts';
import { type Attributes, element } from '../xml.ts';
import { dataStyle, formatFor, generalStyle, shownLength } from './formats.ts';

/** The look of cells. A row overrides its column, and a cell its row. */
export type CellLook = Omit<Column, 'width' | 'hidden'>;

const LETTERS = ['bold', 'italic', 'underline', 'strike', 'color', 'font', 'size'] as const;
const MEMBERS = [...LETTERS, 'align', 'valign', 'background', 'wrap', 'border', 'format'] as const;

/** Equal looks have equal keys; that of an empty look is empty. */
export function lookKey(look: CellLook): string {
  let key = '';
  for (const member of MEMBERS) {
    const value = look[member];
    if (value === undefined) continue;
    key += `${member}:${typeof value === 'object' ? JSON.stringify(value) : value};`;
  }
  return key;
}

/** Name of the automatic style of a look; none for an empty look. @param separators see `dataStyle` */
export function cellStyle(look: CellLook, separators: Attributes, styles: Styles): string | undefined {
  const { align, valign, background, wrap, border, format, ...letters } = look;
  const cell: Attributes = {
    'style:text-align-source': align && 'fix',
    'style:repeat-content': align && 'false',
    'style:vertical-align': valign,
    'fo:background-color': background,
    'fo:wrap-option': wrap === undefined ? undefined : wrap ? 'wrap' : 'no-wrap',
    'fo:border': border && lineValue(border),
  };
  const content = [
    properties('table-cell', cell),
    properties('paragraph', { 'fo:text-align': textAlign(align), 'fo:margin-left': align && '0mm' }),
    lookProperties(letters),
  ].join('');
  const data = format && dataStyle(format, separators, styles);
  if (content === '' && data === undefined) return undefined;
  return styles.style('table-cell', content, {
    'style:parent-style-name': 'Default',
    'style:data-style-name': data,
  });
}

const FONT = 'Calibri';
const SIZE = 11;

/** The named styles of a spreadsheet: the default look of cells. */
export function cellDefaults(language: Attributes, separators: Attributes): string {
  const text = properties('text', { ...lookAttributes({ font: FONT, size: SIZE }), ...language });
  return [
    generalStyle('General', separators),
    element('style:default-style', { 'style:family': 'table-cell' }, text),
    namedStyle('table-cell', 'Default', '', { 'style:data-style-name': 'General' }),
  ].join('');
}

/** ` table:style-name="…"` of a cell; empty where its look is the column's. */
export type LookUp = (column: number, cell: Cell, row: CellLook | undefined, rowKey: string) => string;

/** Names the styles of one sheet's cells. Each combination of looks is resolved once. */
export function createLookUp(columns: readonly Column[], separators: Attributes, styles: Styles): LookUp {
  const columnKeys = columns.map(lookKey);
  const known = new Map<string, string>();
  return (column, cell, row, rowKey) => {
    const own = getLook(cell);
    const ownKey = own ? lookKey(own) : '';
    const inherited = row?.format ?? columns[column]?.format;
    const format = own?.format ?? formatFor(cell, inherited);
    if (ownKey === '' && rowKey === '' && format === inherited) return '';
    const key = `${columnKeys[column] ?? ''}|${rowKey}|${ownKey}|${format ?? ''}`;
    const name = known.get(key);
    if (name !== undefined) return name;
    const look = { ...columns[column], ...row, ...own, ...(format && { format }) };
    const attribute = ` table:style-name="${cellStyle(look, separators, styles) ?? 'Default'}"`;
    known.set(key, attribute);
    return attribute;
  };
}

/** The cell's own look. A cell with lines needs `wrap`: else LibreOffice wraps all cells of its style in xlsx. */
function getLook(cell: Cell): CellLook | undefined {
  const own = typeof cell === 'object' && cell !== null ? cell : undefined;
  const text = own?.type === 'string' ? own.value : cell;
  const hasLines = typeof text === 'string' && /[\r\n]/.test(text);
  return hasLines ? { ...own, wrap: true } : own;
}

/** Millimetres: a column's default width, a digit in the default font, a cell's edges. */
const DEFAULT_WIDTH = 22.58;
const DIGIT = 2;
const EDGES = 3;
const BOLD = 1.1;

/**
 * Widths of columns in millimetres. A column without one has room for its numbers, dates and times, and for large results
 * of its formulas, which would else be shown as `###`. Text runs on over empty cells.
 */
export function columnWidths({ columns = [], rows }: Sheet, count: number): (number | undefined)[] {
  const widths = Array.from({ length: count }, (_, column) => columns[column]?.width);
  const needed = new Array<number>(count).fill(0);
  for (const row of rows) {
    const look = Array.isArray(row) ? undefined : row;
    const cells = getCells(row);
    for (let column = 0; column < cells.length; column++) {
      const cell = cells[column];
      if (widths[column] !== undefined || cell === null || cell === undefined || typeof cell === 'string') continue;
      const own = typeof cell === 'object' ? cell : undefined;
      const other = columns[column];
      const format = own?.format ?? formatFor(cell, look?.format ?? other?.format);
      const length = shownLength(cell, format ?? 'general');
      if (length === 0) continue;
      const size = own?.size ?? look?.size ?? other?.size ?? SIZE;
      const bold = own?.bold ?? look?.bold ?? other?.bold ?? false;
      const width = (length * DIGIT * size * (bold ? BOLD : 1)) / SIZE + EDGES;
      if (width > (needed[column] ?? 0)) needed[column] = width;
    }
  }
  return widths.map((width, column) => {
    const least = needed[column] ?? 0;
    return width ?? (least > DEFAULT_WIDTH ? least : undefined);
  });
}
