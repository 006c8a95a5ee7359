import { expect } from 'chai';
import { extract, textOf } from './packages.ts';

const p = (text: string, style = 'Standard') => `<text:p text:style-name="${style}">${text}</text:p>`;
const text = (body: string, automatic = '') => textOf('text', { body, automatic });

describe('text of text documents', () => {
  it('is a line for each paragraph, with spaces, tabs and line breaks as displayed', async () => {
    const body = `<text:h text:outline-level="1">Tiêu đề</text:h>${p('Một <text:span>đậm</text:span> <text:s/>hai<text:s text:c="3"/>ba<text:tab/>bốn<text:line-break/>năm')}${p('')}${p('cuối<text:soft-page-break/> cùng')}`;
    expect(await text(body)).to.equal('Tiêu đề\nMột đậm  hai   ba\tbốn\nnăm\n\ncuối cùng');
  });

  it('counts white space of the XML once and not at the start of a paragraph', async () => {
    expect(await text(p('\n  a\n  b<text:span> c</text:span> <text:span> d</text:span>'))).to.equal('a b c d');
  });

  it('has no soft hyphens, keeps what does not break', async () => {
    expect(await text(p('mềm\u00adgạch không\u00a0ngắt\u2011x'))).to.equal('mềmgạch không\u00a0ngắt\u2011x');
  });

  it('shows inserted text and leaves deleted text out', async () => {
    const body = `<text:tracked-changes><text:changed-region text:id="c2"><text:deletion><office:change-info><dc:creator>x</dc:creator></office:change-info>${p('XÓA')}</text:deletion></text:changed-region></text:tracked-changes>${p('giữ <text:change-start text:change-id="c1"/>THÊM<text:change-end text:change-id="c1"/><text:change text:change-id="c2"/>')}`;
    expect(await text(body)).to.equal('giữ THÊM');
  });

  it('leaves hidden text out, whether a span, a parent style, a section or a field hides it', async () => {
    const hidden = (name: string, family: string, parent = '') =>
      `<style:style style:name="${name}" style:family="${family}"${parent}>${parent ? '' : '<style:text-properties text:display="none"/>'}</style:style>`;
    const automatic =
      hidden('T2', 'text') +
      hidden('T3', 'text', ' style:parent-style-name="T2"') +
      hidden('P2', 'paragraph') +
      '<style:style style:name="T4" style:family="text"><style:text-properties text:display="true"/></style:style>';
    const body = `${p('a<text:span text:style-name="T2">X<text:s/>X</text:span>b<text:span text:style-name="T3">X</text:span><text:span text:style-name="T4">c</text:span>')}${p('X', 'P2')}<text:section text:name="s" text:display="none">${p('X')}</text:section>${p('d<text:hidden-text text:is-hidden="true" text:string-value="X">X</text:hidden-text>')}${p('X<text:hidden-paragraph text:is-hidden="true"/>')}${p('e')}`;
    expect(await text(body, automatic)).to.equal('abc\nd\ne');
  });

  it('shows a list item as a line, deeper levels further in', async () => {
    const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
    const body = `<text:list>${item(`${p('a')}<text:list>${item(p('a1'))}</text:list>`)}${item(p('b'))}</text:list>${p('c')}`;
    expect(await text(body)).to.equal('a\n\ta1\nb\nc');
  });

  it('shows a table as rows of tab-separated cells: covered ones empty, tables and breaks inside as spaces', async () => {
    const cell = (inner: string) => `<table:table-cell office:value-type="string">${inner}</table:table-cell>`;
    const row = (inner: string) => `<table:table-row>${inner}</table:table-row>`;
    const nested = `<table:table>${row(cell(p('n1')) + cell(p('n2')))}${row(cell(p('n3')) + cell(p('n4')))}</table:table>`;
    const body = `${p('trước')}<table:table table:name="T"><table:table-column table:number-columns-repeated="3"/><table:table-header-rows>${row(`<table:table-cell table:number-columns-spanned="2">${p('gộp')}</table:table-cell><table:covered-table-cell/>${cell(p('x'))}`)}</table:table-header-rows>${row(cell(p('a') + p('b')) + cell(p('11') + nested + p('')) + cell(p('t<text:tab/>l<text:line-break/>m')))}${row(cell(p('')) + cell(p('')) + cell(p('z')))}</table:table>${p('sau')}`;
    expect(await text(body)).to.equal('trước\ngộp\t\tx\na b\t11 n1 n2 n3 n4\tt l m\n\t\tz\nsau');
  });

  it('puts the text of frames and shapes after the paragraph that they are anchored in', async () => {
    const body = `${p(`Trước <draw:custom-shape draw:style-name="gr1"><svg:desc>X</svg:desc>${p('khung 1')}${p('khung 2')}<draw:enhanced-geometry/></draw:custom-shape>sau.`)}${p('b')}<draw:frame><draw:text-box>${p('c')}</draw:text-box></draw:frame>`;
    expect(await text(body)).to.equal('Trước sau.\nkhung 1\nkhung 2\nb\nc');
  });

  it('marks notes where they are referred to and lists them, each kind in its own part', async () => {
    const note = (kind: string, label: string, inner: string) =>
      `<text:note text:id="n" text:note-class="${kind}"><text:note-citation>${label}</text:note-citation><text:note-body>${inner}</text:note-body></text:note>`;
    const body = p(`một${note('footnote', '1', p('chú'))} hai${note('endnote', 'i', p('cuối') + p('dòng'))}.`);
    const { parts } = await extract('text', { body });
    expect(parts.map(({ kind, text }) => [kind, text])).to.deep.equal([
      ['body', 'một[1] hai[i].'],
      ['footnotes', '[1] chú'],
      ['endnotes', '[i] cuối\ndòng'],
    ]);
  });

  it('tells comments with their authors beside the text', async () => {
    const annotation = `<office:annotation office:name="a"><dc:creator>Tom</dc:creator><dc:date>2026-01-01T00:00:00</dc:date><meta:creator-initials>T</meta:creator-initials>${p('Nhận xét')}</office:annotation>`;
    const found = await extract('text', { body: p(`${annotation}giữ<office:annotation-end office:name="a"/>`) });
    expect(found.parts[0]).to.include({ text: 'giữ' });
    expect(found.parts[0]?.comments).to.deep.equal([{ author: 'Tom', cell: null, text: 'Nhận xét' }]);
    expect(found.text).to.equal('giữ\n\n[Tom] Nhận xét');
  });

  it('has each different header and footer once, and not those that are switched off', async () => {
    const master = (name: string, header: string) =>
      `<style:master-page style:name="${name}"><style:header>${p(header)}</style:header><style:header-first style:display="false">${p('X')}</style:header-first><style:footer>${p('Trang <text:page-number>2</text:page-number>')}</style:footer></style:master-page>`;
    const masters = master('Standard', 'Đầu') + master('M2', 'Đầu') + master('M3', 'Khác');
    const found = await extract('text', { body: p('a'), masters });
    expect(found.text).to.equal('Đầu\n\nKhác\n\na\n\nTrang 2');
    expect(found.parts.map(({ kind }) => kind)).to.deep.equal(['header', 'header', 'body', 'footer']);
  });

  it('ends where asked, between two characters', async () => {
    const body = p('abc') + p('d😀e');
    expect(await extract('text', { body }, { maxChars: 6 })).to.deep.include({ truncated: true, text: 'abc\nd' });
    expect(await extract('text', { body }, { maxChars: 8 })).to.deep.include({ truncated: false, text: 'abc\nd😀e' });
  });
});
