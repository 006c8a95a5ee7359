import type { Marginal, Meta } from '../../../../src/common/generated/script.ts';
import { fieldValues, SIDES } from '../page.ts';

/** Excel takes no longer header or footer, its codes included ([MS-OI29500], oddHeader). */
export const LONGEST_HEADER = 255;
/** What turns something on also turns it off: the small letters only tell that it is off. */
const OFF = ['', '', '&u', '', '&s', '&x'];

/** Returns the characters of a sheet's header or footer as LibreOffice writes it to xlsx: `&L&"Arial,Bold"&10text`. */
export function excelLength(marginal: Marginal, meta: Meta | undefined): number {
  const values = fieldValues(meta, new Date());
  const fields = { page: () => '&P', pages: () => '&N', title: () => escaped(values.title), date: values.date };
  let all = '';
  for (const side of SIDES) {
    const parts = [marginal[side] ?? []].flat().map((part) => (typeof part === 'string' ? { text: part } : part));
    const isColored = parts.some(({ color }) => color !== undefined);
    let last = OFF;
    for (const { field, text = '', font = 'Arial', size = 10, color = '#000000', ...look } of parts) {
      const content = field ? fields[field]() : escaped(text);
      if (content === '') continue;
      const style = [look.bold ? 'Bold' : '', look.italic ? 'Italic' : ''].join(' ').trim() || 'Regular';
      const codes = [
        `&"${font},${style}"`,
        `&${Math.round(size)}`,
        look.underline ? '&U' : '&u',
        isColored ? `&K${color.slice(1)}` : '',
        look.strike ? '&S' : '&s',
        look.script ? { super: '&X', sub: '&Y' }[look.script] : '&x',
      ];
      if (last === OFF) all += '&L';
      for (const [index, code] of codes.entries()) if (code !== last[index]) all += code;
      // A blank parts digits from a size before them.
      all += /^\d/.test(content) ? ` ${content}` : content;
      last = codes;
    }
  }
  return all.length;
}

function escaped(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('&', '&&');
}
