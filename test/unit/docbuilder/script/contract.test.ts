import { expect } from 'chai';
import type { EffectivePlan } from '../../../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../../../cmd/docbuilder/script/check/check.ts';
import { decodedPicture } from '../../../../cmd/docbuilder/script/check/pictures.ts';
import { AppError } from '../../../../src/common/errors.ts';

const plan = { edition: 'enterprise', limits: { max_outputs_per_build: 5, max_script_units: 1e6 } } as EffectivePlan;

const CONTENT = {
  text: { body: [{ type: 'page_break' }] },
  sheet: { sheets: [{ rows: [[1]] }] },
  slides: { slides: [{ layout: 'blank' }] },
};
type Type = keyof typeof CONTENT;
const FORMATS = {
  text: ['docx', 'odt', 'pdf'],
  sheet: ['xlsx', 'ods', 'pdf'],
  slides: ['pptx', 'odp', 'pdf'],
} satisfies Record<Type, string[]>;
const TYPES = Object.keys(CONTENT) as Type[];

const script = (type: Type, more: object = {}) => ({
  svcscript: 1,
  type,
  save: [{ format: 'pdf' }],
  ...CONTENT[type],
  ...more,
});
const saved = (save: object) => script('text', { save: [{ format: 'docx', ...save }] });
const meta = (members: object) => script('text', { meta: members });
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** Places of the mistakes that a script is refused for as one that breaks the schema; undefined where it is taken. */
function mistaken(value: unknown): string[] | undefined {
  try {
    checkScript(value, plan);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'script_invalid') throw error;
    return (error.detail['errors'] as { path: string }[]).map(({ path }) => path);
  }
}

