import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dump, load } from 'js-yaml';
import { extractText } from '../../../../cmd/docbuilder/extract/document.ts';
import { type Family, FLAT } from '../../../../cmd/docbuilder/formats.ts';
import type { ExtractedText } from '../../../../src/common/generated/wire.ts';
import { extract } from './flat.ts';
import metafiles from './golden/metafiles.json' with { type: 'json' };

const GOLDEN = join(import.meta.dirname, 'golden');

/** Metafiles (MS-WMF, MS-EMF) and the lines that they draw. */
const METAFILES = Object.entries(metafiles).map(([what, [base64 = '', lines = '']]) => ({ what, base64, lines }));
const framed = (base64: string) =>
  `<text:p>§<draw:frame><draw:image><office:binary-data>\n${base64}</office:binary-data></draw:image></draw:frame></text:p>`;

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

  for (const { what, base64, lines } of METAFILES) {
    it(`of pictures: ${what}`, async () => {
      expect((await extract('text', { body: framed(base64) })).text).to.equal(`§\n${lines}`.trim());
    });
  }

  it('is what is there of a metafile that is cut off, or changed anywhere', async () => {
    for (const whole of METAFILES.map(({ base64 }) => Buffer.from(base64, 'base64'))) {
      const cut = Array.from(whole, (_, length) => whole.subarray(0, length));
      const changed = Array.from(whole, (_, at) => Buffer.from(whole).fill(255, at, Math.min(at + 2, whole.length)));
      const body = [...cut, ...changed].map((bytes) => framed(bytes.toString('base64'))).join('');
      const { text } = await extract('text', { body });
      expect(text.split('\n').filter((line) => line === '§')).to.have.length(2 * whole.length);
    }
  });
});
