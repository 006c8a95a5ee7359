import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Picture } from '../../cmd/docbuilder/script/flat.ts';
import { buildText } from '../../cmd/docbuilder/script/text.ts';
import type { Block, Script } from '../../src/common/generated/script.ts';
import { readPng } from './pixels.ts';
import { type Bench, createBench, type Made, pdfText } from './support.ts';
import { zipEntry } from './zip.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE: Picture = { base64: PIXEL, mediaType: 'image/png', width: 40, height: 20 };

const BODY: Block[] = [
  { type: 'heading', level: 1, text: 'Biên bản nghiệm thu' },
  { type: 'heading', level: 6, text: 'Cấp sáu', align: 'center' },
  {
    type: 'paragraph',
    text: [
      { text: 'đậm', bold: true },
      { text: 'nghiêng', italic: true },
      { text: 'gạch chân', underline: true },
      { text: 'gạch ngang', strike: true },
      { text: 'đỏ', color: '#C00000' },
      { text: 'vàng', highlight: '#FFFF00' },
      { text: 'mười sáu', font: 'Calibri', size: 16 },
      { text: 'trên', script: 'super' },
      { text: 'dưới', script: 'sub' },
      { text: 'liên kết', link: 'https://example.com/?a=1&b=2' },
    ],
    align: 'justify',
    space_before: 5,
    space_after: 10,
    indent_left: 20,
    indent_right: 10,
    first_line_indent: -10,
    line_spacing: 150,
    keep_with_next: true,
  },
  {
    type: 'list',
    ordered: true,
    numbering: 'upper_roman',
    start: 4,
    items: ['Bốn', { text: 'Năm', items: ['A', 'B'] }],
  },
  {
    type: 'list',
    ordered: true,
    items: ['Một', { text: 'Hai', ordered: false, items: [{ text: 'chấm', items: ['sâu'] }] }],
  },
  {
    type: 'table',
    columns: [1, { width: 3, align: 'right' }],
    header: ['Tên', 'Giá'],
    rows: [
      ['', { text: '5.000', background: '#FFF2CC', valign: 'middle' }],
      ['Thước', 12000],
    ],
  },
  { type: 'table', rows: [['bảng hai']] },
  { type: 'horizontal_rule', width: 3, color: '#00B050' },
  { type: 'image', base64: PIXEL, alt: 'Một điểm', width: 60, align: 'center', caption: 'Hình 1' },
  { type: 'page_break' },
  { type: 'page_break' },
  { type: 'paragraph', text: 'Trang ba' },
];
const SCRIPT: Script = {
  svcscript: 1,
  type: 'text',
  save: [{ format: 'docx' }],
  meta: { title: 'Biên bản', author: 'Nguyễn An', subject: 'Nghiệm thu', keywords: ['một', 'hai'] },
  page: { size: 'Letter', margins: { top: 30, right: 15, bottom: 20, left: 25 } },
  header: { left: 'Công ty', right: { field: 'title' }, line: true },
  footer: { center: ['Trang ', { field: 'page' }, ' / ', { field: 'pages' }], right: { field: 'date' } },
  body: BODY,
};

function flat(script: Script): string {
  const pictures = new Map([['/body/8', PICTURE]]);
  const document = buildText(script, { pictures, now: new Date('2026-11-21T08:00:00Z') });
  const body = [...document.body].join('');
  return document.head() + body + document.tail;
}

