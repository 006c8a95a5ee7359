import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import type { Picture } from '../../../../cmd/docbuilder/script/flat.ts';
import { buildSlides } from '../../../../cmd/docbuilder/script/slides.ts';
import type { Element, Script, Slide } from '../../../../src/common/generated/script.ts';

const now = new Date('2026-11-21T08:00:00Z');
const PICTURE: Picture = { base64: 'iVBORw0KGgo=', mediaType: 'image/png', width: 50, height: 25 };

function build(slides: Slide[], rest: Partial<Script> = {}, pictures = new Map<string, Picture>()): string {
  const script: Script = { svcscript: 1, type: 'slides', save: [{ format: 'pptx' }], slides, ...rest };
  const document = buildSlides(script, { pictures, now });
  const body = [...document.body].join('');
  return document.head() + body + document.tail;
}

interface Node {
  name: string;
  attributes: Record<string, string>;
  text: string;
  path: string[];
}

/** All elements in the order they end; throws where the XML is not well-formed. */
function parse(xml: string): Node[] {
  const nodes: Node[] = [];
  const open: Node[] = [];
  const parser = new SaxesParser();
  const add = (text: string) => {
    for (const node of open) node.text += text;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    open.push({ name, attributes, text: '', path: open.map((node) => node.name) });
    if (name === 'text:s') add(' '.repeat(Number(attributes['text:c'] ?? 1)));
    if (name === 'text:tab') add('\t');
    if (name === 'text:line-break') add('\n');
  });
  parser.on('text', add);
  parser.on('closetag', () => nodes.push(open.pop() as Node));
  parser.write(xml).close();
  return nodes;
}

/** Frames of the slides (not of the master pages) of a class. */
function placeholders(xml: string, kind?: string): Node[] {
  return parse(xml).filter(
    ({ name, attributes, path }) =>
      name === 'draw:frame' &&
      path.includes('draw:page') &&
      (kind === undefined || attributes['presentation:class'] === kind),
  );
}

/** XML 1.0, 2.2. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\ufffe\uffff]--[\t\n\r\u{7f}-\u{9f}]]/gv;
/** What a text may be made of: spaces in a row, line ends, markup, what XML forbids, several scripts. */
const LETTERS = 'aĐế  \t\n\r<>&"\'🧾א字\u0000\u001f\u0085\ud800\uffff\u200b';
const HOSTILE = `<&>"'\u0000\u0008]]>\ud800\uffff<!-- --><?x?>&#0; Đ\u0323 🧾\r\n\tאב`;
const box = { x: 10, y: 10, width: 100, height: 40 };
const ELEMENTS: Element[] = [
  { type: 'text', ...box, text: [HOSTILE, { text: HOSTILE, bold: true, link: 'https://x.vn/?a=1&b="' }], font: `a"'<` },
  { type: 'bullets', ...box, items: [HOSTILE, { text: HOSTILE, ordered: true, items: [HOSTILE] }], ordered: true },
  { type: 'table', ...box, header: [HOSTILE, 1], rows: [[{ text: HOSTILE, background: '#FF0000' }, 2.5]] },
  { type: 'image', x: 0, y: 0, base64: '', alt: HOSTILE },
  { type: 'shape', ...box, shape: 'diamond', text: HOSTILE, background: '#00FF00', border: { width: 2 } },
  { type: 'shape', ...box, shape: 'arrow', height: 0 },
];

const ALL: Slide[] = [
  { layout: 'title', title: HOSTILE, subtitle: HOSTILE, notes: HOSTILE },
  { layout: 'content', title: HOSTILE, content: ['a', { text: 'b', items: [{ text: 'c', items: ['d'] }] }] },
  { layout: 'two_columns', title: 'x', left: HOSTILE, right: [HOSTILE], background: '#102030' },
  { layout: 'section', title: HOSTILE, subtitle: 'y' },
  { layout: 'blank', elements: ELEMENTS },
];
const STYLE = { footer: HOSTILE, font: `"'<&`, accent: '#C00000', slide_numbers: true };

