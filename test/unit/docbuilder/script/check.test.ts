import { expect } from 'chai';
import type { EffectivePlan } from '../../../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../../../cmd/docbuilder/script/check/check.ts';
import { decodedPicture } from '../../../../cmd/docbuilder/script/check/pictures.ts';
import { AppError } from '../../../../src/common/errors.ts';
import { refusal } from '../../../support/refusal.ts';

const SMALL = { edition: 'community', limits: { max_outputs_per_build: 1, max_script_units: 10 } } as EffectivePlan;
const LARGE = { edition: 'enterprise', limits: { max_outputs_per_build: 5, max_script_units: 1e6 } } as EffectivePlan;

const CONTENT = {
  text: { body: [{ type: 'page_break' }] },
  sheet: { sheets: [{ rows: [[1]] }] },
  slides: { slides: [{ layout: 'blank' }] },
};
type Type = keyof typeof CONTENT;
const TYPES = Object.keys(CONTENT) as Type[];
const FORMATS: Record<Type, string[]> = {
  text: ['docx', 'odt', 'pdf'],
  sheet: ['xlsx', 'ods', 'pdf'],
  slides: ['pptx', 'odp', 'pdf'],
};
/** Members of the root that only one type has, beside its content. */
const OWN: Record<Type, object> = {
  text: { page: {}, style: {}, header: { left: 'a' }, footer: { right: 'a' } },
  sheet: {},
  slides: { slide_size: '4:3', slide_style: {} },
};

const write = (type: Type, more: object = {}) => ({
  ...{ svcscript: 1, type, save: [{ format: 'pdf' }] },
  ...CONTENT[type],
  ...more,
});
const text = (...body: unknown[]) => write('text', { body });
const sheets = (...list: unknown[]) => write('sheet', { sheets: list });
const slides = (...list: unknown[]) => write('slides', { slides: list });
const saved = (save: object) => write('text', { save: [{ format: 'docx', ...save }] });
const meta = (members: object) => write('text', { meta: members });
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const nested = (levels: number): unknown[] => [levels === 1 ? 'x' : { text: 'x', items: nested(levels - 1) }];
const list = (items: unknown) => text({ type: 'list', items });
const place = { x: 1, y: 1, width: 9, height: 9 };

describe('units of a script', () => {
  const elements = [
    { type: 'text', ...place, text: 'a' },
    { type: 'table', ...place, rows: [['a'], ['b']] },
    { type: 'bullets', ...place, items: nested(3) },
  ];
  for (const [what, script, units] of [
    ['a block is one', text({ type: 'paragraph', text: 'a' }, { type: 'page_break' }), 2],
    ['each list item at every level', list(['a', { text: 'b', items: ['c', 'd'] }]), 5],
    ['an item may be a list of runs', list([['a', { text: 'b', bold: true }], 'c']), 3],
    ['each table row and the header', text({ type: 'table', header: ['a'], rows: [['b'], ['c']] }), 4],
    ['each sheet row', sheets({ rows: [[1], [2]] }, { rows: [[3]] }), 3],
    ['each slide', slides({ layout: 'blank' }, { layout: 'title', title: 'a' }), 2],
    ['bullets of a slide', slides({ layout: 'content', title: 'a', content: ['a', 'b'] }), 3],
    ['elements with what is in them', slides({ layout: 'blank', elements }), 9],
  ] as const) {
    it(`${what}: ${units}`, () => {
      const plan = { ...LARGE, limits: { ...LARGE.limits, max_script_units: 0 } };
      expect(refusal(() => checkScript(script, plan)).detail).to.deep.equal({ units, limit: 0 });
    });
  }

  it('over the limit: script_too_large with units and limit', () => {
    const { code, detail } = refusal(() => checkScript(list(times(10, 'x')), SMALL));
    expect({ code, detail }).to.deep.equal({ code: 'script_too_large', detail: { units: 11, limit: 10 } });
    checkScript(list(times(9, 'x')), SMALL);
  });
});

