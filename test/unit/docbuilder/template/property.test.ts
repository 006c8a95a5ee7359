import { expect } from 'chai';
import fc from 'fast-check';
import { filledBody } from '../../../support/filling.ts';
import { p, run } from '../../../support/templates.ts';

const NAMES = ['a', 'b', 'họ tên', '__proto__', '0'];
/** Text that XML can hold, without carriage returns and without two braces of a kind side by side. */
const text = fc
  .string({ unit: fc.oneof(fc.constantFrom(...'{}#/&< '), fc.string({ unit: 'binary', maxLength: 1 })) })
  .map((value) => xmlOnly(value).replaceAll(/[\r{}]+/g, ' { '));
const cuts = fc.array(fc.nat(30), { maxLength: 8 });
describe('any template of text and tags', () => {
  it('gives its text with the values in their places, wherever Word has cut it, also in lists', async () => {
    const values = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.string({ unit: 'binary' })])));
    const pieces = fc.array(fc.tuple(text, fc.constantFrom(...NAMES)), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(values, { maxLength: 3 }), cuts, async (template, items, ends) => {
        const inside = template.map(([words, name]) => `${words}{{${name}}}`).join('');
        const filled = (item: Record<string, unknown>) =>
          template.map(([words, name]) => words + toText(item[name])).join('');
        const found = await filledBody(inRuns(`{{#list}}${inside}{{/list}}`, ends), { list: items });
        expect(found).to.deep.equal([items.map(filled).join('')]);
      }),
      { numRuns: 100 },
    );
  });
});

/** Makes a paragraph whose runs end wherever it happens, never inside a character. */
function inRuns(content: string, cuts: number[]): string {
  const characters = [...content];
  const within = cuts.filter((cut) => cut < characters.length);
  const ends = [...new Set([...within, characters.length])].sort((a, b) => a - b);
  const parts = ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join(''));
  const toXml = (part: string) => part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return p(parts.map((part) => run(toXml(part))).join(''));
}

function toText(value: unknown): string {
  return xmlOnly(String(value).replace(/\r\n?/g, '\n'));
}

function xmlOnly(value: string): string {
  const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u;
  return [...value].filter((character) => allowed.test(character)).join('');
}
