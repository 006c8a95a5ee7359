import type { Column, NumberFormat } from '../../../../src/common/generated/script.ts';
import { lookAttributes, lookProperties } from '../inline.ts';
import { properties, type Styles } from '../styles.ts';
import { lineValue } from '../table.ts';
import { type Attributes, element } from '../xml.ts';
import { dataStyle, generalStyle } from './formats.ts';

/** The look of cells. A row overrules its column, and a cell its row. */
export type CellLook = Omit<Column, 'width' | 'hidden'>;

const MEMBERS = [
  'bold',
  'italic',
  'underline',
  'strike',
  'color',
  'font',
  'size',
  'align',
  'valign',
  'background',
  'wrap',
  'border',
  'format',
] as const satisfies (keyof CellLook)[];

/** Returns the same text for the same look. */
export function lookKey(look: CellLook): string {
  let key = '';
  for (const member of MEMBERS) {
    const value = look[member];
    if (value === undefined) continue;
    key += `${member}:${typeof value === 'object' ? JSON.stringify(value) : value};`;
  }
  return key;
}

/** Merges looks; the last one that has a member decides. */
export function mergeLooks(...looks: readonly CellLook[]): CellLook {
  const merged: Record<string, unknown> = {};
  for (const look of looks) {
    for (const member of MEMBERS) if (look[member] !== undefined) merged[member] = look[member];
  }
  return merged as CellLook;
}

const ALIGN = { left: 'start', center: 'center', right: 'end', justify: 'justify' } as const;

/**
 * Name of the automatic style of a look; none where it says nothing.
 * @param separators language of separators, see `dataStyle`
 */
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
    properties('paragraph', { 'fo:text-align': align && ALIGN[align], 'fo:margin-left': align && '0mm' }),
    lookProperties(letters),
  ].join('');
  const data = format && dataStyle(format satisfies NumberFormat, separators, styles);
  if (content === '' && data === undefined) return undefined;
  return styles.style('table-cell', content, {
    'style:parent-style-name': 'Default',
    'style:data-style-name': data,
  });
}

const FONT = 'Calibri';
const SIZE = 11;

/** The named styles of a spreadsheet: how cells look where nothing is said. */
export function cellDefaults(language: Attributes, separators: Attributes): string {
  const text = properties('text', { ...lookAttributes({ font: FONT, size: SIZE }), ...language });
  return [
    generalStyle('General', separators),
    element('style:default-style', { 'style:family': 'table-cell' }, text),
    element('style:style', {
      'style:name': 'Default',
      'style:family': 'table-cell',
      'style:data-style-name': 'General',
    }),
  ].join('');
}