describe('checks of a script that no schema says', () => {
  const sheet = (cell: unknown) => sheets({ rows: [{ cells: [1, cell] }] });
  for (const [what, script, path] of [
    [
      'a row shorter than the header',
      text({ type: 'table', header: ['a', 'b'], rows: [['c', 'd'], ['e']] }),
      '/body/0/rows/1',
    ],
    ['a row longer than columns', text({ type: 'table', columns: [1], rows: [['c', 'd']] }), '/body/0/rows/0'],
    ['a row unlike the first', text({ type: 'table', rows: [['c', 'd'], ['e']] }), '/body/0/rows/1'],
    [
      'columns unlike the header',
      text({ type: 'table', columns: [1, 2], header: ['a'], rows: [['b']] }),
      '/body/0/columns',
    ],
    ['a fourth list level', list(nested(4)), '/body/0/items/0/items/0/items/0/items'],
    ['a day that does not exist', sheet({ type: 'date', value: '2026-02-30' }), '/sheets/0/rows/0/cells/1/value'],
    ['an unbalanced formula', sheet({ type: 'formula', formula: '=SUM(A1' }), '/sheets/0/rows/0/cells/1/formula'],
    [
      'a list of a slide',
      slides({ layout: 'two_columns', title: 'a', right: nested(4) }),
      '/slides/0/right/0/items/0/items/0/items',
    ],
    ...[
      ['Báo cáo', 'BÁO CÁO'],
      ['Giá'.normalize('NFC'), 'Giá'.normalize('NFD')],
    ].map((names) => {
      return [
        'two sheets of one name',
        sheets(...names.map((name) => ({ name, rows: [] }))),
        '/sheets/1/name',
      ] as const;
    }),
  ] as const) {
    it(`${what}: script_error at ${path}`, () => {
      const { code, detail } = refusal(() => checkScript(script, LARGE));
      expect(code).to.equal('script_error');
      expect(detail).to.include({ path });
    });
  }

  it('three list levels and names that only look alike are fine', () => {
    checkScript(list(nested(3)), SMALL);
    checkScript(sheets(...['Giá', 'Gia', 'Bảng 1', 'Bảng 2'].map((name) => ({ name, rows: [[1]] }))), SMALL);
  });

  it('all are told, the first by itself', () => {
    const { detail } = refusal(() =>
      checkScript(text({ type: 'table', rows: [['a'], ['b', 'c'], ['d', 'e']] }), SMALL),
    );
    expect(detail['path']).to.equal('/body/0/rows/1');
    expect(detail['errors']).to.have.length(2);
  });

  it('more outputs than the plan has: forbidden_feature', () => {
    const { code, detail } = refusal(() => checkScript(write('text', { save: times(2, { format: 'pdf' }) }), SMALL));
    const expected = { feature: 'multiple_outputs', edition: 'community', limit: 1 };
    expect({ code, detail }).to.deep.equal({ code: 'forbidden_feature', detail: expected });
  });
});

