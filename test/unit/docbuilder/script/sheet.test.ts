import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { sheetNames } from '../../../../cmd/docbuilder/script/check/sheet-names.ts';
import { buildSheets } from '../../../../cmd/docbuilder/script/sheet.ts';
import type { Save, Script, Sheet } from '../../../../src/common/generated/script.ts';

const NOW = new Date('2026-11-21T08:30:00Z');

function build(sheets: Sheet[], format: Save['format'] = 'xlsx', rest: Partial<Script> = {}): string {
  const script: Script = { svcscript: 1, type: 'sheet', save: [{ format }], sheets, ...rest };
  const { body, head, tail } = buildSheets(script, { pictures: new Map(), now: NOW });
  const middle = [...body].join('');
  return head() + middle + tail;
}

interface Read {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

/** All elements of a well-formed file in document order, each with the text below it. */
function read(xml: string): Read[] {
  const found: Read[] = [];
  const open: Read[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' };
    found.push(element);
    open.push(element);
    if (name === 'text:s') add(' '.repeat(Number(element.attributes['text:c'] ?? 1)));
  });
  parser.on('closetag', ({ name }) => {
    open.pop();
    if (name === 'text:p') add('\n');
  });
  parser.on('text', (text) => add(text));
  const add = (text: string) => {
    for (const element of open) element.text += text;
  };
  parser.write(xml).close();
  return found;
}

const all = (xml: string, name: string) => read(xml).filter((element) => element.name === name);
const cellsIn = (xml: string) => all(xml, 'table:table-cell');
/** Rows of a script are followed by one that stands for the rest of the sheet if columns have a look. */
const cellIn = (sheet: Sheet, format?: Save['format']) => cellsIn(build([sheet], format))[0]?.attributes ?? {};

/** The properties that a cell gets from its own style or its column's, as one record. */
function lookOf(xml: string, index: number): Record<string, string> {
  const elements = read(xml);
  const columns = elements.filter(({ name }) => name === 'table:table-column');
  const cell = elements.filter(({ name }) => name === 'table:table-cell')[index];
  const style = cell?.attributes['table:style-name'] ?? columns[index]?.attributes['table:default-cell-style-name'];
  const at = elements.findIndex(({ name, attributes }) => name === 'style:style' && attributes['style:name'] === style);
  const look = { ...elements[at]?.attributes };
  for (const element of elements.slice(at + 1)) {
    if (!element.name.endsWith('-properties')) break;
    Object.assign(look, element.attributes);
  }
  return look;
}

