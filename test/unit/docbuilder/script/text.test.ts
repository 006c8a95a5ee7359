import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import type { Picture } from '../../../../cmd/docbuilder/script/flat.ts';
import { buildText } from '../../../../cmd/docbuilder/script/text.ts';
import type { Block, Script, TableCell } from '../../../../src/common/generated/script.ts';

const now = new Date('2026-11-21T08:00:00Z');
/** XML 1.0, 2.2. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\ufffe\uffff]--[\t\n\r\u{7f}-\u{9f}]]/gv;
const HOSTILE = '"><script>&amp; ]]> \'\u0001\ud800';

function build(body: Block[], rest: Partial<Script> = {}, pictures = new Map<string, Picture>()): string {
  const script: Script = { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body, ...rest };
  const document = buildText(script, { pictures, now });
  const written = [...document.body].join('');
  return document.head() + written + document.tail;
}

interface Node {
  name: string;
  attributes: Record<string, string>;
  children: Node[];
  text: string;
}

/** The document as a tree; throws where it is not well-formed. */
function parse(xml: string): Node {
  const root: Node = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const add = (text: string): void => {
    for (const node of open) node.text += text;
  };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const node = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(node);
    open.push(node);
    if (name === 'text:s') add(' '.repeat(Number(attributes['text:c'] ?? 1)));
    if (name === 'text:tab') add('\t');
    if (name === 'text:line-break') add('\n');
  });
  parser.on('text', (text) => add(text.replace(/ +/g, ' ')));
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return root;
}

