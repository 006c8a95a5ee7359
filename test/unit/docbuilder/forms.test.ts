import { readdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { formValue } from '../../../cmd/docbuilder/http/bodies.ts';
import { decodeFileName, writeLimited } from '../../../cmd/docbuilder/http/form.ts';
import { createTemporaryFiles } from '../../../cmd/docbuilder/store/data-dir.ts';
import { useFolder } from '../../support/folder.ts';

const PARALLEL = 100;

describe('forms', () => {
  it('decode what browsers, Java and .NET encode in the names of files', () => {
    for (const [given, name] of [
      ['=?UTF-8?Q?B=C3=A1o_c=C3=A1o_qu=C3=BD=20III.csv?=', 'Báo cáo quý III.csv'],
      ['=?utf-8?B?SOG7o3AgxJHhu5NuZy5kb2N4?=', 'Hợp đồng.docx'],
      ['=?utf-8?b?VMOqbi/Dv8O/LmNzdg==?=', 'Tên/ÿÿ.csv'],
      ['=?UTF-8?Q?B=C3=A1o_?= =?UTF-8?B?Y8Ohby5jc3Y=?=', 'Báo cáo.csv'],
      ['=?UTF-8?Q?a?= b.csv', 'a b.csv'],
      ['=?UTF-8?Q?=GG=FF?=', '=GG\ufffd'],
      ['=?UTF-8?X?a?=', '=?UTF-8?X?a?='],
      ['Hợp đồng =? 1.docx', 'Hợp đồng =? 1.docx'],
      ['Báo cáo %22cuối%22%0D%0A 100%25 %2F.csv', 'Báo cáo "cuối"\r\n 100%25 %2F.csv'],
      ['', ''],
    ] as const) {
      expect(decodeFileName(given), given).to.equal(name);
    }
  });

  it('have booleans as people and Python write them', () => {
    for (const [text, value] of [
      ...(['true', 'True', 'TRUE', '1'] as const).map((one) => [one, true] as const),
      ...(['false', 'False', '0'] as const).map((one) => [one, false] as const),
      ...(['yes', '', 'true '] as const).map((one) => [one, one] as const),
    ]) {
      const fields = new Map(['async', 'options.pdfa', 'to'].map((name) => [name, text]));
      expect({ ...formValue(fields) }, text).to.deep.equal({ async: value, to: text, options: { pdfa: value } });
    }
  });

  it('JSON may begin with a byte order mark, as in a file', () => {
    expect({ ...formValue(new Map([['data', '\ufeff{"tên":"An"}']])) }).to.deep.equal({ data: { tên: 'An' } });
  });
});

describe('temporary files', () => {
  const never = new AbortController().signal;
  const folder = useFolder();
  for (const [what, maxBytes, signal] of [
    ['are too large', 1, never],
    ['are given up before they begin', 100, AbortSignal.abort(new Error('gone'))],
    ['are written', 100, never],
  ] as const) {
    // A file may only just have been opened. Of some thousand, a few were made after they had been removed.
    it(`that ${what} are not there once they are removed`, async () => {
      for (let round = 0; round < 5; round++) {
        const files = createTemporaryFiles(folder.path);
        const write = () => writeLimited(Readable.from([Buffer.from('text')]), files.newPath(), maxBytes, signal);
        const ends = await Promise.allSettled(Array.from({ length: PARALLEL }, write));
        for (const { status } of ends) expect(status).to.equal(what === 'are written' ? 'fulfilled' : 'rejected');
        await files.remove();
      }
      expect(await readdir(folder.path)).to.deep.equal([]);
    });
  }
});
