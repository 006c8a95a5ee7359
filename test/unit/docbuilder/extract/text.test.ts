import { expect } from 'chai';
import { extract, textOf } from './flat.ts';

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

  it('shows inserted text, and deleted text where the page shows it', async () => {
    const changed = (kind: string, id: string) =>
      `<text:changed-region text:id="${id}"><text:${kind}><office:change-info><dc:creator>x</dc:creator></office:change-info></text:${kind}></text:changed-region>`;
    const marked = (id: string, content: string) =>
      `<text:change-start text:change-id="${id}"/>${content}<text:change-end text:change-id="${id}"/>`;
    const body = `<text:tracked-changes>${changed('insertion', 'c1')}${changed('deletion', 'c2')}</text:tracked-changes>${p(`giữ ${marked('c1', 'THÊM')} ${marked('c2', '<text:span>XÓA</text:span><text:tab/>')}hết`)}`;
    const setting = (shown: boolean) =>
      `<config:config-item config:name="Other">x</config:config-item><config:config-item config:name="ShowRedlineChanges">${shown}</config:config-item>`;
    expect(await textOf('text', { body, settings: setting(false) })).to.equal('giữ THÊM hết');
    expect(await textOf('text', { body, settings: setting(true) })).to.equal('giữ THÊM XÓA\thết');
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

  it('keeps what a run shows in a paragraph that its style hides', async () => {
    const style = (name: string, family: string, display: string) =>
      `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="${display}"/></style:style>`;
    const shown = '<text:span text:style-name="S">thấy</text:span>';
    const body = p(`ẩn ${shown}`, 'H') + p('ẩn', 'H') + p('x');
    expect(await text(body, style('H', 'paragraph', 'none') + style('S', 'text', 'true'))).to.equal('thấy\nx');
  });

  it('begins items and headings with their labels: those that LibreOffice writes, and those of the headings it counts', async () => {
    const item = (inner: string, label = '') =>
      `<text:list-item>${label && `<text:number>${label}</text:number>`}${inner}</text:list-item>`;
    const heading = (level: number, title: string, more = '') =>
      `<text:h text:outline-level="${level}"${more}>${title}</text:h>`;
    const levels = [
      '<text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>',
      '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2" loext:num-list-format="%1%.%2%)"/>',
      '<text:outline-level-style text:level="3" style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:start-value="3"/>',
      '<text:outline-level-style text:level="4" style:num-format=""/>',
    ];
    const automatic = `<text:outline-style style:name="Outline">${levels.join('')}</text:outline-style>`;
    const body = [
      heading(1, 'A') + heading(2, 'B') + heading(3, 'C') + heading(3, 'D') + heading(4, 'E') + heading(1, 'F'),
      heading(1, 'G', ' text:is-list-header="true"') +
        heading(2, 'H') +
        heading(2, 'I', ' text:restart-numbering="true"'),
      `<text:list>${item(p('m') + p('n'), '1)')}${item(`<text:list>${item(p('o'), 'a.')}${item(p('q'))}</text:list>`)}</text:list>`,
    ];
    expect((await text(body.join(''), automatic))?.split('\n')).to.deep.equal([
      ...['I. A', 'I.1) B', '(c) C', '(d) D', 'E', 'II. F', 'G', 'II.1) H', 'II.1) I', '1) m', 'n', '\ta. o', '\tq'],
    ]);
  });

  it('counts no heading that its paragraph or its style takes out of the numbering', async () => {
    const style = (name: string, parent: string, more = '') =>
      `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"${more}/>`;
    const outline = '<text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>';
    const none = ' style:list-style-name=""';
    const automatic = [
      `<text:outline-style>${outline}</text:outline-style>`,
      style('H', 'Heading', ' style:default-outline-level="1"') + style('P1', 'H') + style('P2', 'H', none),
      style('Plain', 'H', `${none} style:default-outline-level="1"`) + style('P3', 'Plain'),
      style('Own', 'Plain', ' style:default-outline-level="1"') + style('P4', 'Own') + style('P5', 'P5'),
    ];
    const names = ['H', 'P1', 'P2', 'Plain', 'P3', 'Own', 'P4', 'P5'];
    const body = names.map((name) => `<text:h text:style-name="${name}" text:outline-level="1">${name}</text:h>`);
    expect((await text(body.join(''), automatic.join('')))?.split('\n')).to.deep.equal([
      ...['I. H', 'II. P1', 'P2', 'Plain', 'P3', 'III. Own', 'IV. P4', 'V. P5'],
    ]);
  });

  it('has what forms and charts show, and ruby in brackets', async () => {
    const forms = `<office:forms><form:form><form:checkbox xml:id="c1" form:label="Đồng ý"/><form:text xml:id="c2" form:current-value="Lan"/><form:listbox xml:id="c3"><form:option form:label="X"/><form:option form:label="Huế" form:current-selected="true"/></form:listbox><form:text xml:id="c4"/></form:form></office:forms>`;
    const controls = ['c1', 'c2', 'c3', 'c4'].map((id) => `<draw:control draw:control="${id}"/>`).join('');
    const cell = (value: string) => `<table:table-cell>${p(value)}</table:table-cell>`;
    const own = `<office:meta><dc:title>X</dc:title></office:meta><office:automatic-styles><style:style style:name="T" style:family="text"><style:text-properties text:display="none"/></style:style></office:automatic-styles>`;
    const chart = `<chart:title>${p('Doanh thu')}</chart:title><table:table><table:table-row>${cell('Quý 1')}${cell('5')}</table:table-row></table:table>`;
    const object = `<draw:frame><draw:object><office:document>${own}<office:body><office:chart>${chart}</office:chart></office:body></office:document></draw:object><draw:image/></draw:frame>`;
    const ruby = '<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>';
    const body = `${forms}${p(`a${controls}`)}${p(`b${object}<text:span text:style-name="T">c</text:span>`)}${p(ruby)}`;
    expect(await text(body)).to.equal('a\nĐồng ý\nLan\nHuế\nbc\nDoanh thu\nQuý 1\t5\n漢 (かん)');
  });

  it('has the entry that is chosen in a drop-down list of a form, the first one unless the document says another', async () => {
    const param = (name: string, value: string) =>
      `<field:param field:name="Dropdown_${name}" field:value="${value}"/>`;
    const entries = param('ListEntry', 'Huế') + param('ListEntry', 'Đà Nẵng');
    const mark = (kind: string, params: string) =>
      `<field:fieldmark text:name="m" field:type="vnd.oasis.opendocument.field.${kind}">${params}</field:fieldmark>`;
    const dropDowns = [entries + param('Selected', '1'), entries, entries + param('Selected', '7'), ''];
    const body = [...dropDowns.map((params) => mark('FORMDROPDOWN', params)), mark('FORMCHECKBOX', entries)];
    expect(await text(body.map((field) => p(`[${field}]`)).join(''))).to.equal('[Đà Nẵng]\n[Huế]\n[]\n[]\n[]');
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
