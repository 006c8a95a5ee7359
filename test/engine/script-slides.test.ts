import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Picture } from '../../cmd/docbuilder/script/flat.ts';
import { buildSlides } from '../../cmd/docbuilder/script/slides.ts';
import type { Script, Slide } from '../../src/common/generated/script.ts';
import { type Bench, createBench, type Made } from './support.ts';
import { zipEntry } from './zip.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE: Picture = { base64: PIXEL, mediaType: 'image/png', width: 10, height: 5 };
const LONG = 'Kết quả hoạt động sản xuất kinh doanh và phương hướng nhiệm vụ trọng tâm của toàn Tổng công ty. ';

const SLIDES: Slide[] = [
  {
    layout: 'title',
    title: 'Kế hoạch 2027',
    subtitle: ['Phòng ', { text: 'Chiến lược', italic: true }],
    notes: 'Chào\nHai',
  },
  {
    layout: 'content',
    title: ['Mục ', { text: 'tiêu', color: '#C00000', font: 'Times New Roman', size: 20, bold: false }],
    content: ['Một', { text: 'Hai', ordered: true, items: [{ text: 'Ba', items: ['Bốn'] }] }],
  },
  { layout: 'two_columns', title: 'So sánh', left: 'Một đoạn', right: ['Một ý'], background: '#102030' },
  { layout: 'section', title: 'Phần hai', subtitle: 'Con số' },
  { layout: 'content', title: LONG.repeat(3), content: Array.from({ length: 24 }, () => LONG) },
  {
    layout: 'blank',
    elements: [
      {
        type: 'text',
        x: 10,
        y: 20,
        width: 100,
        height: 30,
        text: { text: 'Liên  kết', link: 'https://vi.dụ/?a=1&b' },
        size: 21,
      },
      {
        type: 'bullets',
        x: 10,
        y: 60,
        width: 100,
        height: 40,
        ordered: true,
        items: ['A', { text: 'B', items: ['C'] }],
      },
      {
        type: 'table',
        x: 120,
        y: 20,
        width: 120,
        height: 40,
        columns: [2, { width: 1, align: 'right' }],
        header: ['Hàng', 'Giá'],
        rows: [['Cam', { text: '25.000', background: '#FFF2CC', bold: true }]],
      },
      { type: 'image', x: 250, y: 20, width: 40, base64: PIXEL, alt: 'Điểm "ảnh"' },
      {
        type: 'shape',
        shape: 'ellipse',
        x: 10,
        y: 120,
        width: 50,
        height: 30,
        background: '#70AD47',
        text: 'Tròn',
        bold: true,
      },
      { type: 'shape', shape: 'arrow', x: 70, y: 120, width: 50, height: 30, border: { width: 3, color: '#C00000' } },
    ],
  },
];
const SCRIPT: Script = {
  svcscript: 1,
  type: 'slides',
  meta: { title: 'Kế hoạch', author: 'Bình' },
  save: [{ format: 'pptx' }],
  slide_style: { footer: 'Công ty ABC', slide_numbers: true },
  slides: SLIDES,
};
const EMU_PER_MM = 36_000;

