import { expect } from 'chai';
import { emf, wmf } from '../../../support/metafiles.ts';
import { extract, textOf } from './flat.ts';

const image = (bytes: Uint8Array) =>
  `<draw:image><office:binary-data>\n${Buffer.from(bytes)
    .toString('base64')
    .replace(/.{72}/g, '$&\n')}</office:binary-data></draw:image>`;
const framed = (inner: string) => `<text:p>a<draw:frame>${inner}</draw:frame></text:p>`;
const shown = (inner: string) => textOf('text', { body: framed(inner) });
const bytes = (...values: number[]) => Uint8Array.from(values);

describe('text in pictures', () => {
  const once = [{ text: 'Doanh thu' }];
  const CASES: [about: string, picture: Buffer, lines: string[]][] = [
    ['a Windows metafile', wmf(once), ['Doanh thu']],
    ['one with a header that says its size', wmf(once, true), ['Doanh thu']],
    ['an enhanced metafile', emf(once), ['Doanh thu']],
    ['texts of 8 bits', emf(once, 'narrow'), ['Doanh thu']],
    ['texts of 8 bits without a rectangle', emf(once, 'small'), ['Doanh thu']],
    ['numbers of glyphs, which are no text', emf(once, 'glyphs'), []],
    ['letters of any language', emf([{ text: 'Tie\u0302\u0301ng Việt' }]), ['Tiếng Việt']],
    [
      "a font's character set",
      wmf([
        { text: bytes(0xcf, 0xf0), charset: 204 },
        { text: 'x', y: 9 },
      ]),
      ['Пр', 'x'],
    ],
    ['the one of Vietnamese', wmf([{ text: bytes(0x56, 0x69, 0xea, 0xf2, 0x74), charset: 163 }]), ['Việt']],
    ['a character set in an enhanced one', emf([{ text: bytes(0xe9), charset: 161 }], 'narrow'), ['ι']],
    [
      'a font of symbols, which has no letters',
      wmf([
        { text: 'abc', charset: 2 },
        { text: 'd', charset: 0 },
      ]),
      ['d'],
    ],
    ['symbols in an enhanced one', emf([{ text: 'abc', charset: 2 }]), []],
    ['characters that only a font gives a meaning', emf([{ text: 'a\uf0b7b' }]), ['a b']],
    ['lines', emf([{ text: 'một' }, { text: 'hai', y: 20 }]), ['một', 'hai']],
    ['words at one height', wmf([{ text: 'hai' }, { text: 'ba', x: 90 }]), ['hai ba']],
    [
      'a word in pieces',
      emf([
        { text: 'Diagra', each: 10 },
        { text: 'm', x: 60 },
      ]),
      ['Diagram'],
    ],
    [
      'such a word in the older kind',
      wmf([
        { text: 'Diagra', each: 10 },
        { text: 'm', x: 61 },
      ]),
      ['Diagram'],
    ],
    [
      'words with space between',
      emf([
        { text: 'hai', each: 10 },
        { text: 'ba', x: 35 },
      ]),
      ['hai ba'],
    ],
  ];
  for (const [about, picture, lines] of CASES) {
    it(`is what metafiles write: ${about}`, async () => {
      expect(await shown(image(picture))).to.equal(['a', ...lines].join('\n'));
    });
  }

  it('is read once of a frame: not where a picture only stands for something else', async () => {
    const picture = image(wmf(once));
    const object = '<draw:object-ole><office:binary-data>AQAJAAADAAA=</office:binary-data></draw:object-ole>';
    expect(await shown(picture + image(emf([{ text: 'X' }])))).to.equal('a\nDoanh thu');
    expect(await shown(object + picture)).to.equal('a\nDoanh thu');
    const chart =
      '<draw:object><office:document><office:body><text:p>Biểu đồ</text:p></office:body></office:document></draw:object>';
    expect(await shown(chart + picture)).to.equal('a\nBiểu đồ');
    expect(await shown(`<draw:text-box><text:p>b</text:p></draw:text-box>${picture}`)).to.equal('a\nb');
  });

  it('is text of slides and sheets as well', async () => {
    const frame = `<draw:frame svg:x="1cm" svg:y="1cm">${image(emf(once))}</draw:frame>`;
    const slide = await extract('slides', { body: `<draw:page draw:name="T">${frame}</draw:page>` });
    expect(slide.text).to.equal('T\nDoanh thu');
    const body = `<table:table table:name="A"><table:shapes>${frame}</table:shapes></table:table>`;
    expect((await extract('sheet', { body })).text).to.equal('A\nDoanh thu');
  });

  it('is not there for a metafile that is hidden, is a bullet or background, or is none', async () => {
    const hidden =
      '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>';
    const inner = `<text:p>a<text:span text:style-name="H"><draw:frame>${image(wmf(once))}</draw:frame></text:span></text:p>`;
    expect(await textOf('text', { body: inner, automatic: hidden })).to.equal('a');
    const background = `<style:style style:name="P" style:family="paragraph"><style:background-image>${image(wmf(once)).slice('<draw:image>'.length, -'</draw:image>'.length)}</style:background-image></style:style>`;
    expect(await textOf('text', { body: '<text:p>a</text:p>', automatic: background })).to.equal('a');
    expect(await shown(image(Buffer.from('89504e470d0a1a0a', 'hex')))).to.equal('a');
    expect(await shown('<draw:image><office:binary-data/></draw:image>')).to.equal('a');
  });

  for (const [kind, whole] of [
    ['a Windows metafile', wmf([{ text: 'một', each: 5, charset: 163 }, { text: 'hai' }])],
    ['an enhanced metafile', emf([{ text: 'một', each: 5, charset: 163 }, { text: 'hai' }])],
  ] as const) {
    it(`is what is there of ${kind} that is cut off, or changed anywhere`, async () => {
      const cut = Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length));
      const changed = Array.from({ length: whole.length }, (_, at) =>
        Buffer.from(whole).fill(255, at, Math.min(at + 2, whole.length)),
      );
      const body = [...cut, ...changed].map((picture) => framed(image(picture))).join('');
      const { text } = await extract('text', { body });
      expect(text.split('\n').filter((line) => line === 'a')).to.have.length(2 * whole.length);
    });
  }

  it('is not looked for behind the first megabyte, and takes no longer than other text', async () => {
    const many = wmf(Array.from({ length: 200_000 }, () => ({ text: 'x', each: 1 })));
    const { text } = await extract('text', { body: `${framed(image(many))}<text:p>b</text:p>` });
    expect(text).to.match(/^a\nx[x ]+\nb$/);
    expect(text.replaceAll(/[^x]/g, '')).to.have.length.within(30_000, 100_000);
  });
});
