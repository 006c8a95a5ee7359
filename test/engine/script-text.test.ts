import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Picture } from '../../cmd/docbuilder/script/flat.ts';
import { buildText } from '../../cmd/docbuilder/script/text.ts';
import type { Block, Script } from '../../src/common/generated/script.ts';
import { readPng } from './pixels.ts';
import { type Bench, createBench, type Made, pdfText } from './support.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE: Picture = { base64: PIXEL, mediaType: 'image/png', width: 40, height: 20 };

const BODY: Block[] = [
  { type: 'table', rows: [['bảng']] },
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
  const document = buildText(script, { pictures: new Map(), now: new Date('2026-11-21T08:00:00Z') });
  const body = [...document.body].join('');
  return document.head() + body + document.tail;
}

describe('text documents through the engine', () => {
  let bench: Bench;
  let docx: Made;
  let odt: Made;
  let pdf: Made;

  before(async () => {
    bench = await createBench();
    const made = await bench.make(flat(SCRIPT), 'fodt', [{ to: 'docx' }, { to: 'odt' }, { to: 'pdf' }]);
    [docx, odt, pdf] = made as unknown as [Made, Made, Made];
  });
  after(() => bench.dispose());

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

  it('carry their title into the PDF', () => {
    expect(execFileSync('pdfinfo', [pdf.path], { encoding: 'utf8' })).to.include('Biên bản');
  });
});
