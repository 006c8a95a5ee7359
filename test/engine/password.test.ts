import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { getTargets, type SourceFormat } from '../../cmd/docbuilder/formats.ts';
import { protectedOdt } from '../../scripts/editor-check/protected.ts';
import { verdict } from '../support/inspect.ts';
import { protectedDocuments } from '../support/protected.ts';
import { type Bench, createBench, fodp, fods, fodt, paragraph, row, slide } from './support.ts';

const PASSWORD = 'mật khẩu 1';
const encrypted = true;
const PROTECTED: [source: SourceFormat, content: string, target: SourceFormat][] = [
  ['fodt', fodt(paragraph('bí mật')), 'docx'],
  ['fodt', fodt(paragraph('bí mật')), 'odt'],
  ['fods', fods(row('bí mật')), 'xlsx'],
  ['fodp', fodp(slide('bí mật')), 'pptx'],
  ['fodt', fodt(paragraph('bí mật')), 'doc'],
  ['fods', fods(row('bí mật')), 'xls'],
];

describe('engine: protected documents', function () {
  this.timeout(60_000);
  let bench: Bench;
  let files: ReadonlyMap<SourceFormat, Buffer>;
  before(async () => {
    bench = await createBench();
    files = await protectedDocuments(PASSWORD, PROTECTED);
  });
  after(() => bench?.dispose());

  for (const [, , format] of PROTECTED) {
    it(`${format}: opens with the password, says so when it is wrong or missing, and the worker goes on`, async () => {
      const source = files.get(format) as Buffer;
      const { restarts } = bench.engine.status().workers;
      const missing = await bench.convert(source, format, 'pdf', { encrypted }).catch((error) => error);
      expect(missing.reason).to.equal('password');
      const wrong = await bench.convert(source, format, 'pdf', { encrypted, password: 'sai' }).catch((error) => error);
      expect(wrong.reason).to.equal('password');
      expect((await bench.convert(source, format, 'pdf', { encrypted, password: PASSWORD })).pages).to.equal(1);
      expect(bench.engine.status().workers.restarts).to.equal(restarts);
    });
  }

  for (const [, , format] of PROTECTED) {
    it(`${format}: what is made of it needs no password, in any format`, async () => {
      const source = files.get(format) as Buffer;
      // Its key takes seconds, each time.
      const targets = format === 'odt' ? (['odt'] as const) : getTargets(format);
      for (const to of targets) {
        const { bytes } = await bench.convert(source, format, to, { encrypted, password: PASSWORD });
        if (to === 'pdf') expect(bytes.includes('/Encrypt'), to).to.equal(false);
        else expect((await bench.convert(bytes, to, 'pdf')).pages, to).to.equal(1);
      }
    });
  }

  it('odt: the one that editor-check makes opens with its password alone', async () => {
    const source = protectedOdt(PASSWORD, 'Biên bản họp');
    const { text } = await bench.convert(source, 'odt', 'txt', { encrypted, password: PASSWORD });
    expect(text.trim()).to.equal('Biên bản họp');
    const wrong = await bench.convert(source, 'odt', 'txt', { encrypted, password: 'sai' }).catch((error) => error);
    expect(wrong.reason).to.equal('password');
  });

  it('ods: a text that no cell of Excel has room for is found behind the password, too', async () => {
    const long = await protectedDocuments(PASSWORD, [['fods', fods(row('x'.repeat(32_768))), 'ods']]);
    const source = long.get('ods') as Buffer;
    const refused = await bench
      .convert(source, 'ods', 'xlsx', { encrypted, password: PASSWORD })
      .catch((error) => error);
    expect(refused.reason).to.equal('too_long_cells');
    expect((await bench.convert(source, 'ods', 'csv', { encrypted, password: PASSWORD })).text).to.have.length.above(
      32_767,
    );
  });

  for (const [, , format] of PROTECTED.filter(([, , format]) => /x$/.test(format))) {
    it(`${format}: under the name of another family it is no empty document of that`, async () => {
      for (const other of (['docx', 'xlsx', 'pptx'] as const).filter((name) => name !== format)) {
        const options = { encrypted, password: PASSWORD };
        const refused = await bench.convert(files.get(format) as Buffer, other, 'pdf', options).catch((error) => error);
        expect(refused.reason, other).to.equal('other_format');
      }
    });
  }

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
  });
});