describe('what the contract says a script may be', () => {
  const block = CONTENT.text.body[0];
  const sheet = CONTENT.sheet.sheets[0];
  const slide = CONTENT.slides.slides[0];
  const save = { format: 'pdf' };

  const bounds: [what: string, place: string, most: number, of: (count: number) => object, least?: number][] = [
    ['blocks', '/body', 20_000, (count) => script('text', { body: times(count, block) }), 1],
    ['sheets', '/sheets', 50, (count) => script('sheet', { sheets: times(count, sheet) }), 1],
    ['slides', '/slides', 500, (count) => script('slides', { slides: times(count, slide) }), 1],
    ['formats', '/save', 5, (count) => script('text', { save: times(count, save) }), 1],
    ['letters of a filename', '/save/0/filename', 255, (count) => saved({ filename: 'a'.repeat(count) }), 1],
    ['letters of a title', '/meta/title', 255, (count) => meta({ title: 'a'.repeat(count) })],
    ['letters of a subject', '/meta/subject', 255, (count) => meta({ subject: 'a'.repeat(count) })],
    ['letters of an author', '/meta/author', 255, (count) => meta({ author: 'a'.repeat(count) })],
    ['letters of a description', '/meta/description', 2000, (count) => meta({ description: 'a'.repeat(count) })],
    ['keywords', '/meta/keywords', 32, (count) => meta({ keywords: times(count, 'a') })],
    ['letters of a keyword', '/meta/keywords/0', 64, (count) => meta({ keywords: ['a'.repeat(count)] })],
    ['letters of a font', '/style/font', 64, (count) => script('text', { style: { font: 'a'.repeat(count) } }), 1],
  ];
  for (const [what, place, most, of, least = 0] of bounds) {
    it(`${least} to ${most} ${what}`, () => {
      expect(mistaken(of(least))).to.equal(undefined);
      expect(mistaken(of(most))).to.equal(undefined);
      expect(mistaken(of(most + 1))).to.deep.equal([place]);
      if (least > 0) expect(mistaken(of(least - 1))).to.deep.equal([place]);
    });
  }

  it('version 1 alone, which has to be told, as have type and formats', () => {
    for (const svcscript of [0, 2, '1', 1.5, null]) {
      expect(mistaken(script('text', { svcscript })), String(svcscript)).to.deep.equal(['/svcscript']);
    }
    for (const member of ['svcscript', 'type', 'save'] as const) {
      const { [member]: _, ...others } = script('text');
      expect(mistaken(others), member).to.not.equal(undefined);
    }
  });

  for (const type of TYPES) {
    it(`${type}: its own formats, its own content, which it needs`, () => {
      for (const format of TYPES.flatMap((each) => FORMATS[each])) {
        const wrong = mistaken(script(type, { save: [{ format }] }));
        expect(wrong, format).to.deep.equal(FORMATS[type].includes(format) ? undefined : ['/save/0/format']);
      }
      const { save: formats, svcscript } = script(type);
      expect(mistaken({ svcscript, type, save: formats }), 'without content').to.have.lengthOf(1);
      const foreign = {
        text: { page: {}, style: {}, header: { left: 'a' }, footer: { right: 'a' } },
        sheet: {},
        slides: { slide_size: '4:3', slide_style: {} },
      };
      for (const other of TYPES) {
        for (const [member, value] of Object.entries({ ...CONTENT[other], ...foreign[other] })) {
          const wrong = mistaken(script(type, { [member]: value }));
          expect(wrong, member).to.deep.equal(other === type ? undefined : [`/${member}`]);
        }
      }
    });
  }

  it('no key that is unknown, wherever it stands', () => {
    for (const [place, value] of [
      ['/unknown', script('text', { unknown: 1 })],
      ['/meta/unknown', meta({ unknown: 1 })],
      ['/save/0/unknown', saved({ unknown: 1 })],
      ['/body/0/unknown', script('text', { body: [{ type: 'page_break', unknown: 1 }] })],
      ['/page/unknown', script('text', { page: { unknown: 1 } })],
      ['/sheets/0/unknown', script('sheet', { sheets: [{ rows: [[1]], unknown: 1 }] })],
      ['/slides/0/unknown', script('slides', { slides: [{ layout: 'blank', unknown: 1 }] })],
      ['/slide_style/unknown', script('slides', { slide_style: { unknown: 1 } })],
    ] as const) {
      expect(mistaken(value), place).to.deep.equal([place]);
    }
  });

  it('filenames without what file systems forbid', () => {
    for (const letter of ['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0', '\n', '\x1f', '\x7f', '\x85', '\x9f']) {
      expect(mistaken(saved({ filename: `a${letter}b` })), JSON.stringify(letter)).to.deep.equal(['/save/0/filename']);
    }
    for (const filename of ['.', '..', '...', ' ', '. .', '\u3000']) {
      expect(mistaken(saved({ filename })), JSON.stringify(filename)).to.deep.equal(['/save/0/filename']);
    }
    for (const filename of ['.env', 'a..b', '..a', ' a ']) expect(mistaken(saved({ filename }))).to.equal(undefined);
    expect(mistaken(saved({ filename: 'Hợp đồng số 1 (bản cuối), 50% & ký.docx' }))).to.equal(undefined);
  });

  it('pdfa for PDF alone', () => {
    expect(mistaken(saved({ format: 'pdf', pdfa: true }))).to.equal(undefined);
    expect(mistaken(saved({ pdfa: false }))).to.equal(undefined);
    expect(mistaken(saved({ pdfa: true }))).to.not.equal(undefined);
  });

  it('slides of 16:9 and 4:3, colours as #RRGGBB', () => {
    for (const slide_size of ['16:9', '4:3']) expect(mistaken(script('slides', { slide_size }))).to.equal(undefined);
    expect(mistaken(script('slides', { slide_size: '16:10' }))).to.deep.equal(['/slide_size']);
    for (const color of ['#A1b2C3']) expect(mistaken(script('text', { style: { color } }))).to.equal(undefined);
    for (const color of ['A1B2C3', '#ABC', '#A1B2C3FF', 'red', '#GGGGGG']) {
      expect(mistaken(script('text', { style: { color } })), color).to.deep.equal(['/style/color']);
    }
  });

  it('sheets of one name each, whatever its case and however its accents are spelled', () => {
    const named = (...names: string[]) =>
      checkScript(script('sheet', { sheets: names.map((name) => ({ name, rows: [[1]] })) }), plan);
    named('Giá', 'Gia', 'Bảng 1', 'Bảng 2');
    for (const [first, second] of [
      ['Giá', 'GIÁ'],
      ['Giá'.normalize('NFC'), 'Giá'.normalize('NFD')],
    ] as const) {
      expect(() => named(first, second))
        .to.throw(AppError)
        .with.deep.include({ code: 'script_error' })
        .and.nested.property('detail.path', '/sheets/1/name');
    }
  });

  it('pictures of 10 MB and no byte more', () => {
    const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const of = (bytes: number) => {
      const gif = Buffer.concat([pixel, Buffer.alloc(bytes - pixel.length)]);
      return () => decodedPicture(gif.toString('base64'), '/body/0');
    };
    expect(of(10 * 1024 * 1024)()).to.include({ mediaType: 'image/gif' });
    expect(of(10 * 1024 * 1024 + 1))
      .to.throw(AppError)
      .with.nested.property('detail.message')
      .that.matches(/10 MB/);
  });
});
