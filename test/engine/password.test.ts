import { expect } from 'chai';
import type { SourceFormat } from '../../cmd/docbuilder/domain/formats.ts';
import { protectedDocuments } from '../support/protected.ts';
import { type Bench, createBench, fodp, fods, fodt, paragraph, row, slide } from './support.ts';

const PASSWORD = 'mật khẩu 1';
const PROTECTED: [source: SourceFormat, content: string, target: SourceFormat][] = [
  ['fodt', fodt(paragraph('bí mật')), 'docx'],
  ['fodt', fodt(paragraph('bí mật')), 'odt'],
  ['fods', fods(row('bí mật')), 'xlsx'],
  ['fodp', fodp(slide('bí mật')), 'pptx'],
];

describe('engine: protected documents', function () {
  this.timeout(30_000);
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

  it('a password that is not needed does no harm', async () => {
    expect((await bench.convert(fodt(paragraph('x')), 'fodt', 'docx', { password: 'x' })).pages).to.equal(1);
  });
});
