import { expect } from 'chai';
import { validator } from '../../../src/common/schema.ts';
import { processorTime } from '../../support/processor-time.ts';

const check = validator('script.json');
const UNKNOWN = 'không phải là tên được hỗ trợ';
const REQUIRED = 'bắt buộc phải có';
const ONE_OF = 'phải là một trong các giá trị';
const BLOCKS = 'heading, paragraph, list, table, image, page_break, horizontal_rule';
const ALIGN = 'left, center, right, justify';
const CELL = 'phải là chuỗi hoặc số hoặc true hoặc false hoặc null hoặc đối tượng';

const text = (...body: unknown[]) => ({ svcscript: 1, type: 'text', save: [{ format: 'pdf' }], body });
const sheet = (rows: unknown[][]) => ({ svcscript: 1, type: 'sheet', save: [{ format: 'xlsx' }], sheets: [{ rows }] });
const paragraph = (members: object) => text({ type: 'paragraph', ...members });

/** Returns the mistakes of a script, as `path: message`. */
function find(script: unknown): string[] {
  const checked = check(script);
  return checked.ok ? [] : checked.mistakes.map(({ path, message }) => `${path}: ${message}`);
}

describe('mistakes against a schema', () => {
  const headings = Array.from({ length: 12 }, () => ({ type: 'heading', text: 'a' }));
  const CASES: [script: unknown, ...mistakes: string[]][] = [
    [text({ type: 'heading', level: 9, text: 'a' }), '/body/0/level: phải <= 6'],
    // A hint names the likely value.
    [text({ type: 'paragraf', text: 'a' }), `/body/0/type: ${ONE_OF} ${BLOCKS}; có phải là paragraph?`],
    [paragraph({ txt: 'a' }), `/body/0/text: ${REQUIRED}`, `/body/0/txt: ${UNKNOWN}; có phải là text?`],
    [paragraph({ text: 'a', align: 'centre' }), `/body/0/align: ${ONE_OF} ${ALIGN}; có phải là center?`],
    [sheet([[Infinity]]), '/sheets/0/rows/0/0: là số quá lớn'],
    [sheet([[{ type: 'number', value: Infinity }]]), '/sheets/0/rows/0/0/value: là số quá lớn'],
    // A choice shows mistakes of the branch that was meant, or all branches if none was.
    [paragraph({ text: ['a', { text: 'b', blod: true }] }), `/body/0/text/1/blod: ${UNKNOWN}; có phải là bold?`],
    [paragraph({ text: { text: 'a', size: 'big' } }), '/body/0/text/size: phải là số'],
    [paragraph({ text: 5 }), '/body/0/text: phải là chuỗi hoặc đối tượng hoặc danh sách'],
    [
      text({ type: 'table', rows: [['a', { txt: 1 }]] }),
      ...[`/body/0/rows/0/1/text: ${REQUIRED}`, `/body/0/rows/0/1/txt: ${UNKNOWN}; có phải là text?`],
    ],
    [paragraph({ text: 'a', color: 'red' }), '/body/0/color: không đúng mẫu; ví dụ đúng: #1F6FB2'],
    [paragraph({ text: 'a', font: '\t' }), '/body/0/font: không đúng mẫu ^[^\\u0000-\\u001f]*$'],
    // All of them, in the order of the script.
    [text(...headings), ...headings.map((_, index) => `/body/${index}/level: ${REQUIRED}`)],
    // Mistakes of the root: missing members, another type, a fixed value, no script.
    [{}, ...['/save', '/svcscript', '/type'].map((path) => `${path}: ${REQUIRED}`)],
    [
      { svcscript: 1, type: 'sheet', save: [{ format: 'docx' }], body: [] },
      ...['/body: không được có ở đây', `/save/0/format: ${ONE_OF} xlsx, ods, pdf`, `/sheets: ${REQUIRED}`],
    ],
    [
      { ...text({ type: 'page_break' }), svcscript: 2, save: [{ format: 'docx', pdfa: true }] },
      ...['/save/0/format: phải là "pdf"', '/svcscript: phải là 1'],
    ],
    [[], ': phải là đối tượng'],
    // Names in pointers are escaped (RFC 6901).
    [text({ type: 'page_break', 'a/b~c': 1 }), `/body/0/a~1b~0c: ${UNKNOWN}`],
  ];
  for (const [script, ...mistakes] of CASES) {
    it(`are told: ${mistakes.join(', ')}`, () => expect(find(script)).to.deep.equal(mistakes));
  }

  it('are put in their order without comparing more of a name than anybody reads', () => {
    const [one = '', other = ''] = ['\u0301\u0323', '\u0323\u0301'].map((marks) => `a${marks.repeat(30_000)}`);
    const spent = processorTime();
    expect(find({ ...paragraph({ text: 'a' }), [`${one}\u0301`]: 1, [other]: 1 })).to.have.length(2);
    expect(spent()).to.be.lessThan(2000);
  });

  it('of a large value are the first alone, for to find all takes the square of their number', () => {
    const rows = Array.from({ length: 20_000 }, (): unknown[] => [1, 2, 3, 4, 5, 6]);
    expect(find(sheet(rows))).to.deep.equal([]);
    for (const [cell, mistake] of [
      [{ x: 1 }, `/1/type: ${REQUIRED}`],
      [[2], `/1: ${CELL}`],
    ] as const) {
      expect(find(sheet(rows.with(7, [1, cell])))).to.deep.equal([`/sheets/0/rows/7${mistake}`]);
    }
    expect(find(sheet(rows.with(7, [1, { type: 'nmber', value: 1 }])))[0]).to.contain('có phải là number?');
    for (const length of [9_000, 300_000]) {
      expect(find({ ...text(), body: Array.from({ length }, () => ({ type: 'heading' })) })).to.have.length(1);
    }
  });
});