describe('text documents through the engine', () => {
  let bench: Bench;
  let docx: Made;
  let odt: Made;
  let pdf: Made;
  let document: string;
  /** The paragraph of the docx that has this text in one run, and that run. */
  const paragraphOf = (text: string): string =>
    document.split('<w:p>').find((paragraph) => paragraph.includes(`>${text}</w:t>`)) ?? '';
  const runOf = (text: string): string =>
    paragraphOf(text)
      .split('<w:r>')
      .find((run) => run.includes(`>${text}</w:t>`)) ?? '';

  before(async () => {
    bench = await createBench();
    const made = await bench.make(flat(SCRIPT), 'fodt', [{ to: 'docx' }, { to: 'odt' }, { to: 'pdf' }]);
    [docx, odt, pdf] = made as unknown as [Made, Made, Made];
    document = zipEntry(docx.bytes, 'word/document.xml');
  });
  after(() => bench.dispose());

  it('keep the look of every run', () => {
    expect(runOf('đậm')).to.include('<w:b/>');
    expect(runOf('nghiêng')).to.include('<w:i/>');
    expect(runOf('gạch chân')).to.include('<w:u w:val="single"/>');
    expect(runOf('gạch ngang')).to.include('<w:strike/>');
    expect(runOf('đỏ')).to.include('<w:color w:val="C00000"/>');
    expect(runOf('vàng')).to.match(/w:fill="FFFF00"/);
    expect(runOf('mười sáu')).to.match(/w:ascii="Calibri".*<w:sz w:val="32"\/>/);
    expect(runOf('trên')).to.include('<w:vertAlign w:val="superscript"/>');
    expect(runOf('dưới')).to.include('<w:vertAlign w:val="subscript"/>');
    expect(zipEntry(docx.bytes, 'word/_rels/document.xml.rels')).to.include('https://example.com/?a=1&amp;b=2');
  });

  it('keep headings as such, and the spacing and indents of paragraphs', () => {
    expect(paragraphOf('Biên bản nghiệm thu')).to.include('<w:pStyle w:val="Heading1"/>');
    expect(paragraphOf('Cấp sáu')).to.include('<w:pStyle w:val="Heading6"/>').and.include('<w:jc w:val="center"/>');
    const paragraph = paragraphOf('đậm');
    expect(paragraph).to.match(/<w:spacing w:lineRule="auto" w:line="360" w:before="283" w:after="567"\/>/);
    expect(paragraph).to.match(/<w:ind w:left="1134" w:right="567" w:hanging="567"\/>/);
    expect(paragraph).to.include('<w:jc w:val="both"/>').and.include('<w:keepNext w:val="true"/>');
  });

  it('keep lists as lists that count for themselves', () => {
    const levels = ['Bốn', 'A', 'Một', 'chấm', 'sâu'].map(
      (text) => /<w:ilvl w:val="(\d)"/.exec(paragraphOf(text))?.[1],
    );
    expect(levels).to.deep.equal(['0', '1', '0', '1', '2']);
    const text = pdfText(pdf.path);
    for (const item of ['IV. Bốn', 'V. Năm', 'A. A', '1. Một', '2. Hai', '◦ chấm']) {
      expect(text.replaceAll(/\s+/g, ' ')).to.include(item);
    }
  });

  it('keep tables with their widths, shading, repeated header and empty cells', () => {
    const [first = '', second = ''] = document.match(/<w:tbl>.*?<\/w:tbl>/gs) ?? [];
    const [narrow = 0, wide = 0] = [...first.matchAll(/<w:gridCol w:w="(\d+)"/g)].map(([, width]) => Number(width));
    expect(wide / narrow).to.be.closeTo(3, 0.01);
    expect(first.match(/<w:tblHeader/g)).to.have.length(1);
    expect(first.match(/<w:tc>/g)).to.have.length(6);
    expect(first).to.include('w:fill="FFF2CC"').and.include('<w:jc w:val="right"/>');
    expect(second).to.include('bảng hai');
  });

  it('keep pictures with size, alternative text and caption', () => {
    expect(document).to.include('descr="Một điểm"').and.not.include('mc:AlternateContent');
    expect(Number(/<wp:extent cx="(\d+)"/.exec(document)?.[1])).to.be.closeTo(60 * 36_000, 500);
    expect(Number(/<wp:extent cx="\d+" cy="(\d+)"/.exec(document)?.[1])).to.be.closeTo(30 * 36_000, 500);
    expect(paragraphOf('Hình 1')).to.include('<w:pStyle w:val="Caption"/>');
  });

  it('have room for large pictures beside header, footer, heading and caption', async () => {
    const body: Block[] = [
      { type: 'image', base64: PIXEL, width: 400, height: 600 },
      { type: 'heading', level: 1, text: 'Một' },
      { type: 'image', base64: PIXEL, height: 900, caption: 'Hình 1' },
      { type: 'page_break' },
      { type: 'image', base64: PIXEL, width: 300, height: 100 },
    ];
    const pictures = new Map(body.map((_, index) => [`/body/${index}`, PICTURE]));
    const header = { left: 'Công ty\n'.repeat(9), line: true };
    const made = buildText({ ...SCRIPT, header, body }, { pictures, now: new Date('2026-11-21T08:00:00Z') });
    const pieces = [...made.body].join('');
    const page = (number: number) => ({ to: 'png', image: { page: number, width: 100, height: 100 } }) as const;
    const [large, ...drawn] = await bench.make(made.head() + pieces + made.tail, 'fodt', [
      { to: 'docx' },
      ...[1, 2, 3].map(page),
    ]);
    expect(large.pages).to.equal(3);
    expect((await bench.convert(large.bytes, 'docx', 'pdf')).pages).to.equal(3);
    for (const { bytes } of drawn) {
      const { width, height, at } = readPng(bytes);
      const right = Math.ceil(((215.9 - 15) / 215.9) * width) + 1;
      const column = Array.from({ length: height }, (_, y) => at(right, y).join());
      expect(new Set(column)).to.deep.equal(new Set(['255,255,255']));
      const lower = Math.ceil(((279.4 - 20) / 279.4) * height) + 1;
      const left = Math.round((27 / 215.9) * width);
      expect(at(left, lower).join()).to.equal('255,255,255');
    }
  });

  it('have the margins asked for although there are headers', () => {
    const margin = (side: string): number => Number(new RegExp(`w:${side}="(\\d+)"`).exec(margins)?.[1]) / 56.6929;
    const [margins = ''] = /<w:pgMar[^>]*>/.exec(document) ?? [];
    expect(['top', 'right', 'bottom', 'left'].map((side) => Math.round(margin(side) * 10) / 10)).to.deep.equal([
      30, 15, 20, 25,
    ]);
    expect(document).to.match(/<w:pgSz w:w="12240" w:h="15840"/);
  });

  it('have headers, footers and what the document says about itself', () => {
    const parts = ['header1', 'footer1'].map((name) => zipEntry(docx.bytes, `word/${name}.xml`)).join('');
    for (const field of ['TITLE', 'PAGE', 'NUMPAGES'])
      expect(parts).to.match(new RegExp(`<w:instrText[^>]*> ${field} <`));
    expect(parts).to.include('Công ty').and.include('21/11/2026');
    const core = zipEntry(docx.bytes, 'docProps/core.xml');
    for (const value of ['Biên bản', 'Nguyễn An', 'Nghiệm thu', 'một', 'vi-VN']) expect(core).to.include(value);
  });

  it('have as many pages in each format as the breaks make', async () => {
    expect([docx.pages, odt.pages, pdf.pages]).to.deep.equal([3, 3, 3]);
    const again = await bench.convert(docx.bytes, 'docx', 'pdf');
    expect(again.pages).to.equal(3);
    const [, empty, last] = pdfText(pdf.path).split('\f');
    expect(empty).to.not.include('Trang ba');
    expect(last).to.include('Trang ba').and.include('Trang 3 / 3');
  });

  it('do not begin a page for the paragraph that every format wants after a table', async () => {
    const row = ['x'];
    const pages = (rows: number): Promise<Made> =>
      bench.convert(
        flat({ ...SCRIPT, body: [{ type: 'table', rows: Array.from({ length: rows }, () => row) }] }),
        'fodt',
        'pdf',
      );
    const counts = await Promise.all(
      Array.from({ length: 4 }, (_, index) => pages(34 + index).then((made) => pdfText(made.path))),
    );
    for (const text of counts)
      expect(
        text
          .trimEnd()
          .split('\f')
          .every((page) => /^x$/m.test(page)),
      ).to.equal(true);
  });

  it('survive as OpenDocument text', () => {
    const content = zipEntry(odt.bytes, 'content.xml');
    expect(content).to.include('text:outline-level="6"').and.include('table:table-header-rows').and.include('Hình 1');
  });

  it('carry their title into the PDF', () => {
    expect(execFileSync('pdfinfo', [pdf.path], { encoding: 'utf8' })).to.include('Biên bản');
  });
});
