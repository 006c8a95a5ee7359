import { expect } from 'chai';
import type { EffectivePlan } from '../../../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../../../cmd/docbuilder/script/check/check.ts';
import { refusal } from '../../../support/refusal.ts';

const toPlan = (max_outputs_per_build: number, max_script_units: number, edition = 'community') =>
  ({ edition, limits: { max_outputs_per_build, max_script_units } }) as EffectivePlan;
const LARGE = toPlan(5, 1e6, 'enterprise');

/** The members of a script of each type: its content, which it needs, its formats, and members that only it may have. */
const TYPES = {
  text: {
    content: { body: [{ type: 'page_break' }] },
    formats: ['docx', 'odt', 'pdf'],
    own: { page: {}, style: {}, header: { left: 'a' }, footer: { right: 'a' } },
  },
  sheet: { content: { sheets: [{ rows: [[1]] }] }, formats: ['xlsx', 'ods', 'pdf'], own: {} },
  slides: {
    content: { slides: [{ layout: 'blank' }] },
    formats: ['pptx', 'odp', 'pdf'],
    own: { slide_size: '4:3', slide_style: {} },
  },
};
type Type = keyof typeof TYPES;

const write = (type: Type, more: object = {}) => {
  return { ...{ svcscript: 1, type, save: [{ format: 'pdf' }] }, ...TYPES[type].content, ...more };
};
const text = (...body: unknown[]) => write('text', { body });
const sheets = (...list: unknown[]) => write('sheet', { sheets: list });
const slides = (...list: unknown[]) => write('slides', { slides: list });
const saved = (save: object) => write('text', { save: [{ format: 'docx', ...save }] });
const meta = (members: object) => write('text', { meta: members });
const style = (members: object) => write('text', { style: members });
const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const nested = (levels: number): unknown[] => [levels === 1 ? 'x' : { text: 'x', items: nested(levels - 1) }];
const list = (items: unknown) => text({ type: 'list', items });
const table = (members: object) => text({ type: 'table', ...members });
const cell = (value: object) => sheets({ rows: [{ cells: [1, value] }] });
const named = (...names: string[]) => sheets(...names.map((name) => ({ name, rows: [] })));

/** Returns the code and the places of the mistakes that a script is refused for; undefined if it is taken. */
function findMistakes(script: unknown): [code: string, ...paths: string[]] | undefined {
  let taken = false;
  const error = refusal(() => {
    checkScript(script, LARGE);
    taken = true;
    checkScript(script, toPlan(0, 0));
  });
  const paths = ((error.detail['errors'] ?? []) as { path: string }[]).map(({ path }) => path);
  return taken ? undefined : [error.code, ...paths];
}

