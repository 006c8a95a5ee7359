import { expect } from 'chai';
import { type Picture, picture } from '../../cmd/docbuilder/script/check/pictures.ts';
import { buildFlat } from '../../cmd/docbuilder/script/write-script.ts';
import type { Block, Cell, Save, Script, Sheet, Slide } from '../../src/common/generated/script.ts';
import { readPng } from './pixels.ts';
import { pdfLines, pdfText, useBench, zipEntry } from './support.ts';

const now = new Date('2026-11-21T08:30:00Z');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE: Picture = { base64: PIXEL, mediaType: 'image/png', width: 40, height: 20 };
/** The beginning of an Exif segment, whose numbers begin with their last byte. */
const EXIF = Buffer.from('Exif\0\0II*\0').toString('hex');
/** 32 by 16 grey pixels, the quarter at the upper left black. */
const QUARTER =
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAQACABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AJkWoAP/2Q==';
const LONG = 'Kết quả hoạt động sản xuất kinh doanh và phương hướng nhiệm vụ trọng tâm của toàn Tổng công ty. ';
const POINTS = 72 / 25.4;

const TEXT: Omit<Script, 'body'> = {
  ...{ svcscript: 1, type: 'text', save: [{ format: 'docx' }] },
  meta: { title: 'Biên bản' },
  page: { size: 'Letter', margins: { top: 30, right: 15, bottom: 20, left: 25 } },
  header: { left: 'Công ty', right: { field: 'title' }, line: true },
  footer: { center: ['Trang ', { field: 'page' }, ' / ', { field: 'pages' }], right: { field: 'date' } },
};
const SLIDES: Slide[] = [
  { layout: 'title', title: 'Kế hoạch 2027' },
  { layout: 'content', title: 'Mục tiêu', content: ['Một'] },
  { layout: 'two_columns', title: 'So sánh', left: 'Một đoạn', right: ['Một ý'] },
  { layout: 'section', title: 'Phần hai', subtitle: 'Con số' },
  { layout: 'content', title: LONG.repeat(3), content: Array.from({ length: 24 }, () => LONG) },
  { layout: 'blank' },
];

function toFlat(script: Script, pictures = new Map<string, Picture>()): string {
  const { body, head, tail } = buildFlat(script, { pictures, now });
  const middle = [...body].join('');
  return head() + middle + tail;
}
const toText = (body: Block[], more: Partial<Script> = {}, pictures?: Map<string, Picture>) =>
  toFlat({ ...TEXT, body, ...more }, pictures);
const toSheet = (format: Save['format'], sheet: Sheet) =>
  toFlat({ svcscript: 1, type: 'sheet', meta: { lang: 'vi-VN' }, save: [{ format }], sheets: [sheet] });
const toSlides = (
  slides: Slide[],
  slide_style: NonNullable<Script['slide_style']> = {},
  pictures?: Map<string, Picture>,
) => toFlat({ svcscript: 1, type: 'slides', save: [{ format: 'pptx' }], slide_style, slides }, pictures);

/** Returns proportions and the place of the black quarter of photos, which stand one below the other on a white page. */
function describePhotos(png: Buffer): string[] {
  const { width, height, at } = readPng(png);
  const columns = Array.from({ length: width }, (_, x) => x);
  const found: string[] = [];
  for (let top = 0, y = 0; y < height; y++) {
    const isWhite = (row: number) => columns.every((x) => at(x, row)[0] > 220);
    if (isWhite(y)) top = y + 1;
    else if (isWhite(y + 1)) {
      const inked = columns.filter((x) => at(x, Math.round((top + y) / 2))[0] < 220);
      const [left = 0, right = 0] = [inked[0], inked.at(-1)];
      const isBlack = (across: number, down: number) =>
        at(Math.round(left + across * (right - left)), Math.round(top + down * (y - top)))[0] < 60;
      const corners = {
        'left top': [1, 1],
        'right top': [3, 1],
        'right bottom': [3, 3],
        'left bottom': [1, 3],
      } as const;
      const black = Object.entries(corners).filter(([, [across, down]]) => isBlack(across / 4, down / 4));
      found.push(`${right - left > y - top ? 'wide' : 'high'} ${black.map(([corner]) => corner)}`);
    }
  }
  return found;
}