function all(node: Node, name: string): Node[] {
  return node.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

function one(node: Node, name: string): Node {
  const [found] = all(node, name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

/** What stands in the body. */
function toBody(xml: string): Node[] {
  return one(parse(xml), 'office:text').children;
}

/** The attributes of the properties of an automatic or named style. */
function styleOf(xml: string, name: string | undefined): Record<string, string> {
  const found = all(parse(xml), 'style:style').find(({ attributes }) => attributes['style:name'] === name);
  if (!found) throw new Error(`no style ${name}`);
  return Object.assign({ ...found.attributes }, ...found.children.map(({ attributes }) => attributes));
}

const paragraphStyleAt = (xml: string, index: number): Record<string, string> =>
  styleOf(xml, toBody(xml)[index]?.attributes['text:style-name']);

describe('text documents as flat OpenDocument', () => {
  describe('text', () => {
    it('comes back from the XML as it was, whatever it is', () => {
      const unit = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(' ', '\t', '\n', 'ế', '<', '&') }),
      );
      fc.assert(
        fc.property(fc.array(unit, { minLength: 1, maxLength: 4 }), (texts) => {
          const runs = texts.map((text, index) => (index % 2 ? { text, bold: true } : text));
          const [paragraph] = toBody(build([{ type: 'paragraph', text: runs }]));
          const expected = texts.map((text) => text.replaceAll(FORBIDDEN, '').replaceAll(/\r\n?/g, '\n')).join('');
          expect(paragraph?.text).to.equal(expected);
        }),
        { numRuns: 100 },
      );
    });

    it('cannot leave its place, wherever the script has it', () => {
      const text = HOSTILE;
      const picture: Picture = { base64: 'AAAA', mediaType: 'image/png', width: 10, height: 10 };
      const xml = build(
        [
          { type: 'heading', level: 1, text: { text, font: text, link: `https://x/${text}` } },
          { type: 'list', items: [text] },
          { type: 'table', header: [text], rows: [[{ text }]] },
          { type: 'image', base64: '', alt: text, caption: text },
        ],
        {
          meta: { title: text, subject: text, author: text, keywords: [text], description: text },
          style: { font: text, heading_font: text },
          header: { left: text, right: { field: 'title' } },
        },
        new Map([['/body/3', picture]]),
      );
      expect(all(parse(xml), 'script')).to.deep.equal([]);
      expect(toBody(xml).map(({ name }) => name)).to.deep.equal([
        'text:h',
        'text:list',
        'table:table',
        'text:p',
        'text:p',
      ]);
    });

    it('has one style for one look', () => {
      const block: Block = { type: 'paragraph', text: { text: 'a', bold: true }, align: 'center' };
      const xml = build(Array.from({ length: 50 }, () => block));
      const names = all(one(parse(xml), 'office:automatic-styles'), 'style:style').map(
        (node) => node.attributes['style:name'],
      );
      expect(names).to.deep.equal(['P1', 'T1']);
    });

    it('keeps what a run says against its paragraph', () => {
      const xml = build([{ type: 'paragraph', bold: true, text: [{ text: 'a', bold: false }, 'b'] }]);
      const [paragraph] = toBody(xml);
      expect(paragraphStyleAt(xml, 0)['fo:font-weight']).to.equal('bold');
      expect(styleOf(xml, paragraph?.children[0]?.attributes['text:style-name'])['fo:font-weight']).to.equal('normal');
    });
  });

  it('is the same bytes for the same script and moment', () => {
    const body: Block[] = [
      { type: 'table', header: ['a', { text: 'b', color: '#FF0000' }], rows: [['c', 1]] },
      { type: 'list', ordered: true, items: ['x', { text: 'y', items: ['z'] }] },
    ];
    expect(build(body)).to.equal(build(body));
  });

  it('states both spaces of a paragraph when one differs', () => {
    const xml = build([
      { type: 'paragraph', text: 'a', space_before: 5 },
      { type: 'heading', level: 1, text: 'b', space_after: 9 },
    ]);
    expect(paragraphStyleAt(xml, 0)).to.include({ 'fo:margin-top': '5mm', 'fo:margin-bottom': '2.5mm' });
    expect(paragraphStyleAt(xml, 1)).to.include({ 'fo:margin-top': '7mm', 'fo:margin-bottom': '9mm' });
  });

  it('is made in pieces, however long one paragraph is', () => {
    const text = Array.from({ length: 4 }, (_, index) => ({ text: '&'.repeat(90_000), bold: index % 2 === 0 }));
    const body: Block[] = [
      { type: 'paragraph', text },
      { type: 'heading', level: 1, text },
      { type: 'list', items: [{ text, items: [text, text] }, text] },
      { type: 'image', base64: '', caption: text },
      {
        type: 'table',
        rows: [
          [{ text }, { text }],
          ['b', { text }],
        ],
      },
    ];
    const picture: Picture = { mediaType: 'image/png', base64: '', width: 9, height: 9 };
    const script: Script = { svcscript: 1, type: 'text', save: [{ format: 'pdf' }], body };
    let [written, longest] = [0, 0];
    for (const { length } of buildText(script, { pictures: new Map([['/body/3', picture]]), now }).body) {
      written += length;
      longest = Math.max(longest, length);
    }
    expect(written).to.be.greaterThan(10 * 4 * 90_000 * '&amp;'.length);
    expect(longest).to.be.lessThan(1024 * 1024);
  });

  describe('page breaks', () => {
    const text = (content: string): Block => ({ type: 'paragraph', text: content });
    const BREAK: Block = { type: 'page_break' };
    const breaks = (body: Block[]): (string | boolean)[][] => {
      const xml = build(body);
      return toBody(xml).map((node, index) => {
        const styled = node.attributes['text:style-name'] ?? '';
        const broken = styled.startsWith('P') && paragraphStyleAt(xml, index)['fo:break-before'] === 'page';
        return [node.text, broken];
      });
    };

    it('are a property of the next block, without a paragraph of their own', () => {
      expect(breaks([text('a'), BREAK, text('b')])).to.deep.equal([
        ['a', false],
        ['b', true],
      ]);
    });

    it('make an empty page where nothing stands between or after them', () => {
      expect(breaks([text('a'), BREAK, BREAK, text('b'), BREAK])).to.deep.equal([
        ['a', false],
        ['', true],
        ['b', true],
        ['', true],
      ]);
    });

    it('make an empty first page before the first block', () => {
      expect(breaks([BREAK, text('a')])).to.deep.equal([
        ['', false],
        ['a', true],
      ]);
    });

    it('reach lists, tables and pictures', () => {
      const xml = build(
        [
          { type: 'list', items: ['a'] },
          BREAK,
          { type: 'list', items: ['b'] },
          BREAK,
          { type: 'table', rows: [['c']] },
          BREAK,
          { type: 'image', base64: '' },
        ],
        {},
        new Map([['/body/6', { base64: 'AAAA', mediaType: 'image/png', width: 1, height: 1 }]]),
      );
      const [, list, table, separator, figure] = toBody(xml);
      expect(styleOf(xml, list && one(list, 'text:p').attributes['text:style-name'])['fo:break-before']).to.equal(
        'page',
      );
      expect(styleOf(xml, table?.attributes['table:style-name'])['fo:break-before']).to.equal('page');
      expect(separator?.attributes['text:style-name']).to.equal('Table_20_Separator');
      expect(styleOf(xml, figure?.attributes['text:style-name'])['fo:break-before']).to.equal('page');
    });
  });

  describe('lists', () => {
    it('count levels as the script says, and start where it says', () => {
      const xml = build([{ type: 'list', ordered: true, numbering: 'upper_roman', start: 7, items: ['a'] }]);
      const levels = all(one(parse(xml), 'text:list-style'), 'text:list-level-style-number');
      expect(levels.map(({ attributes }) => attributes['style:num-format'])).to.deep.equal(['I', 'A', '1']);
      expect(levels.map(({ attributes }) => attributes['text:start-value'])).to.deep.equal(['7', undefined, undefined]);
    });

    it('mix bullets and numbers without a second list style where one can say it', () => {
      const items = ['a', { text: 'b', ordered: true, items: ['c', { text: 'd', ordered: false, items: ['e'] }] }];
      const xml = build([{ type: 'list', items }]);
      const [style, ...others] = all(parse(xml), 'text:list-style');
      expect(others).to.deep.equal([]);
      expect(style?.children.map(({ name }) => name.replace('text:list-level-style-', ''))).to.deep.equal([
        'bullet',
        'number',
        'bullet',
      ]);
      const names = all(one(parse(xml), 'office:text'), 'text:p').map((node) => node.attributes['text:style-name']);
      expect(names.slice(0, 4)).to.deep.equal([
        'List_20_Bullet',
        'List_20_Bullet',
        'List_20_Number_20_2',
        'List_20_Number_20_2',
      ]);
    });

    it('give a branch that differs a style of its own', () => {
      const items = [
        { text: 'a', items: ['b'] },
        { text: 'c', ordered: true, items: ['d'] },
      ];
      const xml = build([{ type: 'list', items }]);
      const names = all(one(parse(xml), 'office:text'), 'text:list').map((node) => node.attributes['text:style-name']);
      expect(names).to.deep.equal(['L1', undefined, 'L2']);
    });
  });

  describe('tables', () => {
    const cellsOf = (xml: string): Node[] => all(one(parse(xml), 'office:text'), 'table:table-cell');
    const bordersOf = (rows: TableCell[][], rest: object = {}): Record<string, string>[] => {
      const xml = build([{ type: 'table', rows, ...rest }]);
      return cellsOf(xml).map((cell) => styleOf(xml, cell.attributes['table:style-name']));
    };

    it('share the width of the text in proportion', () => {
      const xml = build([{ type: 'table', columns: [1, { width: 3 }], rows: [['a', 'b']] }]);
      expect(styleOf(xml, 'Co1')['style:column-width']).to.equal('40mm');
      expect(styleOf(xml, 'Co2')['style:column-width']).to.equal('120mm');
    });

    it('repeat the header, and keep every cell of a row', () => {
      const xml = build([{ type: 'table', header: ['a', '', 'c'], rows: [['', '', '']] }]);
      expect(all(parse(xml), 'table:table-header-rows').map(({ text }) => text)).to.deep.equal(['ac']);
      expect(cellsOf(xml)).to.have.length(6);
    });

    it('draw the lines asked for', () => {
      const [corner] = bordersOf(
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        { borders: 'outer', border: { width: 2, color: '#112233' } },
      );
      expect(corner).to.include({
        'fo:border-top': '2pt solid #112233',
        'fo:border-left': '2pt solid #112233',
        'fo:border-right': 'none',
        'fo:border-bottom': 'none',
      });
      const [first] = bordersOf([['a', 'b']], { borders: 'horizontal' });
      expect(first).to.include({ 'fo:border-left': 'none', 'fo:border-top': '0.5pt solid #A6A6A6' });
    });

    it('give both sides of a common border to the cell that has one of its own', () => {
      const own = { text: 'x', border: { width: 3, color: '#FF0000' } };
      const [left, middle, right] = bordersOf([['a', own, 'b']]);
      expect(left?.['fo:border-right']).to.equal('3pt solid #FF0000');
      expect(middle?.['fo:border']).to.equal('3pt solid #FF0000');
      expect(right?.['fo:border-left']).to.equal('3pt solid #FF0000');
      expect(right?.['fo:border-right']).to.equal('0.5pt solid #A6A6A6');
    });

    it('stay two when they follow each other', () => {
      const table: Block = { type: 'table', rows: [['a']] };
      const names = toBody(build([table, table])).map(({ name }) => name);
      expect(names).to.deep.equal(['table:table', 'text:p', 'table:table', 'text:p']);
    });
  });

  describe('pictures', () => {
    const sizeOf = (picture: object, block: object = {}, rest: Partial<Script> = {}): string[] => {
      const pictures = new Map([['/body/0', { base64: 'AAAA', mediaType: 'image/png', ...picture } as Picture]]);
      const frame = one(parse(build([{ type: 'image', base64: '', ...block }], rest, pictures)), 'draw:frame');
      return [frame.attributes['svg:width'] ?? '', frame.attributes['svg:height'] ?? ''];
    };

    it('have their natural size, a given one, or one that keeps the proportions', () => {
      expect(sizeOf({ width: 40, height: 20 })).to.deep.equal(['40mm', '20mm']);
      expect(sizeOf({ width: 40, height: 20 }, { width: 100, height: 10 })).to.deep.equal(['100mm', '10mm']);
      expect(sizeOf({ width: 40, height: 20 }, { width: 100 })).to.deep.equal(['100mm', '50mm']);
      expect(sizeOf({ width: 40, height: 20 }, { height: 60 })).to.deep.equal(['120mm', '60mm']);
    });

    it('fit the text, whatever size was asked for', () => {
      expect(sizeOf({ width: 320, height: 100 })).to.deep.equal(['160mm', '50mm']);
      expect(sizeOf({ width: 40, height: 20 }, { width: 400 })).to.deep.equal(['160mm', '80mm']);
      expect(sizeOf({ width: 40, height: 20 }, { height: 100 })).to.deep.equal(['160mm', '80mm']);
      expect(sizeOf({ width: 40, height: 20 }, { width: 200, height: 50 })).to.deep.equal(['160mm', '40mm']);
      expect(sizeOf({ width: 40, height: 20 }, { width: 24.4, height: 2000 })).to.deep.equal(['2.9768mm', '244mm']);
      const [, height] = sizeOf({ width: 100, height: 1000 }, { caption: 'x' });
      expect(Number.parseFloat(height ?? '')).to.be.within(200, 247);
    });

    it('stay with their caption', () => {
      const pictures = new Map<string, Picture>([
        ['/body/0', { base64: 'A', mediaType: 'image/gif', width: 1, height: 1 }],
      ]);
      const xml = build([{ type: 'image', base64: '', caption: 'Hình 1' }], {}, pictures);
      expect(paragraphStyleAt(xml, 0)['fo:keep-with-next']).to.equal('always');
      expect(toBody(xml)[1]).to.deep.include({ text: 'Hình 1' });
    });
  });

  describe('pages', () => {
    it('have the paper and margins asked for', () => {
      const xml = build([{ type: 'page_break' }], {
        page: { size: 'A5', orientation: 'landscape', margins: { top: 11 } },
      });
      expect(one(parse(xml), 'style:page-layout-properties').attributes).to.include({
        'fo:page-width': '210mm',
        'fo:page-height': '148mm',
        'style:print-orientation': 'landscape',
        'fo:margin-top': '11mm',
        'fo:margin-left': '25mm',
      });
    });

    it('have headers and footers within their margins, and fields in them', () => {
      const xml = build([{ type: 'page_break' }], {
        meta: { title: 'Báo cáo' },
        header: { left: 'a\nb', right: [{ field: 'title', bold: true }, ' ', { field: 'date' }], line: true },
        footer: { center: [{ field: 'page' }, '/', { field: 'pages' }] },
      });
      const root = parse(xml);
      expect(one(root, 'style:header').children.map(({ text }) => text)).to.deep.equal([
        'a\t\tBáo cáo 21/11/2026',
        'b',
      ]);
      const footer = one(root, 'style:footer');
      expect(footer.children.flatMap(({ children }) => children).map(({ name }) => name)).to.deep.equal([
        'text:page-number',
        'text:page-count',
      ]);
      const length = (name: string): number => {
        const { attributes } = one(one(root, name), 'style:header-footer-properties');
        return Number.parseFloat(attributes['fo:min-height'] ?? '');
      };
      const margin = one(root, 'style:page-layout-properties').attributes['fo:margin-top'] ?? '';
      expect(length('style:header-style') + Number.parseFloat(margin)).to.be.closeTo(25, 0.001);
    });

    it('say who wrote them, when, and in which language', () => {
      const xml = build([{ type: 'page_break' }], { meta: { author: 'An', keywords: ['a', 'b'], lang: 'zh-Hant-TW' } });
      const root = parse(xml);
      expect(one(root, 'office:meta').children.map(({ name, text }) => `${name} ${text}`)).to.include.members([
        'dc:creator An',
        'meta:keyword a',
        'meta:keyword b',
        'dc:language zh-Hant-TW',
        'dc:date 2026-11-21T08:00:00',
      ]);
      const language = all(one(root, 'style:default-style'), 'style:text-properties')[0]?.attributes;
      expect(language).to.include({ 'fo:country': 'TW', 'style:language-asian': 'zh', 'style:script-asian': 'Hant' });
    });
  });
});