describe('checks of a script', () => {
  const place = { x: 1, y: 1, width: 9, height: 9 };
  const elements = [
    { type: 'text', ...place, text: 'a' },
    { type: 'table', ...place, rows: [['a'], ['b']] },
    { type: 'bullets', ...place, items: nested(3) },
  ];
  for (const [what, script, units] of [
    ['a block is one', text({ type: 'paragraph', text: 'a' }, { type: 'page_break' }), 2],
    ['each list item at every level', list(['a', { text: 'b', items: ['c', 'd'] }]), 5],
    ['an item may be a list of runs', list([['a', { text: 'b', bold: true }], 'c']), 3],
    ['each table row and the header', table({ header: ['a'], rows: [['b'], ['c']] }), 4],
    ['each sheet row', sheets({ rows: [[1], [2]] }, { rows: [[3]] }), 3],
    ['each slide', slides({ layout: 'blank' }, { layout: 'title', title: 'a' }), 2],
    ['bullets of a slide', slides({ layout: 'content', title: 'a', content: ['a', 'b'] }), 3],
    ['elements with what is in them', slides({ layout: 'blank', elements }), 9],
  ] as const) {
    it(`units, ${what}: ${units}, and no fewer are enough`, () => {
      checkScript(script, toPlan(1, units));
      const { code, detail } = refusal(() => checkScript(script, toPlan(1, units - 1)));
      expect({ code, detail }).to.deep.equal({ code: 'script_too_large', detail: { units, limit: units - 1 } });
    });
  }

  for (const [what, script, ...paths] of [
    ['rows unlike the header', table({ header: ['a', 'b'], rows: [['c', 'd'], ['e']] }), '/body/0/rows/1'],
    ['a row longer than columns', table({ columns: [1], rows: [['c', 'd']] }), '/body/0/rows/0'],
    ['rows unlike the first', table({ rows: [['a'], ['b', 'c'], ['d', 'e']] }), '/body/0/rows/1', '/body/0/rows/2'],
    ['columns unlike the header', table({ columns: [1, 2], header: ['a'], rows: [['b']] }), '/body/0/columns'],
    ['a fourth list level', list(nested(4)), '/body/0/items/0/items/0/items/0/items'],
    ['a day that does not exist', cell({ type: 'date', value: '2026-02-30' }), '/sheets/0/rows/0/cells/1/value'],
    ['an unbalanced formula', cell({ type: 'formula', formula: '=SUM(A1' }), '/sheets/0/rows/0/cells/1/formula'],
    [
      'a list of a slide',
      slides({ layout: 'two_columns', title: 'a', right: nested(4) }),
      '/slides/0/right/0/items/0/items/0/items',
    ],
    ['margins with no room between them', write('text', { page: { size: { width: 60, height: 59 } } }), '/page'],
    [
      'print margins with no room between them',
      sheets(
        { rows: [['a']], print: { margins: { left: 100, right: 101 } } },
        { rows: [['a']], print: { size: { width: 46, height: 48 } } },
        { rows: [['a']], print: { size: { width: 90, height: 47 } } },
      ),
      '/sheets/0/print',
      '/sheets/2/print',
    ],
    ['two sheets of one name', named('Báo cáo', 'BÁO CÁO'), '/sheets/1/name'],
    ['the same, decomposed', named('Giá'.normalize('NFC'), 'Giá'.normalize('NFD')), '/sheets/1/name'],
  ] as const) {
    it(`${what}: script_error at ${paths}`, () => {
      expect(findMistakes(script)).to.deep.equal(['script_error', ...paths]);
      expect(refusal(() => checkScript(script, LARGE)).detail).to.include({ path: paths[0] });
    });
  }

  it('in xlsx as long a header as Excel takes, with the codes that LibreOffice writes', () => {
    const bold = { text: 'BÁO CÁO', bold: true, font: 'Times New Roman', size: 14, color: '#FF0000' };
    const sides = { center: [bold], right: ['Trang ', { field: 'page' }, '/', { field: 'pages' }] };
    for (const [rest, most] of [
      [{}, 234],
      [sides, 159],
    ] as const) {
      const taken = (count: number, ...formats: string[]) => {
        const print = { header: { left: 'a'.repeat(count), ...rest } };
        const save = formats.map((format) => ({ format }));
        return findMistakes(write('sheet', { save, sheets: [{ rows: [[1]], print }] }));
      };
      expect(taken(most, 'ods', 'xlsx')).to.equal(undefined);
      expect(taken(most + 1, 'ods', 'xlsx')).to.deep.equal(['script_error', '/sheets/0/print/header']);
      expect(taken(most + 1, 'ods', 'pdf')).to.equal(undefined);
    }
  });

  const invalid = (path: string) => ['script_invalid', path];
  const letters = (count: number) => 'a'.repeat(count);
  for (const [what, path, most, make, least = 0] of [
    ['blocks', '/body', 20_000, (count) => text(...times(count, TYPES.text.content.body[0])), 1],
    ['sheets', '/sheets', 50, (count) => sheets(...times(count, TYPES.sheet.content.sheets[0])), 1],
    ['slides', '/slides', 500, (count) => slides(...times(count, TYPES.slides.content.slides[0])), 1],
    ['formats', '/save', 5, (count) => write('text', { save: times(count, { format: 'pdf' }) }), 1],
    ['letters of a filename', '/save/0/filename', 255, (count) => saved({ filename: letters(count) }), 1],
    ['letters of a title', '/meta/title', 255, (count) => meta({ title: letters(count) })],
    ['letters of a subject', '/meta/subject', 255, (count) => meta({ subject: letters(count) })],
    ['letters of an author', '/meta/author', 255, (count) => meta({ author: letters(count) })],
    ['letters of a description', '/meta/description', 2000, (count) => meta({ description: letters(count) })],
    ['keywords', '/meta/keywords', 32, (count) => meta({ keywords: times(count, 'a') })],
    ['letters of a keyword', '/meta/keywords/0', 64, (count) => meta({ keywords: [letters(count)] })],
    ['letters of a font', '/style/font', 64, (count) => style({ font: letters(count) }), 1],
  ] satisfies [what: string, place: string, most: number, make: (count: number) => object, least?: number][]) {
    it(`${least} to ${most} ${what}`, () => {
      for (const count of [least, most]) expect(findMistakes(make(count))).to.equal(undefined);
      for (const count of [most + 1, ...(least > 0 ? [least - 1] : [])]) {
        expect(findMistakes(make(count))).to.deep.equal(invalid(path));
      }
    });
  }

  it('version 1 alone, which has to be told, as have type and formats', () => {
    for (const svcscript of [0, 2, '1', 1.5, null]) {
      expect(findMistakes(write('text', { svcscript })), String(svcscript)).to.deep.equal(invalid('/svcscript'));
    }
    for (const member of ['svcscript', 'type', 'save']) {
      expect(findMistakes(write('text', { [member]: undefined }))?.[0], member).to.equal('script_invalid');
    }
  });

  for (const [type, { content, formats, own }] of Object.entries(TYPES) as [Type, (typeof TYPES)[Type]][]) {
    it(`${type}: its own formats, its own content, which it needs`, () => {
      for (const format of Object.values(TYPES).flatMap((each) => each.formats)) {
        const expected = formats.includes(format) ? undefined : invalid('/save/0/format');
        expect(findMistakes(write(type, { save: [{ format }] })), format).to.deep.equal(expected);
      }
      for (const name of Object.keys(content)) {
        expect(findMistakes(write(type, { [name]: undefined }))).to.have.lengthOf(2);
      }
      for (const other of Object.values(TYPES)) {
        for (const [member, value] of Object.entries({ ...other.content, ...other.own })) {
          const expected = other.own === own ? undefined : invalid(`/${member}`);
          expect(findMistakes(write(type, { [member]: value })), member).to.deep.equal(expected);
        }
      }
    });
  }

  const unknown = 1;
  const refused: [string, object][] = [
    ['/unknown', write('text', { unknown })],
    ['/meta/unknown', meta({ unknown })],
    ['/save/0/unknown', saved({ unknown })],
    ['/body/0/unknown', text({ type: 'page_break', unknown })],
    ['/page/unknown', write('text', { page: { unknown } })],
    ['/sheets/0/unknown', sheets({ rows: [[1]], unknown })],
    ['/sheets/0/columns/0/width', sheets({ rows: [[1]], columns: [{ width: 656 }] })],
    ['/slides/0/unknown', slides({ layout: 'blank', unknown })],
    ['/slide_style/unknown', write('slides', { slide_style: { unknown } })],
    ['/save/0/format', saved({ pdfa: true })],
    ['/slide_size', write('slides', { slide_size: '16:10' })],
  ];
  for (const color of ['A1B2C3', '#ABC', '#A1B2C3FF', 'red', '#GGGGGG'])
    refused.push(['/style/color', style({ color })]);
  for (const filename of [
    ...['/', '\\', ':', '*', '?', '"', '<', '>', '|', '\0', '\n', '\x1f', '\x7f', '\x85', '\x9f'].map(
      (one) => `a${one}b`,
    ),
    ...['.', '..', '...', ' ', '. .', '\u3000'],
  ]) {
    refused.push(['/save/0/filename', saved({ filename })]);
  }
  for (const [path, script] of refused) {
    it(`not ${JSON.stringify(script)}`, () => expect(findMistakes(script)).to.deep.equal(invalid(path)));
  }

  for (const script of [
    ...['.env', 'a..b', '..a', ' a ', 'Hợp đồng số 1 (bản cuối), 50% & ký.docx'].map((filename) => saved({ filename })),
    ...[saved({ format: 'pdf', pdfa: true }), saved({ pdfa: false }), style({ color: '#A1b2C3' })],
    ...['16:9', '4:3'].map((slide_size) => write('slides', { slide_size })),
    ...[list(nested(3)), named('Giá', 'Gia', 'Bảng 1', 'Bảng 2')],
  ]) {
    it(`but ${JSON.stringify(script)}`, () => expect(findMistakes(script)).to.equal(undefined));
  }
});