describe('engine: documents made of scripts', function () {
  this.timeout(60_000);
  const bench = useBench();

  it('text has room for large pictures beside header, footer, heading and caption', async () => {
    const body: Block[] = [
      { type: 'image', base64: PIXEL, width: 400, height: 600 },
      { type: 'heading', level: 1, text: 'Một' },
      { type: 'image', base64: PIXEL, height: 900, caption: 'Hình 1' },
      { type: 'page_break' },
      { type: 'image', base64: PIXEL, width: 300, height: 100 },
    ];
    const pictures = new Map(body.map((_, index) => [`/body/${index}`, PICTURE]));
    const flat = toText(body, { header: { left: 'Công ty\n'.repeat(9), line: true } }, pictures);
    const page = (number: number) => ({ to: 'png', image: { page: number, width: 100, height: 100 } }) as const;
    const [docx, ...drawn] = await bench.make(flat, 'fodt', [{ to: 'docx' }, ...[1, 2, 3].map(page)]);
    expect(docx.pages).to.equal(3);
    expect((await bench.convert(docx.bytes, 'docx', 'pdf')).pages).to.equal(3);
    for (const { bytes } of drawn) {
      const { width, height, at } = readPng(bytes);
      const right = Math.ceil(((215.9 - 15) / 215.9) * width) + 1;
      const column = Array.from({ length: height }, (_, y) => at(right, y).join());
      expect(new Set(column)).to.deep.equal(new Set(['255,255,255']));
      const lower = Math.ceil(((279.4 - 20) / 279.4) * height) + 1;
      expect(at(Math.round((27 / 215.9) * width), lower).join()).to.equal('255,255,255');
    }
  });

  it('photos of a camera are upright, however it was held', async () => {
    const orientations = [1, 2, 3, 4, 5, 6, 7, 8];
    const photos = orientations.map((orientation) => {
      const exif = `ffe10022${EXIF}08000000010012010300010000000${orientation}00000000000000`;
      const bytes = Buffer.from(QUARTER, 'base64').toString('hex').replace('ffd8', `ffd8${exif}`);
      return picture(Buffer.from(bytes, 'hex'), '');
    });
    const at = (place: string) => new Map(photos.map((photo, index) => [`${place}/${index}`, photo]));
    const blocks = orientations.map((): Block => ({ type: 'image', base64: '', height: 15 }));
    const elements = orientations.map((_, index) => {
      return { type: 'image', base64: '', x: 20, y: 20 * index + 5, height: 15 } as const;
    });
    const text = toText(blocks, { header: {}, footer: {} }, at('/body'));
    const slides = toSlides([{ layout: 'blank', elements }], {}, at('/slides/0/elements'));
    // From 5 on they are high.
    const corners = ['left top', 'right top', 'right bottom', 'left bottom'];
    const upright = orientations.map((_, index) => `${index < 4 ? 'wide' : 'high'} ${corners[index % 4]}`);
    const drawn = { to: 'png', image: { page: 1, width: 600, height: 600 } } as const;
    for (const [flat, from, to] of [
      [text, 'fodt', 'docx'],
      [slides, 'fodp', 'pptx'],
    ] as const) {
      const [made, ...pages] = await bench.make(flat, from, [{ to }, drawn]);
      for (const { bytes } of [...pages, ...(await bench.make(made.bytes, to, [drawn]))]) {
        expect(describePhotos(bytes), to).to.deep.equal(upright);
      }
    }
  });

  it('text does not begin a page for the paragraph that every format wants after a table', async () => {
    for (const length of [34, 35, 36, 37]) {
      const rows = Array.from({ length }, () => ['x']);
      const { path } = await bench.convert(toText([{ type: 'table', rows }]), 'fodt', 'pdf');
      for (const page of pdfText(path).trimEnd().split('\f')) expect(page, `${length}`).to.match(/^x$/m);
    }
  });

  it('a row of a few lines stays on one page, and one that is higher than a page goes on on the next', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => [`${index}.`, LONG]);
    const table: Block = {
      type: 'table',
      columns: [1, 4, 3],
      header: ['TT', 'Bước', ''],
      rows: rows.map((row) => [...row, '']),
    };
    const tall: Block = { type: 'table', rows: [['Dòng\n'.repeat(150)]] };
    const bodies = [1, 2, 3].map((above): Block[] => [{ type: 'paragraph', text: '-\n'.repeat(above) }, table, tall]);
    for (const body of bodies) {
      const [pdf, docx] = await bench.make(toText(body), 'fodt', [{ to: 'pdf' }, { to: 'docx' }]);
      for (const { path } of [pdf, ...(docx ? [await bench.convert(docx.bytes, 'docx', 'pdf')] : [])]) {
        const text = pdfText(path, '-layout');
        for (const [, first] of text.matchAll(/^ *TT +Bước.*\s+(\S+)/gm)) expect(first).to.match(/^\d+\.$/);
        expect(text.match(/Dòng/g)).to.have.length(150);
      }
    }
  });

  it('letters of a list go on after z as in Word, in every format', async () => {
    const lists = (['lower_alpha', 'upper_alpha'] as const).map(
      (numbering): Block => ({ type: 'list', ordered: true, numbering, start: 27, items: ['x', 'y'] }),
    );
    const [pdf, ...others] = await bench.make(toText(lists), 'fodt', [{ to: 'pdf' }, { to: 'docx' }, { to: 'odt' }]);
    const again = await Promise.all(
      others.map(({ bytes }, index) => bench.convert(bytes, index ? 'odt' : 'docx', 'pdf')),
    );
    for (const { path } of [pdf, ...again]) expect(pdfText(path)).to.match(/aa\. *x\s+bb\. *y\s+AA\. *x\s+BB\. *y/);
  });

  it('a sheet does not follow a reference that a formula puts together', async () => {
    const formula = '=INDIRECT(CHAR(39)&"fi"&"le:///etc/passwd"&CHAR(39)&CHAR(35)&"$Sheet1.A1")';
    const flat = toSheet('xlsx', { rows: [[{ type: 'formula', formula }]] });
    const { bytes } = await bench.convert(flat, 'fods', 'xlsx');
    const found = /<c r="A1"[^>]*>.*?<v>(.*?)<\/v>/s.exec(zipEntry(bytes, 'xl/worksheets/sheet1.xml'))?.[1];
    expect(found).to.match(/^#/);
    expect(() => zipEntry(bytes, 'xl/externalLinks/externalLink1.xml')).to.throw();
  });

  it('a sheet shows what formulas come to, in columns that have no width', async () => {
    const results = [
      ['=-999999999999', 'vnd', '-999.999.999.999 ₫'],
      ['=999999999999.99', 'usd', '$999.999.999.999,99'],
      ['=-999999999999.99', 'eur', '-999.999.999.999,99 €'],
      ['=-999999999999', 'integer', '-999.999.999.999'],
      ['=-999999999999.99', 'decimal', '-999.999.999.999,99'],
      ['=-999.99', 'percent', '-99999%'],
      ['=-999.9999', 'percent_decimal', '-99999,99%'],
      ['=-999999999999.99', 'general', '-999999999999,99'],
      ['=B1', undefined, '999.999.999.999 ₫'],
      ['=C1', undefined, '21/11/2026 08:30'],
    ] as const;
    const looks = [{}, { bold: true }, { size: 20 }, { font: 'Times New Roman' }];
    for (const [formula, format, shown] of results) {
      // Only a cell without any look takes over the format of those that its formula names.
      const cells = format
        ? looks.map((look) => ({ type: 'formula' as const, formula, format, ...look }))
        : [{ type: 'formula' as const, formula }];
      const given: Cell[] = [
        null,
        { type: 'currency', value: 999_999_999_999 },
        { type: 'date', value: '2026-11-21T08:30' },
      ];
      const sheet: Sheet = { rows: [given, [null, null, null, ...cells]] };
      const { path } = await bench.convert(toSheet('pdf', sheet), 'fods', 'pdf');
      const text = pdfText(path).replaceAll('\u00a0', ' ');
      const expected = format ? cells.length : cells.length + 1;
      expect(text.split(shown), text).to.have.length(expected + 1);
      expect(text).to.not.contain('###');
    }
  });

  it('a sheet gives the look of a column to the cells below the last row, without a page more', async () => {
    const sheet: Sheet = { rows: [['x']], columns: [{ border: {}, background: '#EEEEEE', format: 'integer' }] };
    const { bytes } = await bench.convert(toSheet('xlsx', sheet), 'fods', 'xlsx');
    expect(zipEntry(bytes, 'xl/worksheets/sheet1.xml')).to.match(/<col [^>]*style="[1-9]\d*"/);
    expect((await bench.convert(toSheet('pdf', sheet), 'fods', 'pdf')).pages).to.equal(1);
  });

  it('slides give every footer the placeholder it stands for on its layout, and leave nothing outside the page', async () => {
    const flat = toSlides(SLIDES, { footer: 'Công ty ABC', slide_numbers: true });
    const [pptx, pdf] = await bench.make(flat, 'fodp', [{ to: 'pptx' }, { to: 'pdf' }]);
    for (const number of [2, 3, 4, 6]) {
      const slide = zipEntry(pptx.bytes, `ppt/slides/slide${number}.xml`);
      const index = /type="ftr" idx="(\d+)"/.exec(slide)?.[1];
      const layout = /slideLayout\d+/.exec(zipEntry(pptx.bytes, `ppt/slides/_rels/slide${number}.xml.rels`))?.[0];
      expect(zipEntry(pptx.bytes, `ppt/slideLayouts/${layout}.xml`)).to.contain(`type="ftr" idx="${index}"`);
      const texts = [...slide.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text]) => text);
      expect(texts.join('')).to.contain('Công ty ABC');
    }
    expect(pdf?.pages).to.equal(SLIDES.length);
    const lines = pdfLines(pdf?.path ?? '', 5);
    const content = lines.findIndex(({ top }) => top > 43 * POINTS - 5);
    const bottoms = lines.map(({ bottom }) => bottom);
    expect(lines.length).to.be.greaterThan(26);
    expect(Math.min(...lines.map(({ top }) => top))).to.be.greaterThan(20);
    expect(Math.max(...bottoms.slice(0, content))).to.be.at.most(36 * POINTS);
    expect(Math.max(...bottoms.slice(0, -2))).to.be.at.most(175 * POINTS);
    expect(Math.max(...lines.map(({ right }) => right))).to.be.at.most(325 * POINTS);
  });

  it('slides have room for text whose letters are all of one width, and for vowels that stand beside letters', async () => {
    const texts = [
      ['Liberation Mono', 'for (i = 0; i < list.length; i += 1) { sum.total += list[i].total; }'],
      ['Carlito', 'वर्ष दो हज़ार सत्ताईस के लिए कंपनी की वार्षिक रिपोर्ट और भविष्य की दिशा। '],
    ] as const;
    for (const [font, text] of texts) {
      const slides = [6, 10, 14].map((length): Slide => {
        return { layout: 'content', title: 'Một', content: Array.from({ length }, () => text.repeat(2)) };
      });
      const { path } = await bench.convert(toSlides(slides, { font }), 'fodp', 'pdf');
      for (const page of [1, 2, 3]) {
        const bottoms = pdfLines(path, page).map(({ bottom }) => bottom);
        expect(Math.max(...bottoms), `${font} ${page}`).to.be.at.most(175 * POINTS);
      }
    }
  });

  it('slides draw a footer whose directions change as it is read, also in a font that is not there', async () => {
    const flat = toSlides([{ layout: 'blank' }], { footer: 'שלוםm8e', font: 'Phông lạ' });
    const { path } = await bench.convert(flat, 'fodp', 'pdf');
    expect(pdfText(path, '-raw')).to.contain('שלום').and.contain('m8e');
  });
});
