import type { Picture } from '../../../../cmd/docbuilder/script/check/pictures.ts';
import type { Block, Element, Script, Sheet, Slide } from '../../../../src/common/generated/script.ts';

/** A script, and its pictures by JSON Pointer. */
export interface FlatCase {
  script: Script;
  pictures: Map<string, Picture>;
}

const HOSTILE = `"/><x>&amp;\u0000\u0008]]>\ud800\uffff<!-- --><?x?>&#0; Đ\u0323 🧾\r\n\tאב'`;

type Sizes = Record<string, readonly [width: number, height: number]>;

function makePictures(sizes: Sizes): Map<string, Picture> {
  const made = ([width, height]: readonly [number, number]): Picture => ({
    base64: 'AAAA',
    mediaType: 'image/png',
    width,
    height,
  });
  return new Map(Object.entries(sizes).map(([path, size]) => [path, made(size)]));
}

function text(body: Block[], rest: Partial<Script> = {}, sizes: Sizes = {}): FlatCase {
  const script: Script = { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body, ...rest };
  return { script, pictures: makePictures(sizes) };
}

function sheet(sheets: Sheet[], rest: Partial<Script> = {}): FlatCase {
  const script: Script = { svcscript: 1, type: 'sheet', save: [{ format: 'xlsx' }], sheets, ...rest };
  return { script, pictures: new Map() };
}

function slides(slides: Slide[], rest: Partial<Script> = {}, sizes: Sizes = {}): FlatCase {
  const script: Script = { svcscript: 1, type: 'slides', save: [{ format: 'pptx' }], slides, ...rest };
  return { script, pictures: makePictures(sizes) };
}

const p = (text: string): Block => ({ type: 'paragraph', text });
const BREAK: Block = { type: 'page_break' };
const TABLE: Block = { type: 'table', rows: [['a']] };
const SQUARE: string[][] = [
  ['a', 'b'],
  ['c', 'd'],
];
const image = (size: object = {}): Block => ({ type: 'image', base64: '', ...size });
const box = { x: 10, y: 10, width: 100, height: 40 };
const onSlide = (...elements: Element[]): Slide => ({ layout: 'blank', elements });
const DARK: Slide = { layout: 'content', title: 'a', content: 'b', background: '#101820' };
const DATE = { type: 'date', value: '2026-11-21' } as const;

