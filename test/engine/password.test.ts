import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { getTargets, type SourceFormat } from '../../cmd/docbuilder/formats.ts';
import { protectedOdt } from '../../scripts/editor-check/protected.ts';
import { verdict } from '../support/inspect.ts';
import { protectedDocuments } from '../support/protected.ts';
import { findFailure, fodp, fods, fodt, type Made, paragraph, row, slide, useBench } from './support.ts';

const PASSWORD = 'mật khẩu 1';
const encrypted = true;
const opening = { encrypted, password: PASSWORD };
const wrongly = { encrypted, password: 'sai' };
const PROTECTED: [source: SourceFormat, content: string, target: SourceFormat][] = [
  ['fodt', fodt(paragraph('bí mật')), 'docx'],
  ['fodt', fodt(paragraph('bí mật')), 'odt'],
  ['fods', fods(row('bí mật')), 'xlsx'],
  ['fodp', fodp(slide('bí mật')), 'pptx'],
  ['fodt', fodt(paragraph('bí mật')), 'doc'],
  ['fods', fods(row('bí mật')), 'xls'],
];
const FORMATS = PROTECTED.map(([, , format]) => format);
/** A text that no cell of Excel has room for. */
const LONG: (typeof PROTECTED)[number] = ['fods', fods(row('x'.repeat(32_768))), 'ods'];

describe('engine: protected documents', function () {
  this.timeout(60_000);
  const bench = useBench();
  let files: ReadonlyMap<SourceFormat, Buffer>;
  before(async () => {
    files = await protectedDocuments(PASSWORD, [...PROTECTED, LONG]);
  });
  const read = (format: SourceFormat) => files.get(format) as Buffer;

  for (const format of FORMATS) {
    it(`${format}: opens with its password alone, and what is made of it needs none`, async () => {
      const restarts = bench.restarts();
      for (const options of [{ encrypted }, wrongly]) {
        const refused = await findFailure(bench.convert(read(format), format, 'pdf', options));
        expect(refused).to.include({ reason: 'password' });
      }
      const [first, ...others] = getTargets(format).map((to) => ({ to }));
      if (!first) throw new Error('no target');
      const made = await bench.make(read(format), format, [first, ...others], { source: opening });
      for (const [index, { to }] of [first, ...others].entries()) {
        const { bytes } = made[index] as Made;
        if (to === 'pdf') expect(bytes.includes('/Encrypt'), to).to.equal(false);
        else expect((await bench.convert(bytes, to, 'pdf')).pages, to).to.equal(1);
      }
      expect(bench.restarts()).to.equal(restarts);
    });
  }

  it('odt: the one that editor-check makes opens with its password alone', async () => {
    const source = protectedOdt(PASSWORD, 'Biên bản họp');
    const { text } = await bench.convert(source, 'odt', 'txt', opening);
    expect(text.trim()).to.equal('Biên bản họp');
    expect(await findFailure(bench.convert(source, 'odt', 'txt', wrongly))).to.include({ reason: 'password' });
  });

  it('ods: a text that no cell of Excel has room for is found behind the password, too', async () => {
    const refused = await findFailure(bench.convert(read('ods'), 'ods', 'xlsx', opening));
    expect(refused.reason).to.equal('too_long_cells');
    const { text } = await bench.convert(read('ods'), 'ods', 'csv', opening);
    expect(text).to.have.length.above(32_767);
  });

  it('under the name of another family it is no empty document of that', async () => {
    const names = ['docx', 'xlsx', 'pptx'] as const;
    for (const [format, other] of names.flatMap((one) => names.map((another) => [one, another] as const))) {
      if (format === other) continue;
      const refused = await findFailure(bench.convert(read(format), other, 'pdf', opening));
      expect(refused.reason, `${format} as ${other}`).to.equal('other_format');
    }
  });

  it('a workbook with the password that Excel protects changes with opens without it, and so does what is made of it', async () => {
    const content = fods(row('bí mật'));
    const known = await protectedDocuments('VelvetSweatshop', [
      ['fods', content, 'xls'],
      ['fods', content, 'xlsx'],
    ]);
    for (const format of ['xls', 'xlsx'] as const) {
      const source = known.get(format) as Buffer;
      for (const password of [{}, { password: 'sai' }]) {
        const { text } = await bench.convert(source, format, 'csv', { encrypted, ...password });
        expect(text, format).to.equal('bí mật\n');
      }
      const { bytes } = await bench.convert(source, format, format, { encrypted });
      await writeFile(join(bench.folder, 'opened'), bytes);
      expect(await verdict(join(bench.folder, 'opened'), `a.${format}`), format).to.include({ encrypted: false });
    }
  });

  it('a password that is not needed does no harm, and is not that of the result', async () => {
    const { bytes } = await bench.convert(fodt(paragraph('x')), 'fodt', 'docx', { password: 'x' });
    const odt = await bench.convert(bytes, 'docx', 'odt', { password: 'x' });
    expect((await bench.convert(odt.bytes, 'odt', 'docx')).pages).to.equal(1);
    const { bytes: sheet } = await bench.convert(fods('<table:table-row/>'), 'fods', 'xlsx');
    expect((await bench.convert(sheet, 'xlsx', 'ods', { password: 'x' })).bytes.length).to.be.greaterThan(0);
  });
});
