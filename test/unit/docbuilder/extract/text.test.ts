import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { extractText } from '../../../../cmd/docbuilder/extract/document.ts';
import { type Family, FLAT } from '../../../../cmd/docbuilder/formats.ts';
import type { ExtractedText } from '../../../../src/common/generated/wire.ts';
import { extract } from './flat.ts';
import { type Drawing, emf, wmf } from './metafiles.ts';

const GOLDEN = join(import.meta.dirname, 'golden');

const framed = (bytes: Uint8Array) =>
  `<text:p>a<draw:frame><draw:image><office:binary-data>\n${Buffer.from(bytes).toString('base64')}</office:binary-data></draw:image></draw:frame></text:p>`;
const hex = (digits: string) => Buffer.from(digits, 'hex');

const words = (text: Drawing['text'], more: Omit<Drawing, 'text'> = {}): Drawing => ({ text, ...more });

/** Metafiles and the lines that they draw. */
const METAFILES: [what: string, kind: (drawings: Drawing[]) => Buffer, drawings: Drawing[], lines: string][] = [
  ['a Windows metafile', wmf, [words('Doanh thu')], 'Doanh thu'],
  ['one with a header that has its size', (drawings) => wmf(drawings, true), [words('Doanh thu')], 'Doanh thu'],
  ['an enhanced metafile', emf, [words('Tie\u0302\u0301ng Việt')], 'Tiếng Việt'],
  ['character sets', wmf, [words(hex('cff0'), { charset: 204 }), words('x', { y: 9 })], 'Пр\nx'],
  ['Vietnamese', wmf, [words(hex('5669eaf274'), { charset: 163, each: 5 })], 'Việt'],
  ['a font of symbols', wmf, [words('abc', { charset: 2 }), words('d', { charset: 0 })], 'd'],
  ['symbols in an enhanced metafile', emf, [words('abc', { charset: 2 })], ''],
  ['characters of one font only', emf, [words('a\uf0b7b')], 'a b'],
  ['lines and words', emf, [words('một'), words('hai', { y: 20 }), words('ba', { x: 90, y: 20 })], 'một\nhai ba'],
  ['a word in pieces', emf, [words('Diagra', { each: 10 }), words('m', { x: 60 })], 'Diagram'],
  ['such a word in a Windows metafile', wmf, [words('Diagra', { each: 10 }), words('m', { x: 61 })], 'Diagram'],
  ['two words', emf, [words('hai', { each: 10 }), words('ba', { x: 35 })], 'hai ba'],
  ['a bitmap', () => hex('89504e470d0a1a0a'), [], ''],
];

/** A part with its text as lines, and without the members that are empty. */
function withoutEmpty({ text, ...part }: ExtractedText['parts'][number]) {
  const members = Object.entries(part).filter(([, value]) => !(Array.isArray(value) ? value.length === 0 : !value));
  return { ...Object.fromEntries(members), text: text.split('\n') };
}

describe('extracted text', () => {
  for (const file of readdirSync(GOLDEN).filter((name) => /\.fod[tsp]$/.test(name))) {
    it(`of ${file} is that of its golden file (UPDATE_GOLDEN=1 writes it)`, async () => {
      const [family] = (Object.keys(FLAT) as Family[]).filter((name) => file.endsWith(FLAT[name]));
      const { text, parts } = await extractText(join(GOLDEN, file), family ?? 'text', 1_000_000, 1);
      const made = { text: text.split('\n'), parts: parts.map(withoutEmpty) };
      const golden = join(GOLDEN, `${file}.yaml`);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, dump(made, { lineWidth: 120 }));
      expect(made).to.deep.equal(load(readFileSync(golden, 'utf8')));
    });
  }

  for (const [what, kind, drawings, lines] of METAFILES) {
    it(`of pictures: ${what}`, async () => {
      const { text } = await extract('text', { body: framed(kind(drawings)) });
      expect(text).to.equal(`a\n${lines}`.trim());
    });
  }

  it('is what is there of a metafile that is cut off, or changed anywhere', async () => {
    for (const kind of [wmf, emf]) {
      const whole = kind([{ text: 'một', each: 5, charset: 163 }, { text: 'hai' }]);
      const cut = Array.from(whole, (_, length) => whole.subarray(0, length));
      const changed = Array.from(whole, (_, at) => Buffer.from(whole).fill(255, at, Math.min(at + 2, whole.length)));
      const { text } = await extract('text', { body: [...cut, ...changed].map(framed).join('') });
      expect(text.split('\n').filter((line) => line === 'a')).to.have.length(2 * whole.length);
    }
  });

  it('of a sheet has a cell once that is repeated no times, or by no number', async () => {
    const cells = ['0', '-1', 'x', '1.5'].map(
      (times) =>
        `<table:table-cell table:number-columns-repeated="${times}"><text:p>${times}</text:p></table:table-cell>`,
    );
    const row = `<table:table-row>${cells.join('')}</table:table-row>`;
    const { parts } = await extract('sheet', { body: `<table:table>${row}</table:table>` });
    expect(parts[0]?.text).to.equal('0\t-1\tx\t1.5');
  });

  it('of a sheet has any strings exactly', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no such characters, and a cell no line feeds
    const odd = /[\u0000-\u001f\u007f\u0085\u00ad\u2028\u2029\ufffe\uffff]/g;
    const drawn = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(odd, ''));
    const escaped = (text: string) =>
      text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/ /g, '<text:s/>');
    const cell = (text: string) => `<table:table-cell><text:p>${escaped(text)}</text:p></table:table-cell>`;
    const row = (cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
    const rows = fc.array(fc.array(drawn, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, async (cells) => {
        // The last cell of a row has text, so that nothing is cut off.
        const table = cells.map((texts) => [...texts, '.']);
        const { parts } = await extract('sheet', { body: `<table:table>${table.map(row).join('')}</table:table>` });
        expect(parts[0]?.text.split('\n').map((line) => line.split('\t'))).to.deep.equal(table);
      }),
    );
  });
});
