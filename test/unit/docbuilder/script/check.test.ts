import { expect } from 'chai';
import type { EffectivePlan } from '../../../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../../../cmd/docbuilder/script/check/check.ts';
import { scriptUnits } from '../../../../cmd/docbuilder/script/check/units.ts';
import type { Script } from '../../../../src/common/generated/script.ts';
import { refusal } from '../../../support/refusal.ts';

const plan = { edition: 'community', limits: { max_outputs_per_build: 1, max_script_units: 10 } } as EffectivePlan;

const text = (...body: unknown[]): unknown => ({ svcscript: 1, type: 'text', save: [{ format: 'pdf' }], body });
const sheets = (...list: unknown[]): unknown => ({
  svcscript: 1,
  type: 'sheet',
  save: [{ format: 'ods' }],
  sheets: list,
});
const slides = (...list: unknown[]): unknown => ({
  svcscript: 1,
  type: 'slides',
  save: [{ format: 'odp' }],
  slides: list,
});
const nested = (levels: number): unknown[] => [levels === 1 ? 'x' : { text: 'x', items: nested(levels - 1) }];

describe('script units', () => {
  const cases: [string, unknown, number][] = [
    ['a block is one', text({ type: 'paragraph', text: 'a' }, { type: 'page_break' }), 2],
    ['each list item at every level', text({ type: 'list', items: ['a', { text: 'b', items: ['c', 'd'] }] }), 5],
    ['an item may be a list of runs', text({ type: 'list', items: [['a', { text: 'b', bold: true }], 'c'] }), 3],
    ['each table row and the header', text({ type: 'table', header: ['a'], rows: [['b'], ['c']] }), 4],
    ['each sheet row', sheets({ rows: [[1], [2]] }, { rows: [[3]] }), 3],
    ['each slide', slides({ layout: 'blank' }, { layout: 'title', title: 'a' }), 2],
    ['bullets of a slide', slides({ layout: 'content', title: 'a', content: ['a', 'b'] }), 3],
    [
      'elements with what is in them',
      slides({
        layout: 'blank',
        elements: [
          { type: 'text', x: 1, y: 1, width: 9, height: 9, text: 'a' },
          { type: 'table', x: 1, y: 1, width: 9, height: 9, rows: [['a'], ['b']] },
          { type: 'bullets', x: 1, y: 1, width: 9, height: 9, items: nested(3) },
        ],
      }),
      9,
    ],
  ];
  for (const [what, script, units] of cases) {
    it(`${what}: ${units}`, () => {
      expect(scriptUnits(script as Script)).to.equal(units);
    });
  }

  it('over the limit: script_too_large with units and limit', () => {
    const { code, detail } = refusal(() => checkScript(text({ type: 'list', items: Array(10).fill('x') }), plan));
    expect({ code, detail }).to.deep.equal({ code: 'script_too_large', detail: { units: 11, limit: 10 } });
    checkScript(text({ type: 'list', items: Array(9).fill('x') }), plan);
  });
});

describe('run-time checks of a script', () => {
  const cases: [string, unknown, string][] = [
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
    ['a fourth list level', text({ type: 'list', items: nested(4) }), '/body/0/items/0/items/0/items/0/items'],
    ['two sheets of one name', sheets({ name: 'Báo cáo', rows: [] }, { name: 'BÁO CÁO', rows: [] }), '/sheets/1/name'],
    [
      'a day that does not exist',
      sheets({ rows: [[{ type: 'date', value: '2026-02-30' }]] }),
      '/sheets/0/rows/0/0/value',
    ],
    [
      'an unbalanced formula',
      sheets({ rows: [{ cells: [1, { type: 'formula', formula: '=SUM(A1' }] }] }),
      '/sheets/0/rows/0/cells/1/formula',
    ],
    [
      'a list of a slide',
      slides({ layout: 'two_columns', title: 'a', right: nested(4) }),
      '/slides/0/right/0/items/0/items/0/items',
    ],
  ];
  for (const [what, script, path] of cases) {
    it(`${what}: script_error at ${path}`, () => {
      const { code, detail } = refusal(() => checkScript(script, plan));
      expect(code).to.equal('script_error');
      expect(detail).to.include({ path });
    });
  }

  it('three list levels are fine', () => {
    checkScript(text({ type: 'list', items: nested(3) }), plan);
  });

  it('all are told, the first by itself', () => {
    const { detail } = refusal(() => checkScript(text({ type: 'table', rows: [['a'], ['b', 'c'], ['d', 'e']] }), plan));
    expect(detail['path']).to.equal('/body/0/rows/1');
    expect(detail['errors']).to.have.length(2);
  });

  it('more outputs than the plan has: forbidden_feature', () => {
    const script = { ...(text({ type: 'page_break' }) as object), save: [{ format: 'pdf' }, { format: 'docx' }] };
    const { code, detail } = refusal(() => checkScript(script, plan));
    expect({ code, detail }).to.deep.equal({
      code: 'forbidden_feature',
      detail: { feature: 'multiple_outputs', edition: 'community', limit: 1 },
    });
  });
});