describe('slides of a script', () => {
  it('are well-formed XML whatever their texts hold', () => {
    const xml = build(
      ALL,
      { slide_style: STYLE, meta: { title: HOSTILE } },
      new Map([['/slides/4/elements/3', PICTURE]]),
    );
    expect(parse(xml).filter(({ name }) => name === 'draw:page')).to.have.length(5);
    expect(xml).not.to.match(FORBIDDEN);
  });

  it('are the same bytes each time', () => {
    expect(build(ALL, { slide_style: STYLE })).to.equal(build(ALL, { slide_style: STYLE }));
  });

  it('give back every title and item as it was written', () => {
    const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 5 }), (title, content) => {
        const xml = build([{ layout: 'content', title, content }]);
        const frames = placeholders(xml.slice(xml.indexOf('<office:body>'), xml.indexOf('</office:document>')));
        const expected = [readable(title), content.map(readable).join('')];
        expect(frames.map((frame) => frame.text)).to.deep.equal(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('have real placeholders on the layout that names them', () => {
    const pages = parse(build(ALL)).filter(({ name }) => name === 'draw:page');
    const layouts = pages.map(({ attributes }) => attributes['presentation:presentation-page-layout-name']);
    expect(layouts).to.deep.equal(['AL1', 'AL2', 'AL3', 'AL1', 'AL4']);
    expect(placeholders(build(ALL)).flatMap(({ attributes }) => attributes['presentation:class'] ?? [])).to.deep.equal([
      'title',
      'subtitle',
      'notes',
      'title',
      'outline',
      'title',
      'outline',
      'outline',
      'title',
      'subtitle',
    ]);
  });

  it('keep the other column where one is missing', () => {
    const frames = placeholders(build([{ layout: 'two_columns', title: 'a', right: 'b' }]), 'outline');
    expect(frames.map(({ attributes, text }) => [attributes['presentation:placeholder'], text])).to.deep.equal([
      ['true', ''],
      [undefined, 'b'],
    ]);
  });

  it('nest lists as deep as the items are', () => {
    const depths = parse(build([ALL[1] as Slide]))
      .filter(({ name, path }) => name === 'text:p' && path.includes('draw:page'))
      .map(({ path }) => path.filter((name) => name === 'text:list').length);
    expect(depths).to.deep.equal([0, 1, 1, 2, 3]);
  });

  it('make a master page only for the layouts in use, each with a theme of its own', () => {
    const nodes = parse(
      build([{ layout: 'two_columns', title: 'a' }, { layout: 'content', title: 'b' }, { layout: 'blank' }]),
    );
    const named = (name: string, attribute: string) =>
      nodes.filter((node) => node.name === name).map(({ attributes }) => attributes[attribute]);
    expect(named('style:master-page', 'style:name')).to.deep.equal(['Content', 'Blank']);
    expect(named('loext:theme', 'loext:name')).to.deep.equal(['Content', 'Blank']);
  });

  it('share styles: a hundred slides have no more of them than one', () => {
    const slide = ALL[1] as Slide;
    const styles = (xml: string) => parse(xml).filter(({ path }) => path.at(-1) === 'office:automatic-styles').length;
    expect(styles(build(Array(100).fill(slide)))).to.equal(styles(build([slide])));
  });

  it('can be read on a dark background of their own', () => {
    const slide: Slide = { layout: 'content', title: 'a', content: 'b', background: '#101820' };
    expect(paragraphColors(build([slide]))).to.deep.equal(['#FFFFFF', '#FFFFFF']);
    const style = (color: string) => paragraphColors(build([slide], { slide_style: { color } }));
    expect(style('#FFAA00')).to.deep.equal(['#FFAA00', '#FFAA00']);
    expect(style('#AA0000')).to.deep.equal(['#FFFFFF', '#FFFFFF']);
  });

  it('can be read on the accent of a section, and have their colour on the common background whatever it is', () => {
    const slides: Slide[] = [
      { layout: 'section', title: 'a' },
      { layout: 'content', title: 'b', content: 'c' },
    ];
    const colors = { title_color: '#112233', color: '#F0F0F0', accent: '#17365D' };
    const xml = build(slides, { slide_style: colors });
    const titles = ['Section', 'Content'].map((master) => lookOf(xml, `${master}-title`));
    expect(titles).to.deep.equal(['#FFFFFF', '#112233']);
    expect(lookOf(xml, 'Content-subtitle')).to.equal('#F0F0F0');
  });

  it('show a picture in its proportions, and nothing where there is none', () => {
    const slide: Slide = { layout: 'blank', elements: [{ type: 'image', x: 1, y: 2, width: 30, base64: '' }] };
    const [frame] = placeholders(build([slide], {}, new Map([['/slides/0/elements/0', PICTURE]])));
    expect(frame?.attributes).to.include({ 'svg:x': '1mm', 'svg:y': '2mm', 'svg:width': '30mm', 'svg:height': '15mm' });
    expect(placeholders(build([slide]))).to.deep.equal([]);
  });

  it('reduce a picture whose size nobody asked for to the room that it has', () => {
    const sizeAt = (x: number, y: number, size: object = {}) => {
      const slide: Slide = { layout: 'blank', elements: [{ type: 'image', x, y, base64: '', ...size }] };
      const large = { ...PICTURE, width: 1000, height: 500 };
      const xml = build([slide], { slide_size: '4:3' }, new Map([['/slides/0/elements/0', large]]));
      const [frame] = placeholders(xml);
      return ['svg:width', 'svg:height'].map((name) => Number.parseFloat(frame?.attributes[name] ?? ''));
    };
    expect(sizeAt(0, 0)).to.deep.equal([254, 127]);
    expect(sizeAt(10, 170.5)).to.deep.equal([40, 20]);
    expect(sizeAt(254, 0)).to.deep.equal([1000, 500]);
    expect(sizeAt(10, 10, { width: 900 })).to.deep.equal([900, 450]);
  });

  it('have nothing but letters in a link, and its white space beside it', () => {
    const xml = build([{ layout: 'title', title: { text: ' a  b\nc', link: 'https://x.vn/' } }]);
    const links = parse(xml).filter(({ name }) => name === 'text:a');
    expect(links.map(({ text }) => text)).to.deep.equal(['a', 'b', 'c']);
    expect(xml).not.to.match(/<text:a [^>]*>[^<]*<(?!\/text:a)/);
    expect(placeholders(xml, 'title').map(({ text }) => text)).to.deep.equal([' a  b\nc']);
  });

  it('have bullets of one size where the script says the size, else smaller ones below', () => {
    const bullets: Element = { type: 'bullets', ...box, height: 100, items: ['a', { text: 'b', items: ['c'] }] };
    const sizes = (element: Element) => {
      const xml = build([{ layout: 'blank', elements: [element] }]);
      return [...xml.matchAll(/"P\d+" style:family="paragraph".*?fo:font-size="(.*?)"/g)]
        .map(([, size]) => size)
        .slice(-3);
    };
    expect(sizes({ ...bullets, size: 20 }))
      .to.include('20pt')
      .and.not.include('17pt');
    expect(sizes(bullets)).to.deep.equal(['18pt', '15pt', '14pt']);
  });

  it('have the footer on all slides but the title slide', () => {
    const pages = parse(build(ALL, { slide_style: { footer: 'f' } })).filter(({ name }) => name === 'draw:page');
    const names = pages.map(({ attributes }) => attributes['presentation:use-footer-name']);
    expect(names).to.deep.equal([undefined, 'footer', 'footer', 'footer', 'footer']);
  });
});

/** What XML can hold of a text, with its line ends as line feeds. */
function readable(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/\r\n?/g, '\n');
}

function paragraphColors(xml: string): (string | undefined)[] {
  const nodes = parse(xml);
  const paragraphs = nodes.filter(({ name, path }) => name === 'text:p' && path.includes('draw:page'));
  const properties = [...xml.matchAll(/<style:style style:name="(P\d+)".*?fo:color="(.*?)"/g)];
  const colors = new Map(properties.map(([, name, color]) => [name, color]));
  return paragraphs.map(({ attributes }) => colors.get(attributes['text:style-name']));
}

/** Colour of the letters in a named style. */
function lookOf(xml: string, style: string): string | undefined {
  return new RegExp(`<style:style style:name="${style}".*?fo:color="(.*?)"`).exec(xml)?.[1];
}
