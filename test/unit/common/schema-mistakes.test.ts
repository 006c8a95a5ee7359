import { expect } from 'chai';
import { validator } from '../../../src/common/schema.ts';
import { processorTime } from '../../support/processor-time.ts';

const check = validator('script.json');
const SAVE = [{ format: 'pdf' }];

/** The mistakes of a text script with such blocks, as `path: message`. */
function mistakes(...body: unknown[]): string[] {
  return of({ svcscript: 1, type: 'text', save: SAVE, body });
}

function of(script: unknown): string[] {
  const checked = check(script);
  return checked.ok ? [] : checked.mistakes.map(({ path, message }) => `${path}: ${message}`);
}

describe('mistakes against a schema', () => {
  it('name the place as the contract does, and the limit', () => {
    expect(mistakes('x', 'y', { type: 'heading', level: 9, text: 'a' }).at(-1)).to.equal('/body/2/level: phải <= 6');
  });

  it('suggest the word that was meant', () => {
    expect(mistakes({ type: 'paragraf', text: 'a' })).to.deep.equal([
      '/body/0/type: phải là một trong các giá trị heading, paragraph, list, table, image, page_break, horizontal_rule; có phải là paragraph?',
    ]);
    expect(mistakes({ type: 'paragraph', txt: 'a' })).to.deep.equal([
      '/body/0/text: bắt buộc phải có',
      '/body/0/txt: không phải là tên được hỗ trợ; có phải là text?',
    ]);
    expect(mistakes({ type: 'paragraph', text: 'a', align: 'centre' })).to.deep.equal([
      '/body/0/align: phải là một trong các giá trị left, center, right, justify; có phải là center?',
    ]);
  });

  it('have their place also for a number beyond all', () => {
    const sheet = (cell: string) =>
      of(JSON.parse(`{"svcscript":1,"type":"sheet","save":[{"format":"xlsx"}],"sheets":[{"rows":[[${cell}]]}]}`));
    expect(sheet('1e400')).to.deep.equal(['/sheets/0/rows/0/0: là số quá lớn']);
    expect(sheet('{"type":"number","value":1e400}')).to.deep.equal(['/sheets/0/rows/0/0/value: là số quá lớn']);
  });

  it('are put in their order without comparing more of a name than anybody reads', () => {
    const [one, other] = ['\u0301\u0323', '\u0323\u0301'].map((marks) => `a${marks.repeat(30_000)}`);
    const spent = processorTime();
    const found = of({
      svcscript: 1,
      type: 'text',
      save: SAVE,
      body: [{ type: 'paragraph', text: 'a' }],
      [`${one}\u0301`]: 1,
      [`${other}`]: 1,
    });
    expect(found).to.have.length(2);
    expect(spent()).to.be.lessThan(2000);
  });

  it('are told of a large value too: the first', () => {
    const rows = Array.from({ length: 20_000 }, (): unknown[] => [1, 2, 3, 4, 5, 6]);
    const sheet = (): unknown => ({
      svcscript: 1,
      type: 'sheet',
      save: [{ format: 'xlsx' }],
      sheets: [{ name: 'a', rows }],
    });
    expect(of(sheet())).to.deep.equal([]);
    rows[7] = [1, { x: 1 }];
    expect(of(sheet())).to.deep.equal(['/sheets/0/rows/7/1/type: bắt buộc phải có']);
    rows[7] = [1, [2]];
    expect(of(sheet())).to.deep.equal([
      '/sheets/0/rows/7/1: phải là chuỗi hoặc số hoặc true hoặc false hoặc null hoặc đối tượng',
    ]);
    rows[7] = [1, { type: 'nmber', value: 1 }];
    expect(of(sheet())[0]).to.contain('có phải là number?');
  });

  it('tell of the branch that was meant, not of the others', () => {
    expect(mistakes({ type: 'paragraph', text: ['a', { text: 'b', blod: true }] })).to.deep.equal([
      '/body/0/text/1/blod: không phải là tên được hỗ trợ; có phải là bold?',
    ]);
    expect(mistakes({ type: 'paragraph', text: { text: 'a', size: 'big' } })).to.deep.equal([
      '/body/0/text/size: phải là số',
    ]);
    expect(mistakes({ type: 'paragraph', text: 5 })).to.deep.equal([
      '/body/0/text: phải là chuỗi hoặc đối tượng hoặc danh sách',
    ]);
    expect(mistakes({ type: 'table', rows: [['a', { txt: 1 }]] })).to.deep.equal([
      '/body/0/rows/0/1/text: bắt buộc phải có',
      '/body/0/rows/0/1/txt: không phải là tên được hỗ trợ; có phải là text?',
    ]);
  });

  it('say what a pattern asks for', () => {
    expect(mistakes({ type: 'paragraph', text: 'a', color: 'red' })).to.deep.equal([
      '/body/0/color: không đúng mẫu ^#[0-9A-Fa-f]{6}$',
    ]);
  });

  it('are all told, in the order of the script', () => {
    const wrong = { type: 'heading', text: 'a' };
    const paths = mistakes(...Array.from({ length: 12 }, () => wrong)).map((line) => line.split(':')[0]);
    expect(paths).to.deep.equal(Array.from({ length: 12 }, (_, index) => `/body/${index}/level`));
  });

  it('of the root: what is missing, and what is for another type', () => {
    expect(of({})).to.deep.equal([
      '/save: bắt buộc phải có',
      '/svcscript: bắt buộc phải có',
      '/type: bắt buộc phải có',
    ]);
    expect(of({ svcscript: 1, type: 'sheet', save: [{ format: 'docx' }], body: [] })).to.deep.equal([
      '/body: không được có ở đây',
      '/save/0/format: phải là một trong các giá trị xlsx, ods, pdf',
      '/sheets: bắt buộc phải có',
    ]);
    expect(
      of({ svcscript: 2, type: 'text', save: [{ format: 'docx', pdfa: true }], body: [{ type: 'page_break' }] }),
    ).to.deep.equal(['/save/0/format: phải là "pdf"', '/svcscript: phải là 1']);
    expect(of([])).to.deep.equal([': phải là đối tượng']);
  });

  it('escape names in pointers (RFC 6901)', () => {
    expect(mistakes({ type: 'page_break', 'a/b~c': 1 })).to.deep.equal([
      '/body/0/a~1b~0c: không phải là tên được hỗ trợ',
    ]);
  });

  it('of a large value: the first alone, for to find all takes the square of their number', () => {
    for (const length of [9_000, 300_000]) {
      const body = Array.from({ length }, () => ({ type: 'heading' }));
      expect(of({ svcscript: 1, type: 'text', save: SAVE, body })).to.have.length(1);
    }
  });
});