describe('slides of a script, made by the engine', function () {
  this.timeout(60_000);
  let bench: Bench;
  let pptx: Made;
  let odp: Made;
  let pdf: Made;

  before(async () => {
    bench = await createBench();
    const document = buildSlides(SCRIPT, {
      pictures: new Map([['/slides/5/elements/3', PICTURE]]),
      now: new Date('2026-11-21T08:00:00Z'),
    });
    const body = [...document.body].join('');
    const wanted = [{ to: 'pptx' }, { to: 'odp' }, { to: 'pdf' }] as const;
    [pptx, odp, pdf] = (await bench.make(document.head() + body + document.tail, 'fodp', wanted)) as [Made, Made, Made];
  });
  after(() => bench.dispose());

  const slide = (number: number) => zipEntry(pptx.bytes, `ppt/slides/slide${number}.xml`);
  /** The shapes of a slide as XML. */
  const shapes = (number: number) =>
    [...slide(number).matchAll(/<p:(sp|pic|graphicFrame|cxnSp)>.*?<\/p:\1>/gs)].map(([xml]) => xml);
  const paragraphs = (xml: string) => [...xml.matchAll(/<a:p>.*?<\/a:p>/gs)].map(([paragraph]) => paragraph);
  const texts = (xml: string) => [...xml.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text]) => text).join('');
  const placeholder = (xml: string) =>
    /<p:ph(?: type="(\w+)")?/
      .exec(xml)
      ?.slice(1)
      .map((type) => type ?? 'obj')[0];
  const place = (xml: string) =>
    (/<[ap]:off x="(-?\d+)" y="(-?\d+)"\/><a:ext cx="(\d+)" cy="(\d+)"/.exec(xml) ?? [])
      .slice(1)
      .map((emu) => Math.round(Number(emu) / EMU_PER_MM));

  it('have the size of 16:9 in PowerPoint', () => {
    expect(zipEntry(pptx.bytes, 'ppt/presentation.xml')).to.match(/<p:sldSz cx="12192000" cy="6858000"/);
  });

  it('have title, subtitle and content placeholders', () => {
    const kinds = [1, 2, 3, 4].map((number) => shapes(number).map(placeholder));
    expect(kinds).to.deep.equal([
      ['title', 'subTitle'],
      ['title', 'obj', 'ftr', 'sldNum'],
      ['title', 'obj', 'obj', 'ftr', 'sldNum'],
      ['title', 'subTitle', 'ftr', 'sldNum'],
    ]);
  });

  it('give every footer the placeholder it stands for on its layout', () => {
    for (const number of [2, 3, 4, 6]) {
      const index = /type="ftr" idx="(\d+)"/.exec(slide(number))?.[1];
      const layout = /slideLayout\d+/.exec(
        zipEntry(pptx.bytes, `ppt/slides/_rels/slide${number}.xml.rels`).replaceAll('slideLayouts', ''),
      )?.[0];
      expect(zipEntry(pptx.bytes, `ppt/slideLayouts/${layout}.xml`)).to.contain(`type="ftr" idx="${index}"`);
      expect(texts(slide(number))).to.contain('Công ty ABC');
    }
  });

  it('draw a footer whose directions change as it is read, also in a font that is not there', async () => {
    const document = buildSlides(
      { ...SCRIPT, slide_style: { footer: 'שלוםm8e', font: 'Phông lạ' }, slides: [{ layout: 'blank' }] },
      { pictures: new Map(), now: new Date('2026-11-21T08:00:00Z') },
    );
    const flat = document.head() + [...document.body].join('') + document.tail;
    const [made] = await bench.make(flat, 'fodp', [{ to: 'pdf' }]);
    const file = join(bench.folder, 'footer.pdf');
    writeFileSync(file, made?.bytes ?? '');
    const text = execFileSync('pdftotext', ['-raw', '-enc', 'UTF-8', file, '-'], { encoding: 'utf8' });
    expect(text).to.contain('שלום').and.contain('m8e');
  });

  it('keep font, size, colour and weight of a run in a title', () => {
    const [first = '', second = ''] = slide(2).match(/<a:r>.*?<\/a:r>/gs) ?? [];
    expect(first).to.match(/b="1".*sz="3200".*val="1b365d".*typeface="Arial"/s);
    expect(second).to.match(/b="0".*sz="2000".*val="c00000".*typeface="Times New Roman"/s);
  });

  it('keep the levels of lists and whether they count', () => {
    const found = paragraphs(shapes(2)[1] ?? '').map((xml) => [
      /lvl="(\d)"/.exec(xml)?.[1] ?? '0',
      xml.includes('buAutoNum'),
      texts(xml),
    ]);
    expect(found).to.deep.equal([
      ['0', false, 'Một'],
      ['0', false, 'Hai'],
      ['1', true, 'Ba'],
      ['2', true, 'Bốn'],
    ]);
    expect(paragraphs(shapes(3)[1] ?? '')[0])
      .to.contain('<a:buNone/>')
      .and.not.contain('buChar');
    const elements = paragraphs(shapes(6)[1] ?? '').map((xml) => [
      /lvl="(\d)"/.exec(xml)?.[1] ?? '0',
      xml.includes('buAutoNum'),
    ]);
    expect(elements).to.deep.equal([
      ['0', true],
      ['0', true],
      ['1', true],
    ]);
  });

  it('put elements where the script says', () => {
    expect(shapes(6).slice(0, 6).map(place)).to.deep.equal([
      [10, 20, 100, 30],
      [10, 60, 100, 40],
      [120, 20, 120, 40],
      [250, 20, 40, 20],
      [10, 120, 50, 30],
      [70, 120, 50, 30],
    ]);
  });

  it('keep links, table, picture and shapes', () => {
    const [text = '', , table = '', picture, ellipse, arrow] = shapes(6);
    expect(text).to.match(/sz="2100".*u="sng".*hlinkClick/s);
    expect(texts(text)).to.equal('Liên  kết');
    expect(paragraphs(table).map(texts)).to.deep.equal(['Hàng', 'Giá', 'Cam', '25.000']);
    expect(
      [...table.matchAll(/gridCol w="(\d+)"/g)].map(([, width]) => Math.round(Number(width) / EMU_PER_MM)),
    ).to.deep.equal([80, 40]);
    expect(table).to.contain('val="fff2cc"').and.contain('val="1f6fb2"');
    expect(picture).to.contain('descr="Điểm &quot;ảnh&quot;"');
    expect(ellipse).to.match(/prst="ellipse".*val="70ad47".*algn="ctr".*b="1".*Tròn/s);
    expect(arrow).to.match(/prst="(line|straightConnector1)".*ln w="38\d+".*val="c00000".*tailEnd/s);
  });

  it('keep a background of their own and the notes', () => {
    expect(slide(3)).to.match(/<p:bg>.*?val="102030"/s);
    expect(paragraphs(zipEntry(pptx.bytes, 'ppt/notesSlides/notesSlide1.xml')).map(texts).slice(0, 2)).to.deep.equal([
      'Chào',
      'Hai',
    ]);
  });

  it('are the same presentation as odp', () => {
    const content = zipEntry(odp.bytes, 'content.xml');
    const classes = [...content.matchAll(/presentation:class="(title|subtitle|outline|notes)"/g)].map(
      ([, kind]) => kind,
    );
    expect(classes.slice(0, 5)).to.deep.equal(['title', 'subtitle', 'notes', 'title', 'outline']);
    for (const text of ['Chiến lược', 'Bốn', 'Một đoạn', '25.000', 'Tròn']) expect(content).to.contain(text);
    expect(content).to.contain('xlink:href="https://vi.dụ/?a=1&amp;b"');
    expect(zipEntry(odp.bytes, 'styles.xml')).to.contain('style:name="Section"');
  });

  it('leave nothing outside the page, however long the title and many the bullets', () => {
    const file = join(bench.folder, 'slides.pdf');
    writeFileSync(file, pdf.bytes);
    expect(pdf.pages).to.equal(SLIDES.length);
    const xml = execFileSync('pdftotext', ['-f', '5', '-l', '5', '-bbox-layout', file, '-'], { encoding: 'utf8' });
    const lines = [...xml.matchAll(/<line xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)"/g)];
    const bottoms = lines.map((line) => Number(line[4]));
    const title = lines.findIndex(([, , top]) => Number(top) > 43 * (72 / 25.4) - 5);
    expect(lines.length).to.be.greaterThan(26);
    expect(Math.min(...lines.map((line) => Number(line[2])))).to.be.greaterThan(20);
    expect(Math.max(...bottoms.slice(0, title))).to.be.at.most(36 * (72 / 25.4));
    expect(Math.max(...bottoms.slice(0, -2))).to.be.at.most(175 * (72 / 25.4));
    expect(Math.max(...lines.map((line) => Number(line[3])))).to.be.at.most(325 * (72 / 25.4));
  });
});
