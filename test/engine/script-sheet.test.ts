import { expect } from 'chai';
import { buildSheets } from '../../cmd/docbuilder/script/sheet.ts';
import type { Save, Script, Sheet } from '../../src/common/generated/script.ts';
import { type Bench, createBench, hasPdfTools, pdfText, skip } from './support.ts';
import { zipEntry } from './zip.ts';

const NOW = new Date('2026-11-21T08:30:00Z');

const date = (value: string) => ({ type: 'date', value }) as const;
const SHEETS: Sheet[] = [
  {
    columns: [{ width: 60 }, { width: 40 }, { width: 35, format: 'vnd' }],
    print: {
      header: { center: { field: 'title' } },
      footer: { center: ['Trang ', { field: 'page' }, '/', { field: 'pages' }] },
    },
    rows: [
      [date('2026-11-21T08:30'), { type: 'time', value: '30:15' }, 1234567],
      [
        { type: 'percentage', value: 0.125 },
        { type: 'currency', value: 1234.5, currency: 'EUR' },
        { type: 'formula', formula: '=INDIRECT(CHAR(39)&"fi"&"le:///etc/passwd"&CHAR(39)&CHAR(35)&"$Sheet1.A1")' },
      ],
      [
        { type: 'number', value: 12345, format: 'scientific' },
        { type: 'number', value: 0.5, format: 'decimal' },
        { type: 'formula', formula: '=SUM(1000,2)', format: 'integer' },
      ],
    ],
  },
];

describe('sheets of a script, exported', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench?.dispose());

  function flat(format: Save['format'], sheets = SHEETS): string {
    const meta = { title: 'Bảng & giá', lang: 'vi-VN' };
    const script: Script = { svcscript: 1, type: 'sheet', meta, save: [{ format }], sheets };
    const { body, head, tail } = buildSheets(script, { pictures: new Map(), now: NOW });
    const middle = [...body].join('');
    return head() + middle + tail;
  }

  it('does not follow a reference that a formula puts together', async () => {
    const { bytes } = await bench.convert(flat('xlsx'), 'fods', 'xlsx');
    const found = /<c r="C2"[^>]*>.*?<v>(.*?)<\/v>/s.exec(zipEntry(bytes, 'xl/worksheets/sheet1.xml'))?.[1];
    expect(found).to.match(/^#/);
    expect(() => zipEntry(bytes, 'xl/externalLinks/externalLink1.xml')).to.throw();
  });

  it('shows the separators of the language in a PDF', async function () {
    if (!hasPdfTools) return skip(this, 'pdftotext is missing');
    const { path, pages } = await bench.convert(flat('pdf'), 'fods', 'pdf');
    const text = pdfText(path);
    for (const shown of ['1.234.567 ₫', '21/11/2026 08:30', '30:15:00', '12,50%', '1.234,50 €', '1,23E+04', '0,50']) {
      expect(text).to.contain(shown);
    }
    expect(text).to.contain('Trang 1/1').and.contain('Bảng & giá').and.contain('1.002');
    expect(text).not.to.match(/###|Page 1/);
    expect(pages).to.equal(1);
  });

  it('gives the look of a column to the cells below the last row, without a page more', async () => {
    const sheets: Sheet[] = [{ rows: [['x']], columns: [{ border: {}, background: '#EEEEEE', format: 'integer' }] }];
    const { bytes } = await bench.convert(flat('xlsx', sheets), 'fods', 'xlsx');
    expect(zipEntry(bytes, 'xl/worksheets/sheet1.xml')).to.match(/<col [^>]*style="[1-9]\d*"/);
    expect((await bench.convert(flat('pdf', sheets), 'fods', 'pdf')).pages).to.equal(1);
  });
});
