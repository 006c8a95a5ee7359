import type { Freeze, Sheet } from '../../../../src/common/generated/script.ts';
import { element, escapeXml } from '../xml.ts';

const FROZEN = 2;
const LOWER_RIGHT = 3;
const UPPER_RIGHT = 1;
const LOWER_LEFT = 2;

/**
 * View settings (`ooo:view-settings`): which sheet is in front, and what stays in sight. They reach a document only
 * where LibreOffice can show it.
 */
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
  const range = rows === 0 ? UPPER_RIGHT : columns === 0 ? LOWER_LEFT : LOWER_RIGHT;
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

function item(name: string, type: string, value: string | number): string {
  return element('config:config-item', { 'config:name': name, 'config:type': type }, escapeXml(String(value)));
}
