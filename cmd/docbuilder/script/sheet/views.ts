import type { Freeze, Sheet } from '../../../../src/common/generated/script.ts';
import { columnNumber, LAST_COLUMN, LAST_ROW } from '../check/formula-tokens.ts';
import { configItem as item } from '../document.ts';
import { element } from '../xml.ts';

const FROZEN = 2;
const PANES = { upperRight: 1, lowerLeft: 2, lowerRight: 3 };

/** `ooo:view-settings`: the active sheet, and frozen rows and columns. LibreOffice needs a view to load them. */
export function viewSettings(sheets: readonly Sheet[], names: readonly string[], active: number): string {
  const tables = sheets.map(({ freeze }, index) => entry(freeze ? frozen(freeze) : '', names[index]));
  const view = [
    item('ViewId', 'string', 'view1'),
    `<config:config-item-map-named config:name="Tables">${tables.join('')}</config:config-item-map-named>`,
    item('ActiveTable', 'string', names[active] ?? ''),
  ];
  const views = `<config:config-item-map-indexed config:name="Views">${entry(view.join(''))}</config:config-item-map-indexed>`;
  return element('config:config-item-set', { 'config:name': 'ooo:view-settings' }, views);
}

function frozen({ rows = 0, columns = 0 }: Freeze): string {
  if (rows === 0 && columns === 0) return '';
  const range = rows === 0 ? PANES.upperRight : columns === 0 ? PANES.lowerLeft : PANES.lowerRight;
  return [
    item('HorizontalSplitMode', 'short', columns > 0 ? FROZEN : 0),
    item('VerticalSplitMode', 'short', rows > 0 ? FROZEN : 0),
    item('HorizontalSplitPosition', 'int', columns),
    item('VerticalSplitPosition', 'int', rows),
    item('ActiveSplitRange', 'short', range),
    item('PositionLeft', 'int', 0),
    item('PositionRight', 'int', columns),
    item('PositionTop', 'int', 0),
    item('PositionBottom', 'int', rows),
  ].join('');
}

function entry(content: string, name?: string): string {
  return element('config:config-item-map-entry', { 'config:name': name }, content);
}

/** A range of cells; columns and rows counted from 0, both ends included. */
export interface Range {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const RANGE = /^\$?([A-Za-z]+)\$?(\d+):\$?([A-Za-z]+)\$?(\d+)$/;

/** A range such as `A1:D20`, from any two corners, cut off at the last cell of a sheet. */
export function parseRange(text: string): Range {
  const [, firstColumn = 'A', firstRow = '1', secondColumn = 'A', secondRow = '1'] = RANGE.exec(text) ?? [];
  const columns = [columnNumber(firstColumn) - 1, columnNumber(secondColumn) - 1];
  const rows = [Number(firstRow) - 1, Number(secondRow) - 1];
  return {
    left: Math.min(LAST_COLUMN - 1, ...columns),
    top: Math.min(LAST_ROW - 1, ...rows),
    right: Math.min(LAST_COLUMN - 1, Math.max(...columns)),
    bottom: Math.min(LAST_ROW - 1, Math.max(...rows)),
  };
}

/** A range as the value of an attribute (ODF 1.3 part 3, 18.3.6 cellRangeAddress). */
export function rangeAddress(sheet: string, { left, top, right, bottom }: Range): string {
  const name = `'${sheet.replaceAll("'", "''")}'`;
  return `${name}.${columnLetters(left)}${top + 1}:${name}.${columnLetters(right)}${bottom + 1}`;
}

function columnLetters(index: number): string {
  const letters = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letters : columnLetters(Math.floor(index / 26) - 1) + letters;
}
