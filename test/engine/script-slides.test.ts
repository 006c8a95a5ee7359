import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildSlides } from '../../cmd/docbuilder/script/slides.ts';
import type { Script, Slide } from '../../src/common/generated/script.ts';
import { type Bench, createBench, type Made } from './support.ts';
import { zipEntry } from './zip.ts';

const LONG = 'Kết quả hoạt động sản xuất kinh doanh và phương hướng nhiệm vụ trọng tâm của toàn Tổng công ty. ';

const SLIDES: Slide[] = [
  { layout: 'title', title: 'Kế hoạch 2027' },
  { layout: 'content', title: 'Mục tiêu', content: ['Một'] },
  { layout: 'two_columns', title: 'So sánh', left: 'Một đoạn', right: ['Một ý'] },
  { layout: 'section', title: 'Phần hai', subtitle: 'Con số' },
  { layout: 'content', title: LONG.repeat(3), content: Array.from({ length: 24 }, () => LONG) },
  { layout: 'blank' },
];
const SCRIPT: Script = {
  svcscript: 1,
  type: 'slides',
  meta: { title: 'Kế hoạch', author: 'Bình' },
  save: [{ format: 'pptx' }],
  slide_style: { footer: 'Công ty ABC', slide_numbers: true },
  slides: SLIDES,
};

describe('slides of a script, made by the engine', function () {
  this.timeout(60_000);
  let bench: Bench;
  let pptx: Made;
  let pdf: Made;

  before(async () => {
    bench = await createBench();
    const document = buildSlides(SCRIPT, {
      pictures: new Map(),
      now: new Date('2026-11-21T08:00:00Z'),
    });
    const body = [...document.body].join('');
    const wanted = [{ to: 'pptx' }, { to: 'pdf' }] as const;
    [pptx, pdf] = (await bench.make(document.head() + body + document.tail, 'fodp', wanted)) as [Made, Made];
  });
  after(() => bench.dispose());

  const slide = (number: number) => zipEntry(pptx.bytes, `ppt/slides/slide${number}.xml`);
  const texts = (xml: string) => [...xml.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, text]) => text).join('');
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
