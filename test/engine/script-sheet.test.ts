import { expect } from 'chai';
import { buildSheets } from '../../cmd/docbuilder/script/sheet.ts';
import type { Save, Script, Sheet } from '../../src/common/generated/script.ts';
import { type Bench, createBench, hasPdfTools, pdfText, skip } from './support.ts';
import { zipEntry } from './zip.ts';

const NOW = new Date('2026-11-21T08:30:00Z');

const date = (value: string) => ({ type: 'date', value }) as const;
const time = (value: string) => ({ type: 'time', value }) as const;
const formula = (text: string) => ({ type: 'formula', formula: text }) as const;

const SHEETS: Sheet[] = [
  {
    name: 'Bảng giá',
    tab_color: '#FF0000',
    columns: [{ width: 60, bold: true }, { width: 30, format: 'integer' }, { width: 35, format: 'vnd' }, { width: 40 }],
    freeze: { rows: 1, columns: 1 },
    autofilter: true,
    print: {
      orientation: 'landscape',
      margins: { top: 30, left: 10, right: 12, bottom: 25 },
      fit_width: 1,
      repeat_rows: 1,
      repeat_columns: 1,
      gridlines: true,
      center: true,
      area: 'A1:E40',
      header: { left: 'Trái', center: { field: 'title' }, right: { field: 'date' }, line: true },
      footer: { center: ['Trang ', { field: 'page' }, '/', { field: 'pages' }] },
    },
    rows: [
      {
        cells: ['Mặt hàng', 'SL', 'Giá', 'Ngày'],
        background: '#DDEEFF',
        height: 12,
        align: 'center',
        valign: 'middle',
      },
      ['Bút', 1000, 2500, date('2026-11-21')],
      ['Vở', 2, 1234567, date('2026-11-21T08:30')],
      ['=1+1', formula('=SUM(B2:B3)'), formula("=SUM(E:E)+'kho ''2'!A1"), time('08:30')],
      ['a\nb  c\td', true, formula('=IF(TRUE,"đúng",1)'), time('08:30:15')],
      ['', { type: 'percentage', value: 0.25 }, { type: 'percentage', value: 0.125 }, time('30:15')],
      [
        '00123',
        { type: 'currency', value: 1.5, currency: 'USD' },
        { type: 'currency', value: 1234.5, currency: 'EUR' },
      ],
      ['', formula('=COUNTIF(A1:A3,"b*")'), formula('="a"="A"'), formula('=CONCAT("a","b")')],
      ['', formula('=NOSUCH(1)'), formula('=1/0'), formula('=TEXT(1234.5,"#,##0.00")')],
      [
        '',
        { type: 'number', value: 12345, format: 'scientific' },
        null,
        { type: 'number', value: 0.5, format: 'decimal' },
      ],
      ['  hai  ', 0.5, formula('=INDIRECT(CHAR(39)&"fi"&"le:///etc/passwd"&CHAR(39)&CHAR(35)&"$Sheet1.A1")')],
    ],
  },
  { name: "Kho '2", hidden: true, rows: [[42]] },
  { rows: [] },
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

  describe('as xlsx', () => {
    let book: (name: string) => string;
    let cells: Map<string, { value: string | undefined; formula: string | undefined; code: string; type: string }>;
    before(async () => {
      const { bytes } = await bench.convert(flat('xlsx'), 'fods', 'xlsx');
      book = (name) => zipEntry(bytes, name);
      cells = readCells(book);
    });
    const cell = (name: string) => cells.get(name);

    it('keeps values and types', () => {
      expect(cell('A2')).to.include({ value: 'Bút', type: 's' });
      expect(cell('A4')).to.include({ value: '=1+1', formula: undefined, type: 's' });
      expect(cell('A5')).to.include({ value: 'a\nb  c\td' });
      expect(cell('A7')).to.include({ value: '00123', type: 's' });
      expect(cell('A11')).to.include({ value: '  hai  ' });
      expect(cell('B2')).to.include({ value: '1000', type: 'n' });
      expect(cell('B5')).to.include({ value: '1', type: 'b' });
      expect(cell('D2')).to.include({ value: '46347' });
      expect(Number(cell('D6')?.value)).to.be.closeTo(30.25 / 24, 1e-9);
    });

    it('writes the number formats as Excel does', () => {
      const codes = Object.fromEntries([...cells].map(([name, { code }]) => [name, code]));
      expect(codes).to.include({
        B2: '#,##0',
        C2: '#,##0\\ [$₫-42A]',
        D2: 'dd/mm/yyyy',
        D3: 'dd/mm/yyyy\\ hh:mm',
        D4: 'hh:mm',
        D5: 'hh:mm:ss',
        D6: '[h]:mm:ss',
        B6: '0%',
        C6: '0.00%',
        B7: '[$$-409]#,##0.00',
        C7: '#,##0.00\\ [$€-407]',
        B10: '0.00E+00',
        D10: '#,##0.00',
      });
    });

    it('keeps formulas, with their results', () => {
      expect(cell('B4')).to.include({ formula: 'SUM(B2:B3)', value: '1002' });
      expect(cell('C4')?.value).to.equal('42');
      expect(cell('C4')?.formula).to.contain("'Kho ''2'!A1");
      expect(cell('C5')?.value).to.equal('đúng');
      expect(cell('B8')?.value).to.equal('1');
      expect(cell('C8')?.value).to.equal('1');
      expect(cell('D8')).to.include({ formula: '_xlfn.CONCAT("a","b")', value: 'ab' });
      expect(cell('B9')?.value).to.equal('#NAME?');
      expect(cell('C9')?.value).to.equal('#DIV/0!');
      expect(cell('D9')?.value).to.equal('1,234.50');
    });

    it('does not follow a reference that a formula puts together', () => {
      expect(cell('C11')?.value).to.match(/^#/);
      expect(() => book('xl/externalLinks/externalLink1.xml')).to.throw();
    });

    it('keeps frozen panes', () => {
      expect(book('xl/worksheets/sheet1.xml')).to.match(
        /<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/,
      );
    });

    it('keeps the sheets, their columns, filter and print set-up', () => {
      const workbook = book('xl/workbook.xml');
      expect(
        [...workbook.matchAll(/<sheet name="([^"]*)"[^>]*state="([^"]*)"/g)].map(([, ...found]) => found),
      ).to.deep.equal([
        ['Bảng giá', 'visible'],
        [workbook.includes('&apos;2') ? 'Kho &apos;2' : "Kho '2", 'hidden'],
        ['Sheet1', 'visible'],
      ]);
      expect(workbook).to.match(/_xlnm\.Print_Area[^>]*>[^<]*\$A\$1:\$E\$40</);
      expect(workbook).to.match(/_xlnm\.Print_Titles[^>]*>[^<]*\$A:\$A,[^<]*\$1:\$1</);
      const sheet = book('xl/worksheets/sheet1.xml');
      expect(sheet).to.match(/<tabColor rgb="FFFF0000"/);
      expect(sheet).to.match(/<autoFilter ref="A1:D11"/);
      expect(sheet).to.match(/<printOptions[^>]*headings="false" gridLines="true"[^>]*horizontalCentered="true"/);
      expect(sheet).to.match(
        /<pageSetup[^>]*paperSize="9"[^>]*fitToWidth="1" fitToHeight="0"[^>]*orientation="landscape"/,
      );
      const margins = /<pageMargins left="(.*?)" right="(.*?)" top="(.*?)" bottom="(.*?)"/.exec(sheet)?.slice(1);
      expect(margins?.map((inches) => Math.round(Number(inches) * 25.4))).to.deep.equal([10, 12, 30, 25]);
      const widths = [...sheet.matchAll(/<col [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
      expect((widths[0] ?? 0) / (widths[1] ?? 1)).to.be.closeTo(2, 0.02);
      expect(sheet).to.match(/<oddHeader>&amp;L.*Trái&amp;C.*Bảng &amp;&amp; giá&amp;R.*21\/11\/2026</);
      expect(sheet).to.match(/<oddFooter>.*Trang &amp;P\/&amp;N/);
    });
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

  it('keeps formulas and results in ods', async () => {
    const { bytes } = await bench.convert(flat('ods'), 'fods', 'ods');
    const content = zipEntry(bytes, 'content.xml');
    expect(content).to.match(/table:formula="of:=SUM\(\[\.B2:\.B3\]\)"[^>]*office:value="1002"/);
    expect(content).to.match(
      /table:formula="of:=COM\.MICROSOFT\.CONCAT\(&quot;a&quot;;&quot;b&quot;\)"[^>]*office:string-value="ab"/,
    );
    expect(content).to.match(/table:display-filter-buttons="true"/);
    expect(content).to.match(/<table:table-header-rows>/);
  });

  it('gives the look of a column to the cells below the last row, without a page more', async () => {
    const sheets: Sheet[] = [{ rows: [['x']], columns: [{ border: {}, background: '#EEEEEE', format: 'integer' }] }];
    const { bytes } = await bench.convert(flat('xlsx', sheets), 'fods', 'xlsx');
    expect(zipEntry(bytes, 'xl/worksheets/sheet1.xml')).to.match(/<col [^>]*style="[1-9]\d*"/);
    expect((await bench.convert(flat('pdf', sheets), 'fods', 'pdf')).pages).to.equal(1);
  });
});

type Cells = Map<string, { value: string | undefined; formula: string | undefined; code: string; type: string }>;

/** The cells of the first sheet by their names. */
function readCells(book: (name: string) => string): Cells {
  const texts = [...book('xl/sharedStrings.xml').matchAll(/<si>(.*?)<\/si>/gs)].map(([, item = '']) =>
    plain([...item.matchAll(/<t[^>]*>(.*?)<\/t>/gs)].map(([, text]) => text).join('')),
  );
  const styles = book('xl/styles.xml');
  const codes = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id, code]),
  );
  const looks = [...(/<cellXfs.*?<\/cellXfs>/s.exec(styles)?.[0] ?? '').matchAll(/<xf numFmtId="(\d+)"/g)].map(
    ([, id]) => id,
  );
  const cells: Cells = new Map();
  const sheet = book('xl/worksheets/sheet1.xml');
  for (const [, name = '', look, type = 'n', content = ''] of sheet.matchAll(
    /<c r="([A-Z]+\d+)" s="(\d+)"(?: t="(\w+)")?>(.*?)<\/c>/gs,
  )) {
    const value = /<v>(.*?)<\/v>/s.exec(content)?.[1];
    cells.set(name, {
      value: type === 's' ? texts[Number(value)] : value && plain(value),
      formula: found(/<f[^>]*>(.*?)<\/f>/s.exec(content)?.[1]),
      code: plain(codes.get(looks[Number(look)]) ?? ''),
      type,
    });
  }
  return cells;
}

function found(text: string | undefined): string | undefined {
  return text === undefined ? undefined : plain(text);
}

function plain(xml: string): string {
  const entities: Record<string, string> = {
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    amp: '&',
    '#9': '\t',
    '#10': '\n',
  };
  return xml.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