describe('what the contract says a script may be', () => {
  /** Returns places of the mistakes that a script is refused for as one that breaks the schema. */
  function findMistakes(script: unknown): string[] {
    try {
      checkScript(script, LARGE);
      return [];
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'script_invalid') throw error;
      return (error.detail['errors'] as { path: string }[]).map(({ path }) => path);
    }
  }

  const letters = (count: number) => 'a'.repeat(count);
  const bounds: [what: string, place: string, most: number, make: (count: number) => object, least?: number][] = [
    ['blocks', '/body', 20_000, (count) => text(...times(count, CONTENT.text.body[0])), 1],
    ['sheets', '/sheets', 50, (count) => sheets(...times(count, CONTENT.sheet.sheets[0])), 1],
    ['slides', '/slides', 500, (count) => slides(...times(count, CONTENT.slides.slides[0])), 1],
    ['formats', '/save', 5, (count) => write('text', { save: times(count, { format: 'pdf' }) }), 1],
    ['letters of a filename', '/save/0/filename', 255, (count) => saved({ filename: letters(count) }), 1],
    ['letters of a title', '/meta/title', 255, (count) => meta({ title: letters(count) })],
    ['letters of a subject', '/meta/subject', 255, (count) => meta({ subject: letters(count) })],
    ['letters of an author', '/meta/author', 255, (count) => meta({ author: letters(count) })],
    ['letters of a description', '/meta/description', 2000, (count) => meta({ description: letters(count) })],
    ['keywords', '/meta/keywords', 32, (count) => meta({ keywords: times(count, 'a') })],
    ['letters of a keyword', '/meta/keywords/0', 64, (count) => meta({ keywords: [letters(count)] })],
    ['letters of a font', '/style/font', 64, (count) => write('text', { style: { font: letters(count) } }), 1],
  ];
  for (const [what, path, most, make, least = 0] of bounds) {
    it(`${least} to ${most} ${what}`, () => {
      for (const count of [least, most]) expect(findMistakes(make(count))).to.deep.equal([]);
      for (const count of [most + 1, ...(least > 0 ? [least - 1] : [])]) {
        expect(findMistakes(make(count))).to.deep.equal([path]);
      }
    });
  }

  it('version 1 alone, which has to be told, as have type and formats', () => {
    for (const svcscript of [0, 2, '1', 1.5, null]) {
      expect(findMistakes(write('text', { svcscript })), String(svcscript)).to.deep.equal(['/svcscript']);
    }
    for (const member of ['svcscript', 'type', 'save'] as const) {
      const { [member]: _, ...others } = write('text');
      expect(findMistakes(others), member).to.not.deep.equal([]);
    }
  });

  for (const type of TYPES) {
    it(`${type}: its own formats, its own content, which it needs`, () => {
      for (const format of TYPES.flatMap((each) => FORMATS[each])) {
        const expected = FORMATS[type].includes(format) ? [] : ['/save/0/format'];
        expect(findMistakes(write(type, { save: [{ format }] })), format).to.deep.equal(expected);
      }
      const [content = ''] = Object.keys(CONTENT[type]);
      expect(findMistakes(write(type, { [content]: undefined })), 'without content').to.have.lengthOf(1);
      for (const other of TYPES) {
        for (const [member, value] of Object.entries({ ...CONTENT[other], ...OWN[other] })) {
          const expected = other === type ? [] : [`/${member}`];
          expect(findMistakes(write(type, { [member]: value })), member).to.deep.equal(expected);
        }
      }
    });
  }

  const unknown = 1;
  for (const [what, script, path] of [
    ['an unknown key of the root', write('text', { unknown }), '/unknown'],
    ['one of meta', meta({ unknown }), '/meta/unknown'],
    ['one of save', saved({ unknown }), '/save/0/unknown'],
    ['one of a block', text({ type: 'page_break', unknown }), '/body/0/unknown'],
    ['one of the page', write('text', { page: { unknown } }), '/page/unknown'],
    ['one of a sheet', sheets({ rows: [[1]], unknown }), '/sheets/0/unknown'],
    ['one of a slide', slides({ layout: 'blank', unknown }), '/slides/0/unknown'],
    ['one of a style', write('slides', { slide_style: { unknown } }), '/slide_style/unknown'],
    ['pdfa of another format', saved({ pdfa: true }), '/save/0/format'],
    ['slides of another size', write('slides', { slide_size: '16:10' }), '/slide_size'],
    ...['A1B2C3', '#ABC', '#A1B2C3FF', 'red', '#GGGGGG'].map(
      (color) => [`the colour ${color}`, write('text', { style: { color } }), '/style/color'] as const,
    ),
    ...['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0', '\n', '\x1f', '\x7f', '\x85', '\x9f'].map((letter) => {
      return [
        `a filename with ${JSON.stringify(letter)}`,
        saved({ filename: `a${letter}b` }),
        '/save/0/filename',
      ] as const;
    }),
    ...['.', '..', '...', ' ', '. .', '\u3000'].map(
      (filename) => [`the filename ${JSON.stringify(filename)}`, saved({ filename }), '/save/0/filename'] as const,
    ),
  ] as const) {
    it(`not ${what}`, () => expect(findMistakes(script)).to.deep.equal([path]));
  }

  for (const script of [
    ...['.env', 'a..b', '..a', ' a ', 'Hợp đồng số 1 (bản cuối), 50% & ký.docx'].map((filename) => saved({ filename })),
    ...[saved({ format: 'pdf', pdfa: true }), saved({ pdfa: false }), write('text', { style: { color: '#A1b2C3' } })],
    ...['16:9', '4:3'].map((slide_size) => write('slides', { slide_size })),
  ]) {
    it(`but ${JSON.stringify(script)}`, () => expect(findMistakes(script)).to.deep.equal([]));
  }

  it('pictures of 10 MB and no byte more', () => {
    const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    const decode = (bytes: number) => {
      const gif = Buffer.concat([pixel, Buffer.alloc(bytes - pixel.length)]);
      return decodedPicture(gif.toString('base64'), '/body/0');
    };
    expect(decode(10 * 1024 * 1024)).to.include({ mediaType: 'image/gif' });
    expect(refusal(() => decode(10 * 1024 * 1024 + 1)).detail['message']).to.match(/10 MB/);
  });
});
