import { expect } from 'chai';
import { extract } from './flat.ts';

const p = (text: string) => `<text:p><text:span>${text}</text:span></text:p>`;
const frame = (kind: string, y: number, inner: string, x = 1) =>
  `<draw:frame svg:x="${x}cm" svg:y="${y}cm" svg:width="9cm" svg:height="1cm"${kind && ` presentation:class="${kind}"`}><draw:text-box>${inner}</draw:text-box></draw:frame>`;
const page = (name: string, inner: string, style = 'dp1') =>
  `<draw:page draw:name="${name}" draw:style-name="${style}" draw:master-page-name="Default">${inner}</draw:page>`;

describe('text of presentations', () => {
  it('names a slide by its title, else by its own name, else by its number', async () => {
    const body =
      page('page1', frame('title', 5, p('Tựa<text:line-break/>một'))) +
      page('Kết', '') +
      page('page3', frame('', 1, p('a')));
    const found = await extract('slides', { body });
    expect(found.parts.map(({ name }) => name)).to.deep.equal(['Tựa một', 'Kết', 'Slide 3']);
  });

  it('reads the title first, then from top to bottom, side by side from left to right', async () => {
    const body = page(
      'page1',
      frame('', 10, p('dưới')) +
        frame('', 4.1, p('phải'), 12) +
        frame('', 4.3, p('trái'), 1) +
        `<draw:g>${frame('', 9, p('nhóm 2'), 3)}${frame('', 2, p('nhóm 1'), 3)}</draw:g>` +
        frame('title', 15, p('tựa')) +
        `<draw:custom-shape draw:transform="rotate (0.5) translate (2cm 20cm)">${p('xoay')}</draw:custom-shape>`,
    );
    const [slide] = (await extract('slides', { body })).parts;
    expect(slide?.text).to.equal('tựa\nnhóm 1\nnhóm 2\ntrái\nphải\ndưới\nxoay');
  });

  it('shows lists and tables as in text documents', async () => {
    const list = `<text:list><text:list-item>${p('a')}<text:list><text:list-item>${p('a1')}</text:list-item></text:list></text:list-item></text:list>`;
    const cells = (...texts: string[]) =>
      texts.map((text) => `<table:table-cell>${p(text)}</table:table-cell>`).join('');
    const table = `<draw:frame svg:x="1cm" svg:y="9cm"><table:table><table:table-row>${cells('00', '01')}</table:table-row><table:table-row>${cells('10', '11')}</table:table-row></table:table><draw:image/></draw:frame>`;
    const [slide] = (await extract('slides', { body: page('page1', table + frame('outline', 3, list)) })).parts;
    expect(slide?.text).to.equal('a\n\ta1\n00\t01\n10\t11');
  });

  it('has speaker notes, flags hidden slides, leaves out prompts and numbers', async () => {
    const automatic =
      '<style:style style:name="dp3" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
    const notes = `<presentation:notes><draw:page-thumbnail presentation:class="page"/>${frame('notes', 12, p('Ghi') + p('chú'))}${frame('page-number', 20, p('&lt;number&gt;'))}</presentation:notes>`;
    const prompt = `<draw:frame presentation:class="outline" presentation:placeholder="true"><draw:text-box>${p('Click to add')}</draw:text-box></draw:frame>`;
    const body = page('page1', frame('title', 1, p('T')) + prompt + frame('date-time', 18, p('2026')) + notes, 'dp3');
    const found = await extract('slides', { body, automatic });
    expect(found.parts).to.deep.equal([
      { kind: 'slide', name: 'T', hidden: true, text: 'T', notes: 'Ghi\nchú', comments: [] },
      { kind: 'footer', name: null, hidden: false, text: '2026', notes: '', comments: [] },
    ]);
    expect(found.text).to.equal('T\n\nGhi\nchú\n\n2026');
  });

  it('has footers, dates and what master pages show once after the slides', async () => {
    const footer = frame('footer', 18, p('Mật'));
    const body = `<presentation:footer-decl presentation:name="f1">Công ty</presentation:footer-decl><presentation:date-time-decl>1/2</presentation:date-time-decl>${page('A', footer)}${page('B', footer)}`;
    const master = (name: string, text: string) =>
      `<style:master-page style:name="${name}">${frame('title', 1, p('X'))}${frame('', 1, p(text))}<presentation:notes>${frame('', 1, p('X'))}</presentation:notes></style:master-page>`;
    const masters = master('Default', 'Trang <text:page-number>X</text:page-number>') + master('Unused', 'X');
    const { text } = await extract('slides', { body, masters });
    expect(text).to.equal('A\n\nB\n\nCông ty\n\n1/2\n\nMật\n\nTrang');
  });

  it('counts the items of lists', async () => {
    const item = (inner: string, more = '') => `<text:list-item${more}>${inner}</text:list-item>`;
    const list = (items: string, style = ' text:style-name="L"') => `<text:list${style}>${items}</text:list>`;
    const level = (kind: string, number: number, more: string) =>
      `<text:list-level-style-${kind} text:level="${number}" ${more}/>`;
    const automatic = `<text:list-style style:name="L">${level('number', 1, 'style:num-format="1" style:num-suffix=")"')}${level('number', 2, 'style:num-format="a" style:num-letter-sync="true"')}${level('bullet', 3, 'text:bullet-char="•"')}</text:list-style>`;
    const inner = (text: string) => item(list(item(p(text)), ''));
    const deep = item(list(item(list(item(p('g')), '')), ''));
    const text =
      list(item(p('a')) + item(p('b') + p('b2')) + inner('c') + inner('d') + item(p('e'), ' text:start-value="9"')) +
      list(item(p('f')) + deep + item(list(item(p('z'), ' text:start-value="28"'), '')));
    const [slide] = (await extract('slides', { body: page('page1', frame('', 1, text)), automatic })).parts;
    expect(slide?.text.split('\n').filter((line) => line.trim() !== '')).to.deep.equal([
      ...['1) a', '2) b', 'b2', '\ta c', '\tb d', '9) e', '1) f', '\t\tg', '\tbb z'],
    ]);
  });

  it('has the numbers of slides where they are text, and no fields in speaker notes', async () => {
    const number = '<text:page-number>&lt;number&gt;</text:page-number>';
    const fields =
      frame('', 1, p(number)) + frame('', 2, p('<text:date>2026</text:date>')) + frame('header', 3, p('X'));
    const slide = (name: string) =>
      page(
        name,
        `${frame('', 1, p(`Trang ${number}`))}<presentation:notes>${fields}${frame('notes', 9, p('Ghi'))}</presentation:notes>`,
      );
    const { parts } = await extract('slides', { body: slide('A') + slide('B') });
    expect(parts.map(({ text, notes }) => [text, notes])).to.deep.equal([
      ['Trang 1', 'Ghi'],
      ['Trang 2', 'Ghi'],
    ]);
  });

  it('tells comments with the slide that they are on', async () => {
    const annotation = `<officeooo:annotation svg:x="1cm"><dc:creator>Ai</dc:creator><dc:date>2026-01-01</dc:date>${p('sửa')}</officeooo:annotation>`;
    const { parts } = await extract('slides', { body: page('A', annotation) + page('B', '') });
    expect(parts.map(({ comments }) => comments)).to.deep.equal([[{ author: 'Ai', cell: null, text: 'sửa' }], []]);
  });
});
