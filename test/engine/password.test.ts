import { expect } from 'chai';
import { type SourceFormat, targetsOf } from '../../cmd/docbuilder/domain/formats.ts';
import { protectedDocuments } from '../support/protected.ts';
import { type Bench, createBench, fodp, fods, fodt, paragraph, row, slide } from './support.ts';

const PASSWORD = 'mật khẩu 1';
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
      const missing = await bench.convert(source, format, 'pdf').catch((error) => error);
      expect(missing.reason).to.equal('password');
      const wrong = await bench.convert(source, format, 'pdf', { password: 'sai' }).catch((error) => error);
      expect(wrong.reason).to.equal('password');
      expect((await bench.convert(source, format, 'pdf', { password: PASSWORD })).pages).to.equal(1);
      expect(bench.engine.status().workers.restarts).to.equal(restarts);
    });
  }

  for (const [, , format] of PROTECTED) {
    it(`${format}: what is made of it needs no password, in any format`, async () => {
      const source = files.get(format) as Buffer;
      // Its key takes seconds, each time.
      const targets = format === 'odt' ? (['odt'] as const) : targetsOf(format);
      for (const to of targets) {
        const { bytes } = await bench.convert(source, format, to, { password: PASSWORD });
        if (to === 'pdf') expect(bytes.includes('/Encrypt'), to).to.equal(false);
        else expect((await bench.convert(bytes, to, 'pdf')).pages, to).to.equal(1);
      }
    });
  }

  it('ods: a text that no cell of Excel has room for is found behind the password, too', async () => {
    const long = await protectedDocuments(PASSWORD, [['fods', fods(row('x'.repeat(32_768))), 'ods']]);
    const source = long.get('ods') as Buffer;
    const refused = await bench.convert(source, 'ods', 'xlsx', { password: PASSWORD }).catch((error) => error);
    expect(refused.reason).to.equal('too_long_cells');
    expect((await bench.convert(source, 'ods', 'csv', { password: PASSWORD })).text).to.have.length.above(32_767);
  });

  it('a password that is not needed does no harm, and is not that of the result', async () => {
    const { bytes } = await bench.convert(fodt(paragraph('x')), 'fodt', 'docx', { password: 'x' });
    const odt = await bench.convert(bytes, 'docx', 'odt', { password: 'x' });
    expect((await bench.convert(odt.bytes, 'odt', 'docx')).pages).to.equal(1);
  });
});
