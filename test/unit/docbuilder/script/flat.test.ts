import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { buildFlat } from '../../../../cmd/docbuilder/script/write-script.ts';
import type { Script } from '../../../../src/common/generated/script.ts';

const now = new Date('2026-11-21T08:00:00Z');
const GOLDEN = new URL('./golden/', import.meta.url);
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const HOSTILE = `"/><x>&amp;\u0000\u0008]]>\ud800\uffff<!-- --><?x?>&#0; Đ\u0323 🧾\r\n\tאב'`;

/** A script, and the sizes of its pictures by JSON Pointer. */
type FlatCase = Omit<Script, 'svcscript' | 'save'> & { pictures?: Record<string, [width: number, height: number]> };
const CASES: Record<string, FlatCase> = JSON.parse(
  readFileSync(new URL('./flat-cases.json', import.meta.url), 'utf8').replaceAll(
    'HOSTILE',
    JSON.stringify(HOSTILE).slice(1, -1),
  ),
);
/** Characters that XML 1.0 cannot hold (section 2.2), and those that escaping leaves out. */
const FORBIDDEN = /[[\p{Cc}\p{Cs}\ufffe\uffff]--[\t\n\r\u{7f}-\u{9f}]]/gv;
/** Spaces in a row, line ends, markup, what XML forbids, several scripts. */
const LETTERS = 'aĐế  \t\n\r<>&"\'=🧾א字\u0000\u001f\u0085\ud800\uffff\u200b';

function build({ pictures = {}, ...rest }: FlatCase, at = now): { xml: string; body: string } {
  const format = { text: 'docx', sheet: 'xlsx', slides: 'pptx' } as const;
  const script: Script = { svcscript: 1, save: [{ format: format[rest.type] }], ...rest };
  const sizes = Object.entries(pictures).map(([path, [width, height]]) => {
    return [path, { base64: 'AAAA', mediaType: 'image/png', width, height }] as const;
  });
  const { head, body, tail } = buildFlat(script, { pictures: new Map(sizes), now: at });
  const written = [...body].join('');
  return { xml: head() + written + tail, body: `<office:body>${written}</office:body>` };
}

/** Text of each paragraph of the body. Throws where the XML is not well-formed. */
function paragraphs(xml: string): string[] {
  const found: string[] = [];
  let body = false;
  const add = (text: string): void => {
    if (found.length > 0) found[found.length - 1] += text;
  };
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (name === 'office:body') body = true;
    if (body && name === 'text:p') found.push('');
    if (name === 'text:s') add(' '.repeat(Number(attributes['text:c'] ?? 1)));
    if (name === 'text:tab') add('\t');
    if (name === 'text:line-break') add('\n');
  });
  parser.on('text', add);
  parser.write(xml).close();
  return found;
}

/** One style, paragraph, cell or frame in a line; the hostile cases show what is the same in all documents as well. */
function inLines(name: string, xml: string): string {
  const same = name.startsWith('text')
    ? /<office:(settings|styles)>.*?<\/office:\1>/gs
    : /<office:styles>.*<\/office:styles>/gs;
  const own = /hostile|colours/.test(name) ? xml : xml.replace(same, '').replace(/ xmlns:\w+="[^"]*"/g, '');
  const starts =
    /><(?=(?:office|style:style|style:page|style:master|text:[ph] |text:list|table|draw|number:\w+-style))/g;
  return `${own.replace(starts, '>\n<')}\n`;
}

describe('scripts as flat OpenDocument', () => {
  for (const [name, flatCase] of Object.entries(CASES)) {
    it(`${name} is golden/${name}.xml (UPDATE_GOLDEN=1 writes it)`, () => {
      const { xml } = build(flatCase);
      paragraphs(xml);
      const shown = inLines(name, xml);
      const file = new URL(`${name}.xml`, GOLDEN);
      if (UPDATE) writeFileSync(file, shown);
      expect(existsSync(file), 'UPDATE_GOLDEN=1').to.equal(true);
      expect(shown).to.equal(readFileSync(file, 'utf8'));
    });
  }

  for (const [time, day] of [
    ['2026-12-31T16:59:59Z', '31/12/2026'],
    ['2026-12-31T17:00:00Z', '01/01/2027'],
  ] as const) {
    it(`a document built at ${time} is of ${day}, as in Vietnam`, () => {
      const footer = { right: { field: 'date' } } as const;
      const { xml } = build({ type: 'text', footer, body: [{ type: 'paragraph', text: '' }] }, new Date(time));
      expect(xml).to.contain(`>${day}<`);
    });
  }

  const places: Record<Script['type'], (text: string) => FlatCase> = {
    text: (text) => ({ type: 'text', body: [{ type: 'paragraph', text: [{ text, bold: true }] }] }),
    sheet: (text) => ({ type: 'sheet', sheets: [{ rows: [[text]] }] }),
    slides: (text) => ({ type: 'slides', slides: [{ layout: 'content', title: text, content: [text] }] }),
  };
  for (const [type, script] of Object.entries(places)) {
    it(`${type}: any text comes back from the XML as it was`, () => {
      const any = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 60 }),
      );
      // A sheet has two line ends where something that is left out stands between CR and LF.
      const texts = any.filter((text) => !/\r[^\n]+\n/.test(text));
      fc.assert(
        fc.property(texts, (text) => {
          const found = paragraphs(build(script(text)).body);
          const expected = text.replace(FORBIDDEN, '').replace(/\r\n?/g, '\n');
          // Lines of a cell are paragraphs.
          if (type === 'sheet') expect(found.join('\n')).to.equal(expected);
          else for (const each of found) expect(each).to.equal(expected);
        }),
        { numRuns: 100 },
      );
    });
  }

  const runs = Array.from({ length: 4 }, (_, index) => ({ text: '&'.repeat(90_000), bold: index % 2 === 0 }));
  const base: Pick<Script, 'svcscript' | 'save'> = { svcscript: 1, save: [{ format: 'pdf' }] };
  const large: Script[] = [
    { ...base, type: 'text', body: [{ type: 'paragraph', text: runs }] },
    { ...base, type: 'text', body: [{ type: 'list', items: [{ text: runs, items: [runs, runs] }, runs] }] },
    { ...base, type: 'text', body: [{ type: 'table', rows: [[{ text: runs }, { text: runs }]] }] },
    { ...base, type: 'sheet', sheets: [{ rows: [Array.from({ length: 20 }, () => '&'.repeat(32_767))] }] },
    {
      ...base,
      type: 'sheet',
      sheets: [{ rows: Array.from({ length: 20_000 }, (_, index) => [index, 'text', { type: 'currency', value: 1 }]) }],
    },
  ];
  it('are made in pieces, however long one paragraph or sheet is', () => {
    for (const script of large) {
      const lengths = [...buildFlat(script, { pictures: new Map(), now }).body].map(({ length }) => length);
      expect(lengths.reduce((sum, length) => sum + length)).to.be.greaterThan(1024 * 1024);
      expect(Math.max(...lengths)).to.be.lessThan(1024 * 1024);
    }
  });
});