/** The scripts of test/unit/docbuilder/script/golden, by the names of its files. */
export const CASES: Record<string, FlatCase> = {
  'text-hostile': text(
    [
      { type: 'heading', level: 1, text: { text: HOSTILE, font: HOSTILE, link: `https://x/${HOSTILE}` } },
      { type: 'list', items: [HOSTILE] },
      { type: 'table', header: [HOSTILE], rows: [[{ text: HOSTILE }]] },
      { type: 'image', base64: '', alt: HOSTILE, caption: HOSTILE },
    ],
    {
      meta: { title: HOSTILE, subject: HOSTILE, author: HOSTILE, keywords: [HOSTILE], description: HOSTILE },
      style: { font: HOSTILE, heading_font: HOSTILE },
      header: { left: HOSTILE, right: { field: 'title' } },
    },
    { '/body/3': [10, 10] },
  ),
  'text-looks': text([
    { type: 'paragraph', bold: true, text: [{ text: 'a', bold: false }, 'b'], align: 'center' },
    { type: 'paragraph', bold: true, text: [{ text: 'same styles', bold: false }, 'b'], align: 'center' },
    { type: 'paragraph', text: 'both spaces', space_before: 5 },
    { type: 'heading', level: 1, text: 'both spaces', space_after: 9 },
  ]),
  'text-breaks': text([p('a'), BREAK, p('b'), BREAK, BREAK, p('behind an empty page'), BREAK]),
  'text-break-first': text([BREAK, p('a')]),
  'text-breaks-of-blocks': text(
    [{ type: 'list', items: ['a'] }, BREAK, { type: 'list', items: ['b'] }, BREAK, TABLE, BREAK, image()],
    {},
    { '/body/6': [1, 1] },
  ),
  'text-lists': text([
    { type: 'list', ordered: true, numbering: 'upper_roman', start: 7, items: ['a'] },
    {
      type: 'list',
      items: ['a', { text: 'b', ordered: true, items: ['c', { text: 'd', ordered: false, items: ['e'] }] }],
    },
    {
      type: 'list',
      items: [
        { text: 'a', items: ['b'] },
        { text: 'c', ordered: true, items: ['d'] },
      ],
    },
  ]),
  'text-tables': text([
    { type: 'table', columns: [1, { width: 3 }], header: ['a', ''], rows: [['', '']] },
    { type: 'table', rows: SQUARE, borders: 'outer', border: { width: 2, color: '#112233' } },
    { type: 'table', rows: SQUARE, borders: 'horizontal' },
    { type: 'table', rows: [['a'], ['b'], ['c']], borders: 'outer' },
    { type: 'table', rows: [['a', { text: 'x', border: { width: 3, color: '#FF0000' } }, 'b']] },
  ]),
  'text-pictures': text(
    [
      image(),
      image({ width: 100, height: 10 }),
      image({ width: 100 }),
      image({ height: 60 }),
      image({ width: 400 }),
      image({ width: 24.4, height: 2000 }),
      image(),
      image({ caption: 'Hình 1' }),
    ],
    {},
    Object.fromEntries([
      ...[0, 1, 2, 3, 4, 5].map((index) => [`/body/${index}`, [40, 20]] as const),
      ['/body/6', [320, 100]],
      ['/body/7', [100, 1000]],
    ]),
  ),
  'text-pages': text([p('a')], {
    page: { size: 'A5', orientation: 'landscape', margins: { top: 31 } },
    meta: { title: 'Báo cáo', author: 'An', keywords: ['a', 'b'], lang: 'zh-Hant-TW' },
    header: { left: 'a\nb', right: [{ field: 'title', bold: true }, ' ', { field: 'date' }], line: true },
    footer: { center: [{ field: 'page' }, '/', { field: 'pages' }] },
  }),

  'sheet-hostile': sheet(
    [
      {
        name: `a"<&'b`,
        rows: [{ cells: [HOSTILE, { type: 'string', value: HOSTILE, font: HOSTILE }], font: HOSTILE }],
        columns: [{ font: HOSTILE }],
        print: { header: { left: HOSTILE, center: [{ field: 'title' }] } },
      },
    ],
    { save: [{ format: 'ods' }], meta: { title: HOSTILE, author: HOSTILE } },
  ),
  'sheet-cells': sheet([
    {
      rows: [
        [1.5, true, '=1+1', null, { type: 'string', value: '12' }, { type: 'boolean', value: false }],
        [DATE, { type: 'date', value: '2026-11-21T08:30' }, { type: 'time', value: '8:30' }],
        [
          { type: 'time', value: '30:15:07' },
          { type: 'percentage', value: 0.25 },
          { type: 'percentage', value: 0.255 },
        ],
        [
          { type: 'currency', value: 2 },
          { type: 'currency', value: 2, currency: 'EUR' },
        ],
        [{ type: 'formula', formula: '=sum(A1,B1)&"<"' }],
      ],
    },
  ]),
  'sheet-looks': sheet([
    {
      columns: [{ bold: true, color: '#111111', background: '#AAAAAA' }, { format: 'date_iso' }],
      rows: [
        { cells: [{ type: 'number', value: 1, bold: false }, DATE], color: '#222222' },
        { cells: [2, 5], color: '#222222' },
        [3, { type: 'percentage', value: 0.5 }],
        [3, { ...DATE, format: 'date' }],
        [3, true],
      ],
    },
  ]),
  'sheet-language': sheet([{ rows: [[{ type: 'number', value: 1, format: 'integer' }]] }], {
    save: [{ format: 'ods' }],
    meta: { lang: 'de' },
  }),
  'sheet-language-of-excel': sheet([{ rows: [[{ type: 'number', value: 1, format: 'integer' }]] }], {
    meta: { lang: 'de' },
  }),
  'sheet-names': sheet([
    { rows: [], hidden: true, tab_color: '#FF0000' },
    { name: 'sheet2', rows: [], hidden: true },
    { rows: [], hidden: true },
    { name: 'SHEET1', rows: [], hidden: true },
  ]),
  'sheet-views': sheet([
    {
      name: "It's",
      rows: [['a', 'b', 'c'], [1]],
      autofilter: true,
      freeze: { rows: 1, columns: 2 },
      print: { repeat_rows: 3, repeat_columns: 1, area: 'b9:A$1', fit_width: 1 },
    },
  ]),
  'sheet-widths': sheet([
    {
      columns: [{}, {}, {}, { width: 12 }],
      rows: [[{ type: 'date', value: '2026-11-21T08:30' }, 5, 'a long text', { type: 'currency', value: 1e9 }]],
    },
  ]),
  'sheet-print': sheet([
    { rows: [], print: { margins: { top: 30, bottom: 20 }, footer: { left: 'x' } } },
    { rows: [], print: { margins: { top: 2 }, header: { left: 'a\nb' } } },
    { rows: [], print: { header: { left: [{ text: 'a', color: '#FF0000' }, { field: 'page' }] } } },
  ]),

  'slides-hostile': slides(
    [
      { layout: 'title', title: HOSTILE, subtitle: HOSTILE, notes: HOSTILE },
      { layout: 'content', title: HOSTILE, content: ['a', { text: 'b', items: [{ text: 'c', items: ['d'] }] }] },
      { layout: 'two_columns', title: 'x', left: HOSTILE, right: [HOSTILE], background: '#102030' },
      { layout: 'section', title: HOSTILE, subtitle: 'y' },
      onSlide(
        {
          type: 'text',
          ...box,
          text: [HOSTILE, { text: HOSTILE, bold: true, link: 'https://x/?a=1&b="' }],
          font: `a"<`,
        },
        {
          type: 'bullets',
          ...box,
          items: [HOSTILE, { text: HOSTILE, ordered: true, items: [HOSTILE] }],
          ordered: true,
        },
        { type: 'table', ...box, header: [HOSTILE, 1], rows: [[{ text: HOSTILE, background: '#FF0000' }, 2.5]] },
        { type: 'image', x: 0, y: 0, base64: '', alt: HOSTILE },
        { type: 'shape', ...box, shape: 'diamond', text: HOSTILE, background: '#00FF00', border: { width: 2 } },
        { type: 'shape', ...box, shape: 'arrow', height: 0 },
      ),
    ],
    {
      slide_style: { footer: HOSTILE, font: `"'<&`, accent: '#C00000', slide_numbers: true },
      meta: { title: HOSTILE },
    },
    { '/slides/4/elements/3': [50, 25] },
  ),
  'slides-layouts': slides([
    { layout: 'two_columns', title: 'a', right: 'beside an empty column' },
    { layout: 'content', title: 'b' },
    { layout: 'content', title: 'c', content: ['the same styles'] },
    { layout: 'content', title: 'd', content: ['the same styles'] },
    { layout: 'blank' },
  ]),
  'slides-dark': slides([DARK]),
  'slides-dark-and-a-colour-that-can-be-read': slides([DARK], { slide_style: { color: '#FFAA00' } }),
  'slides-dark-and-a-colour-that-cannot': slides([DARK], { slide_style: { color: '#AA0000' } }),
  'slides-colours': slides(
    [
      { layout: 'section', title: 'a' },
      { layout: 'content', title: 'b', content: 'c' },
    ],
    { slide_style: { title_color: '#112233', color: '#F0F0F0', accent: '#17365D' } },
  ),
  'slides-pictures': slides(
    [
      onSlide(
        { type: 'image', x: 1, y: 2, width: 30, base64: '' },
        { type: 'image', x: 0, y: 0, base64: '' },
        { type: 'image', x: 10, y: 170.5, base64: '' },
        { type: 'image', x: 254, y: 0, base64: '' },
        { type: 'image', x: 10, y: 10, width: 900, base64: '' },
        { type: 'image', x: 10, y: 10, base64: '', alt: 'not there' },
      ),
    ],
    { slide_size: '4:3' },
    Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`/slides/0/elements/${index}`, [1000, 500]] as const)),
  ),
  'slides-links': slides([{ layout: 'title', title: { text: ' a  b\nc', link: 'https://x.vn/' } }]),
  'slides-bullets': slides([
    onSlide(
      { type: 'bullets', ...box, height: 100, items: ['a', { text: 'b', items: ['c'] }] },
      { type: 'bullets', ...box, height: 100, items: ['a', { text: 'b', items: ['c'] }], size: 20 },
    ),
  ]),
};
