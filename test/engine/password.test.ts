import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { SourceFormat } from '../../cmd/docbuilder/domain/formats.ts';
import { findOffice } from '../../cmd/docbuilder/engine/office.ts';
import { writeProfile } from '../../cmd/docbuilder/engine/profile.ts';
import { type Bench, createBench, fodp, fods, fodt, paragraph, row, slide } from './support.ts';

const PASSWORD = 'mật khẩu 1';
const PROTECTED: [source: SourceFormat, content: string, target: SourceFormat, filter: string][] = [
  ['fodt', fodt(paragraph('bí mật')), 'docx', 'MS Word 2007 XML'],
  ['fodt', fodt(paragraph('bí mật')), 'odt', 'writer8'],
  ['fods', fods(row('bí mật')), 'xlsx', 'Calc MS Excel 2007 XML'],
  ['fodp', fodp(slide('bí mật')), 'pptx', 'Impress MS PowerPoint 2007 XML'],
];

describe('engine: protected documents', function () {
  this.timeout(30_000);
  let bench: Bench;
  const files = new Map<SourceFormat, Buffer>();
  before(async () => {
    bench = await createBench();
    const office = await findOffice();
    const profile = join(bench.folder, 'profile');
    await mkdir(profile);
    await writeProfile(profile, office);
    const jobs = PROTECTED.map(([source, content, target, filter]) => {
      const input = join(bench.folder, `open.${target}.${source}`);
      writeFileSync(input, content);
      return [input, join(bench.folder, `protected.${target}`), filter] as const;
    });
    const script = join(import.meta.dirname, 'protect.py');
    await promisify(execFile)(office.python, ['-B', script, office.program, profile, PASSWORD, ...jobs.flat()], {
      env: { HOME: profile, PATH: '/usr/bin:/bin', SAL_USE_VCLPLUGIN: 'svp', LANG: 'C.UTF-8' },
    });
    for (const [, , target] of PROTECTED) files.set(target, readFileSync(join(bench.folder, `protected.${target}`)));
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
