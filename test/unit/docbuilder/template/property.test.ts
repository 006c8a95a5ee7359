import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../../src/common/errors.ts';
import { filledBody } from '../../../support/filling.ts';
import { p, run } from '../../../support/templates.ts';

type Node = { text: string } | { value: string } | { list: string; inside: Node[] };
type Data = Record<string, unknown>;

const NAMES = ['a', 'b', 'họ tên', 'a.b', '__proto__', '0'];
const name = fc.constantFrom(...NAMES);

/** Text that XML can hold, without carriage returns and without two braces of a kind side by side. */
const text = fc
  .string({
    unit: fc.oneof(fc.constantFrom('{', '}', '#', '/', '&', '<', ' '), fc.string({ unit: 'binary', maxLength: 1 })),
  })
  .map((value) => xmlOnly(value).replaceAll(/[\r{}]+/g, ' { '));

const { nodes } = fc.letrec<{ node: Node; nodes: Node[] }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.record({ text }),
    fc.record({ value: name }),
    fc.record({ list: fc.constantFrom('a', 'b', '0'), inside: tie('nodes') }),
  ),
  nodes: fc.array(tie('node'), { maxLength: 5 }),
}));

const { data } = fc.letrec<{ data: Data; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.constantFrom(null, true, false, 0, -1.5, 1e21, 'x\ny\t{{a}}', '\ud800'),
    fc.array(tie('data'), { maxLength: 3 }),
    tie('data'),
  ),
  data: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

describe('any template of text and tags with any data', () => {
  it('gives the text that substitution means, or a template_error', async () => {
    await fc.assert(
      fc.asyncProperty(nodes, data, fc.array(fc.nat(30), { maxLength: 8 }), async (template, values, cuts) => {
        const got = await outcome(inRuns(write(template), cuts), values);
        expect(got).to.equal(expected(template, values));
      }),
      { numRuns: 150 },
    );
  });

  it('gives a document or a template_error when the tags are random too', async () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom('{', '{{', '}', '}}', '#', '/', '.', '^', '@', '{{a}}', '{{#b}}', '{{/b}}'), name, text),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, data, fc.array(fc.nat(30), { maxLength: 8 }), async (words, values, cuts) => {
        const got = await outcome(inRuns(words.join(''), cuts), values);
        if (got !== 'template_error') expect(got).to.be.a('string');
        if (!words.join('').includes('{{') && got !== 'template_error') expect(got).to.equal(words.join(''));
      }),
      { numRuns: 200 },
    );
  });
});

/** Text of the paragraph, or the code of the error. */
async function outcome(paragraph: string, values: Data): Promise<string | undefined> {
  try {
    return (await filledBody(paragraph, values))[0];
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

function write(template: Node[]): string {
  return template
    .map((node) => {
      if ('text' in node) return node.text;
      return 'value' in node ? `{{${node.value}}}` : `{{#${node.list}}}${write(node.inside)}{{/${node.list}}}`;
    })
    .join('');
}

/** A paragraph whose runs end wherever it happens, never inside a character. */
function inRuns(content: string, cuts: number[]): string {
  const characters = [...content];
  const ends = [...new Set([...cuts.filter((cut) => cut < characters.length), characters.length])].sort(
    (a, b) => a - b,
  );
  const runs = ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join(''));
  return p(
    runs.map((part) => run(part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))).join(''),
  );
}

/** What the template means, told in the plainest way. */
function expected(template: Node[], values: Data): string {
  let failed = false;
  const render = (inside: Node[], scopes: unknown[]): string =>
    inside
      .map((node) => {
        if ('text' in node) return node.text;
        const value = lookUp(scopes, 'value' in node ? node.value : node.list);
        if ('value' in node) {
          if (typeof value === 'object' && value !== null) failed = true;
          return xmlOnly(String(value ?? '').replace(/\r\n?/g, '\n'));
        }
        if (Array.isArray(value)) return value.map((item) => render(node.inside, [...scopes, item])).join('');
        if (value !== null && value !== undefined) failed = true;
        return '';
      })
      .join('');
  const result = render(template, [values]);
  return failed ? 'template_error' : result;
}

function lookUp(scopes: unknown[], path: string): unknown {
  for (const scope of scopes.toReversed()) {
    if (has(scope, path)) return scope[path];
    let value: unknown = scope;
    for (const key of path.split('.')) value = has(value, key) ? value[key] : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function has(value: unknown, key: string): value is Data {
  return typeof value === 'object' && value !== null && Object.keys(value).includes(key);
}

function xmlOnly(value: string): string {
  return [...value]
    .filter((character) => /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u.test(character))
    .join('');
}
