import { expect } from 'chai';
import fc from 'fast-check';
import { extract, textOf } from './flat.ts';

const p = (text: string) => `<text:p>${text}</text:p>`;
const cell = (text: string, more = '') =>
  `<table:table-cell office:value-type="string"${more}>${p(text)}</table:table-cell>`;
const empty = (times = 1) => `<table:table-cell table:number-columns-repeated="${times}"/>`;
const row = (cells: string, times = 1) =>
  `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`;
const sheet = (rows: string, name = 'Bảng', style = 'ta1') =>
  `<table:table table:name="${name}" table:style-name="${style}"><table:table-column table:number-columns-repeated="16384"/>${rows}</table:table>`;
const tail = row(empty(16384), 1048576);

describe('text of spreadsheets', () => {
  it('is rows of displayed values, without the empty ends that every sheet has', async () => {
    const number = `<table:table-cell office:value-type="float" office:value="1234.5">${p('1,234.50')}</table:table-cell>`;
    const body = sheet(
      row(cell('Tên') + number + empty(16382)) + row(empty(16384), 2) + row(empty(2) + cell('c')) + tail,
    );
    expect(await textOf('sheet', { body })).to.equal('Tên\t1,234.50\n\n\n\t\tc');
  });

  it('repeats cells and rows that say so', async () => {
    const body = sheet(row(cell('x', ' table:number-columns-repeated="3"') + empty(2) + cell('y'), 2) + tail);
    expect(await textOf('sheet', { body })).to.equal('x\tx\tx\t\t\ty\nx\tx\tx\t\t\ty');
  });

  it('leaves covered cells empty and makes a space of tabs and line feeds in cells', async () => {
    const body = sheet(
      row(
        `<table:table-cell table:number-columns-spanned="3">${p('a')}${p('b<text:tab/>c')}</table:table-cell><table:covered-table-cell table:number-columns-repeated="2">${p('X')}</table:covered-table-cell>${cell('d')}`,
      ),
    );
    expect(await textOf('sheet', { body })).to.equal('a b c\t\t\td');
  });

  it('names sheets, flags hidden ones, and leaves out what is kept of linked documents', async () => {
    const automatic =
      '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const linked = `<table:table table:name="'file:///x.ods'#A"><table:table-source/>${row(cell('X'))}</table:table>`;
    const body = sheet(row(cell('1'))) + sheet(row(cell('2')), 'Ẩn', 'ta2') + sheet(tail, 'Trống') + linked;
    const found = await extract('sheet', { body, automatic });
    expect(found.parts.map(({ name, hidden, text }) => [name, hidden, text])).to.deep.equal([
      ['Bảng', false, '1'],
      ['Ẩn', true, '2'],
      ['Trống', false, ''],
    ]);
    expect(found.text).to.equal('Bảng\n1\n\nẨn\n2\n\nTrống');
  });

  it('tells comments with their cells, and text of shapes after the cells', async () => {
    const note = `<office:annotation><dc:creator>Ai</dc:creator>${p('Chú')}${p('thích')}</office:annotation>`;
    const shape = `<draw:custom-shape>${p('hình')}</draw:custom-shape>`;
    const body = sheet(
      `<table:shapes>${shape}</table:shapes>${row(`${empty(27)}<table:table-cell>${note}${p('a')}</table:table-cell>`)}`,
    );
    const [part] = (await extract('sheet', { body })).parts;
    expect(part?.text).to.equal(`${'\t'.repeat(27)}a\nhình`);
    expect(part?.comments).to.deep.equal([{ author: 'Ai', cell: 'AB1', text: 'Chú\nthích' }]);
  });

  it('has headers and footers of pages in use once, but not those of a style that LibreOffice adds', async () => {
    const master = (name: string, header: string) =>
      `<style:master-page style:name="${name}"><style:header>${p(header)}</style:header><style:footer>${p('Page <text:page-number>1</text:page-number>')}</style:footer></style:master-page>`;
    const masters =
      master('Default', '<text:sheet-name>???</text:sheet-name>') + master('A', 'Đầu') + master('B', 'Đầu');
    const style = (name: string, page: string) =>
      `<style:style style:name="${name}" style:family="table" style:master-page-name="${page}"/>`;
    const automatic = style('ta1', 'A') + style('ta2', 'B') + style('ta3', 'Default');
    const body = ['ta1', 'ta2', 'ta3'].map((name) => sheet(row(cell(name)), name, name)).join('');
    const { parts } = await extract('sheet', { body, automatic, masters });
    expect(parts.slice(3).map(({ kind, text }) => [kind, text])).to.deep.equal([['header', 'Đầu']]);
  });

  it('gives any table of strings back exactly', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no such characters, and a cell no line feeds
    const odd = /[\u0000-\u001f\u007f\u0085\u00ad\u2028\u2029\ufffe\uffff]/g;
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((drawn) => drawn.replace(odd, ''));
    const escaped = (value: string) =>
      value.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/ /g, '<text:s/>');
    const rows = fc.array(fc.array(text, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        // The last cells say something, so that nothing is cut.
        const table = drawn.map((cells) => [...cells, '.']);
        const body = sheet(
          table.map((cells) => row(cells.map((value) => cell(escaped(value))).join(''))).join('') + tail,
        );
        const found = await textOf('sheet', { body });
        expect(found?.split('\n').map((line) => line.split('\t'))).to.deep.equal(table);
      }),
      { numRuns: 100 },
    );
  });
});