describe('sheets as flat OpenDocument', () => {
  it('are made in pieces, however much text one row has', () => {
    const rows = [Array.from({ length: 20 }, () => '&'.repeat(32_767))];
    const script: Script = { svcscript: 1, type: 'sheet', save: [{ format: 'pdf' }], sheets: [{ name: 'A', rows }] };
    const pieces = [...buildSheets(script, { pictures: new Map(), now: NOW }).body].map(({ length }) => length);
    expect(Math.max(...pieces)).to.be.lessThan(2 * 32_767 * '&amp;'.length);
    expect(pieces.reduce((sum, length) => sum + length)).to.be.greaterThan(20 * 32_767 * '&amp;'.length);
  });

  it('write every kind of cell with its type', () => {
    const values: [cell: Sheet['rows'][number] & unknown[], attributes: Record<string, string>][] = [
      [[1.5], { 'office:value-type': 'float', 'office:value': '1.5' }],
      [[true], { 'office:value-type': 'boolean', 'office:boolean-value': 'true' }],
      [['=1+1'], { 'office:value-type': 'string' }],
      [[{ type: 'string', value: '12' }], { 'office:value-type': 'string' }],
      [[{ type: 'boolean', value: false }], { 'office:boolean-value': 'false' }],
      [[{ type: 'date', value: '2026-11-21' }], { 'office:date-value': '2026-11-21' }],
      [[{ type: 'date', value: '2026-11-21T08:30' }], { 'office:date-value': '2026-11-21T08:30:00' }],
      [[{ type: 'time', value: '8:30' }], { 'office:time-value': 'PT8H30M00S' }],
      [[{ type: 'time', value: '30:15:07' }], { 'office:time-value': 'PT30H15M07S' }],
      [[{ type: 'percentage', value: 0.25 }], { 'office:value': '0.25' }],
      [[{ type: 'currency', value: 2 }], { 'office:value': '2' }],
      [[{ type: 'formula', formula: '=sum(A1,B1)&"<"' }], { 'table:formula': 'msoxl:=SUM(A1,B1)&"<"' }],
    ];
    for (const [row, attributes] of values) expect(cellIn({ rows: [row] })).to.include(attributes);
    expect(cellIn({ rows: [['=1+1']] })).not.to.have.property('table:formula');
  });

  it('give any text back', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '<', '&', '"', "'", '=', ']]>', '₫', '😀') });
    fc.assert(
      fc.property(text, (value) => {
        expect(cellsIn(build([{ rows: [[value]] }]))[0]?.text).to.equal(`${value}\n`);
      }),
    );
  });

  it('stay well-formed whatever a script says', () => {
    const hostile = '"/><x>&amp;\u0000\u0008]]>\ud800<!--';
    const xml = build(
      [
        {
          name: `a"<&'b`,
          rows: [{ cells: [hostile, { type: 'string', value: hostile, font: hostile }], font: hostile }],
          columns: [{ font: hostile }],
          print: { header: { left: hostile, center: [{ field: 'title' }] } },
        },
      ],
      'ods',
      { meta: { title: hostile, author: hostile } },
    );
    expect(all(xml, 'x')).to.deep.equal([]);
    expect(all(xml, 'table:table')[0]?.attributes['table:name']).to.equal(`a"<&'b`);
  });

  it('are the same bytes for the same script', () => {
    const sheets: Sheet[] = [
      { rows: [[1, { type: 'date', value: '2026-11-21', bold: true }]], columns: [{ width: 9 }] },
    ];
    expect(build(sheets)).to.equal(build(sheets));
  });

  it('let a cell overrule its row, and a row its column', () => {
    const xml = build([
      {
        columns: [
          { bold: true, color: '#111111', background: '#AAAAAA' },
          { bold: true, color: '#111111', background: '#AAAAAA' },
        ],
        rows: [{ cells: [{ type: 'number', value: 1, bold: false }, 2], color: '#222222' }],
      },
    ]);
    const common = { 'fo:color': '#222222', 'fo:background-color': '#AAAAAA' };
    expect(lookOf(xml, 0)).to.include({ ...common, 'fo:font-weight': 'normal' });
    expect(lookOf(xml, 1)).to.include({ ...common, 'fo:font-weight': 'bold' });
  });

  it('take the format of row or column where it suits the type', () => {
    const columns = [{ format: 'date_iso' as const }];
    const styleOf = (cell: Sheet['rows'][number] & unknown[]) => cellIn({ columns, rows: [cell] })['table:style-name'];
    expect(styleOf([{ type: 'date', value: '2026-11-21' }])).to.equal(undefined);
    expect(styleOf([5])).to.equal(undefined);
    expect(styleOf([{ type: 'percentage', value: 0.5 }])).to.be.a('string');
    expect(styleOf([{ type: 'date', value: '2026-11-21', format: 'date' }])).to.be.a('string');
    expect(styleOf([true])).to.equal('Default');
  });

  it('share one style among cells that look the same, and write none where the column says it all', () => {
    const rows = Array.from({ length: 50 }, () => [1, { type: 'date' as const, value: '2026-11-21' }]);
    const xml = build([{ rows, columns: [{ bold: true }] }]);
    expect(new Set(cellsIn(xml).map(({ attributes }) => attributes['table:style-name'])).size).to.equal(2);
  });

  it('name the language of separators in every format but xlsx, whose codes stay those of Excel', () => {
    const sheets: Sheet[] = [{ rows: [[{ type: 'number', value: 1, format: 'integer' }]] }];
    expect(
      all(build(sheets), 'number:number-style').map(({ attributes }) => attributes['number:language']),
    ).to.deep.equal([undefined, undefined]);
    for (const format of ['ods', 'pdf'] as const) {
      const styles = all(build(sheets, format, { meta: { lang: 'de' } }), 'number:number-style');
      for (const { attributes } of styles) {
        expect(attributes).to.include({ 'number:language': 'de', 'number:country': 'DE' });
      }
    }
  });

  it('name sheets that have no name as nobody else does', () => {
    const rows: Sheet['rows'] = [];
    const named = sheetNames([{ rows }, { name: 'sheet2', rows }, { rows }, { name: 'SHEET1', rows }, { rows }]);
    expect(named).to.deep.equal(['Sheet3', 'sheet2', 'Sheet4', 'SHEET1', 'Sheet5']);
  });

  it('show the first sheet where all are hidden', () => {
    const displays = (sheets: Sheet[]) =>
      all(build(sheets), 'style:table-properties').map(({ attributes }) => attributes['table:display']);
    const tab = { tab_color: '#FF0000' };
    expect(
      displays([
        { rows: [], hidden: true, ...tab },
        { rows: [], hidden: true },
      ]),
    ).to.deep.equal(['true', 'false']);
  });

  it('wrap repeated rows and columns, and mark filters, print ranges and frozen panes', () => {
    const xml = build([
      {
        name: "It's",
        rows: [['a', 'b', 'c'], [1]],
        autofilter: true,
        freeze: { rows: 1, columns: 2 },
        print: { repeat_rows: 3, repeat_columns: 1, area: 'b9:A$1', fit_width: 1 },
      },
    ]);
    const header = read(
      xml.slice(xml.indexOf('<table:table-header-rows>'), xml.indexOf('</table:table-header-rows>') + 26),
    );
    expect(header.filter(({ name }) => name === 'table:table-row')).to.have.length(3);
    expect(all(xml, 'table:database-range')[0]?.attributes).to.include({
      'table:target-range-address': "'It''s'.A1:'It''s'.C2",
      'table:display-filter-buttons': 'true',
    });
    expect(all(xml, 'table:table')[0]?.attributes).to.include({ 'table:print-ranges': "'It''s'.A1:'It''s'.B9" });
    const items = Object.fromEntries(
      all(xml, 'config:config-item').map((item) => [item.attributes['config:name'], item.text]),
    );
    expect(items).to.include({ HorizontalSplitMode: '2', HorizontalSplitPosition: '2', VerticalSplitPosition: '1' });
  });

  it('widen columns that have no width for their numbers and dates, and only those', () => {
    const rows: Sheet['rows'] = [
      [{ type: 'date', value: '2026-11-21T08:30' }, 5, 'a long text that may run on', { type: 'currency', value: 1e9 }],
    ];
    const xml = build([{ rows, columns: [{}, {}, {}, { width: 12 }] }]);
    const widths = all(xml, 'style:table-column-properties').map(({ attributes }) => attributes['style:column-width']);
    expect(all(xml, 'table:table-column').map(({ attributes }) => attributes['table:style-name'])).to.deep.equal([
      'Co1',
      undefined,
      undefined,
      'Co2',
    ]);
    expect(widths).to.deep.equal(['35mm', '12mm']);
  });

  it('print no header or footer but those that are asked for, and keep the cells where the margins say', () => {
    const layout = (print: Sheet['print'] & object) => {
      const xml = build([{ rows: [], print }]);
      const [page] = all(xml, 'style:page-layout-properties');
      const heights = all(xml, 'style:header-footer-properties').map(({ attributes }) => attributes['svg:height']);
      return [page?.attributes['fo:margin-top'], page?.attributes['fo:margin-bottom'], ...heights];
    };
    expect(all(build([{ rows: [] }]), 'style:header')[0]?.attributes).to.deep.equal({ 'style:display': 'false' });
    expect(layout({ margins: { top: 30, bottom: 20 }, footer: { left: 'x' } })).to.deep.equal([
      '30mm',
      '12.5mm',
      '7.5mm',
    ]);
    expect(layout({ margins: { top: 2 }, header: { left: 'a\nb' } })).to.deep.equal(['2mm', '19mm', '12.5mm']);
  });

  it('colour all of a header where a part has a colour, for LibreOffice would write the rest white', () => {
    const xml = build([
      { rows: [], print: { header: { left: [{ text: 'a', color: '#FF0000' }, { field: 'page' }] } } },
    ]);
    const colors = all(xml, 'style:text-properties').map(({ attributes }) => attributes['fo:color']);
    expect(colors).to.include.members(['#FF0000', '#000000']);
  });

  it('are written 20,000 rows at a time without slowing down', () => {
    const rows: Sheet['rows'] = Array.from({ length: 20_000 }, (_, index) => [
      index,
      { type: 'formula', formula: `=A${index + 1}*2` },
      { type: 'currency', value: index },
      'text',
    ]);
    const script: Script = { svcscript: 1, type: 'sheet', save: [{ format: 'xlsx' }], sheets: [{ rows }] };
    const pieces = [...buildSheets(script, { pictures: new Map(), now: NOW }).body];
    expect(pieces.length).to.be.greaterThan(20);
    expect(Math.max(...pieces.map((piece) => piece.length))).to.be.lessThan(200_000);
  });
});
