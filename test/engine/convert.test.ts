import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { getTargets, type SourceFormat, type TargetFormat } from '../../cmd/docbuilder/formats.ts';
import { FORMULA_DOCX, FORMULA_TEXT } from '../support/formula.ts';
import { fodp, fods, fodt, formula, paragraph, pdfText, row, slide, textTable, useBench, zipEntry } from './support.ts';

const SEEDS = {
  text: ['fodt', fodt(paragraph('Tiếng Việt: thế giới') + textTable('ô bảng') + paragraph('cuối'))],
  sheet: ['fods', fods(`${row('Tên', 2)}<table:table-row>${formula('20+22')}</table:table-row>`)],
  slides: ['fodp', fodp(slide('Trang một') + slide('Trang hai'))],
} as const;

/** How files of a format begin, where they are no packages. */
const BEGINNINGS: Partial<Record<TargetFormat, string>> = {
  ...{ pdf: '%PDF', rtf: '{\\rt', doc: '\xd0\xcf\x11\xe0', xls: '\xd0\xcf\x11\xe0', ppt: '\xd0\xcf\x11\xe0' },
  ...{ txt: 'Tiế', csv: 'Tên' },
};
const RELATIONS = 'word/_rels/document.xml.rels';

describe('engine: conversions', function () {
  this.timeout(30_000);
  const bench = useBench();

  for (const [family, [seed, content]] of Object.entries(SEEDS)) {
    it(`${family}: every target from the flat source, and every target from each of those results`, async () => {
      const sources = new Map<SourceFormat, string | Buffer>([[seed, content]]);
      for (const to of getTargets(seed)) {
        const made = await bench.convert(content, seed, to);
        const beginning = BEGINNINGS[to] ?? 'PK\x03\x04';
        const readings = [made.text, made.bytes.toString('latin1')];
        expect(
          readings.some((text) => text.startsWith(beginning)),
          to,
        ).to.equal(true);
        expect(made.pages, to).to.equal(family === 'slides' ? 2 : 1);
        if (to !== 'pdf') sources.set(to, made.bytes);
      }
      for (const [from, source] of sources) {
        const made = await bench.convert(source, from, 'pdf');
        expect(made.pages, from).to.equal(family === 'slides' ? 2 : 1);
        expect(pdfText(made.path), from).to.match(/thế giới|Tên|Trang hai/);
      }
    });
  }

  it('a template keeps who made it, and when', async () => {
    const said =
      '<meta:initial-creator>Lan</meta:initial-creator><meta:creation-date>2020-01-02T03:04:05</meta:creation-date>';
    const meta = `<office:meta xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0">${said}</office:meta>`;
    for (const [family, to, template] of [
      ['text', 'odt', 'ott'],
      ['sheet', 'ods', 'ots'],
      ['slides', 'odp', 'otp'],
    ] as const) {
      const [flat, content] = SEEDS[family];
      const packed = await bench.convert(content.replace('<office:body>', `${meta}<office:body>`), flat, to);
      const { bytes } = await bench.convert(packed.bytes, template, to);
      expect(zipEntry(bytes, 'meta.xml'), template).to.include('>Lan<').and.include('>2020-01-02T03:04:05');
    }
  });

  it('a formula is drawn, and stays one', async () => {
    let [format, bytes]: [TargetFormat & SourceFormat, Buffer] = ['docx', FORMULA_DOCX];
    for (const to of ['odt', 'rtf', 'docx'] as const) {
      expect(pdfText((await bench.convert(bytes, format, 'pdf')).path), format).to.match(FORMULA_TEXT);
      [format, bytes] = [to, (await bench.convert(bytes, format, to)).bytes];
    }
    expect(zipEntry(bytes, 'word/document.xml')).to.include('<m:f>');
  });

  it('documents with comments and tracked changes, which have windows of their own in an editor', async () => {
    const restarts = bench.restarts();
    const comment =
      '<office:annotation><dc:creator>Lan</dc:creator><dc:date>2026-01-02T03:04:05</dc:date><text:p>Nhận xét</text:p></office:annotation>';
    const changes = `<text:tracked-changes><text:changed-region text:id="c1"><text:insertion><office:change-info>
      <dc:creator>Lan</dc:creator><dc:date>2026-01-02T03:04:05</dc:date></office:change-info></text:insertion></text:changed-region></text:tracked-changes>`;
    const source = fodt(
      `${changes}<text:p>Câu một${comment}</text:p><text:p><text:change-start text:change-id="c1"/>Câu hai<text:change-end text:change-id="c1"/></text:p>`,
    );
    for (const format of ['odt', 'docx', 'doc', 'rtf'] as const) {
      const { bytes } = await bench.convert(source, 'fodt', format);
      const image = { page: 1, width: 64, height: 64 };
      const [pdf] = await bench.make(bytes, format, [{ to: 'pdf' }, { to: 'png', image }, { to: 'odt' }]);
      expect(pdf.pages, format).to.equal(1);
      expect(pdfText(pdf.path), format).to.match(/Câu một\s+Câu hai/);
    }
    expect(bench.restarts()).to.equal(restarts);
  });

  it('pages of a PDF are the ones asked for', async () => {
    const slides = fodp(['một', 'hai', 'ba', 'bốn'].map(slide).join(''));
    const made = await bench.convert(slides, 'fodp', 'pdf', { pages: '2-3' });
    expect(made.pages).to.equal(2);
    expect(pdfText(made.path)).to.include('hai').and.not.include('bốn');
  });

  it('pdfa makes PDF/A-2b, and only that is tagged', async () => {
    const plain = await bench.convert(fodt(paragraph('x')), 'fodt', 'pdf');
    const archive = await bench.convert(fodt(paragraph('x')), 'fodt', 'pdf', { pdfa: true });
    expect(archive.text)
      .to.match(/<pdfaid:part>2<\/pdfaid:part>/)
      .and.match(/<pdfaid:conformance>B</);
    expect(plain.text).not.to.include('pdfaid:part');
    expect(plain.text).not.to.include('/StructTreeRoot');
    expect(archive.text).to.include('/StructTreeRoot');
    expect(archive.pages).to.equal(1);
  });

  it('text comes with a line feed after each paragraph, also when the document ends in a table', async () => {
    expect((await bench.convert(fodt(paragraph('một') + paragraph('hai')), 'fodt', 'txt')).text).to.equal('một\nhai\n');
    const docx = await bench.convert(fodt(paragraph('đầu') + textTable('trong bảng')), 'fodt', 'docx');
    const made = await bench.convert(docx.bytes, 'docx', 'txt', { signal: AbortSignal.timeout(8_000) });
    expect(made.text).to.match(/^đầu\ntrong bảng\n+$/);
  });

  it('text and csv are written in the character set asked for', async () => {
    const source = fodt(paragraph('Thế giới'));
    const utf16 = await bench.convert(source, 'fodt', 'txt', { encoding: 'utf-16le' });
    expect(utf16.bytes.toString('utf16le')).to.equal('\uFEFFThế giới\n');
    const vietnamese = await bench.convert(source, 'fodt', 'txt', { encoding: 'windows-1258' });
    expect(new TextDecoder('windows-1258').decode(vietnamese.bytes).normalize('NFC')).to.equal('Thế giới\n');
    const csv = await bench.convert(fods(row('ế', 1.5)), 'fods', 'csv', { encoding: 'utf-16be', delimiter: ';' });
    expect(new TextDecoder('utf-16be').decode(csv.bytes).trim()).to.equal('ế;1.5');
  });

  it('csv: one file with the first sheet, separator as asked for, values not formulas', async () => {
    const made = await bench.convert(SEEDS.sheet[1], 'fods', 'csv', { delimiter: '\t' });
    expect(made.text).to.equal('Tên\t2\n42\t\n');
  });

  it('a csv source keeps quoted fields as text and calculates nothing', async () => {
    const made = await bench.convert('"007";=1+1;2,5\n1.5;x;2024-01-31\n', 'csv', 'csv', { delimiter: ';' });
    expect(made.text).to.equal('007,=1+1,"2,5"\n1.5,x,2024-01-31\n');
  });

  it('frozen panes survive from spreadsheet to spreadsheet', async () => {
    const frozen = `<office:settings><config:config-item-set xmlns:config="urn:oasis:names:tc:opendocument:xmlns:config:1.0" config:name="ooo:view-settings"><config:config-item-map-indexed config:name="Views"><config:config-item-map-entry><config:config-item config:name="ViewId" config:type="string">view1</config:config-item><config:config-item-map-named config:name="Tables"><config:config-item-map-entry config:name="Bảng 1"><config:config-item config:name="HorizontalSplitMode" config:type="short">0</config:config-item><config:config-item config:name="VerticalSplitMode" config:type="short">2</config:config-item><config:config-item config:name="VerticalSplitPosition" config:type="int">1</config:config-item><config:config-item config:name="PositionBottom" config:type="int">1</config:config-item></config:config-item-map-entry></config:config-item-map-named></config:config-item-map-entry></config:config-item-map-indexed></config:config-item-set></office:settings>`;
    const xlsx = await bench.convert(fods(row('a', 1) + row('b', 2), frozen), 'fods', 'xlsx');
    expect(zipEntry(xlsx.bytes, 'xl/worksheets/sheet1.xml')).to.match(/<pane [^>]*state="frozen"/);
    const [ods, pdf] = await bench.make(xlsx.bytes, 'xlsx', [{ to: 'ods' }, { to: 'pdf' }]);
    expect(zipEntry(ods.bytes, 'settings.xml')).to.match(/"VerticalSplitMode"[^>]*>2</);
    expect(pdf?.pages).to.equal(1);
  });

  it('names may be long and have any letters', async () => {
    for (const stem of ['báo cáo quý 1', 'đ'.repeat(60), 'b#c%41', "'"]) {
      expect((await bench.convert(SEEDS.sheet[1], 'fods', 'csv', { stem })).text, stem).to.include('42');
      expect((await bench.convert(fodt(paragraph('x')), 'fodt', 'pdf', { stem })).pages, stem).to.equal(1);
    }
  });

  it('fields with the file name show it, and not where the file is while it is converted', async () => {
    const shows = ['full', 'path', 'name', 'name-and-extension'].map(
      (display) => `<text:file-name text:display="${display}">x</text:file-name>`,
    );
    const fixed = '<text:file-name text:display="full" text:fixed="true">D:\\cũ.doc</text:file-name>';
    const text = fodt([...shows, fixed].map(paragraph).join(''));
    const cell = `<table:table-row>${formula('CELL(&quot;filename&quot;)')}</table:table-row>`;
    const cases: [SourceFormat, string | Buffer, string[]][] = [
      ['fodt', text, ['/quý 1.fodt', '/', 'quý 1', 'quý 1.fodt', 'D:\\cũ.doc']],
      ['fodp', fodp(slide('S').replace('>S<', `>${shows.join(' | ')}<`)), ['/quý 1.fodp | / | quý 1 | quý 1.fodp']],
      ['fods', fods(cell), ["'file:///quý 1.fods'#$Bảng 1"]],
    ];
    for (const to of ['docx', 'doc', 'odt', 'rtf'] as const) {
      const { bytes } = await bench.convert(text, 'fodt', to, { stem: 'quý 1' });
      expect(bytes.toString('latin1'), to).to.not.include('/jobs/');
      cases.push([to, bytes, [`/quý 1.${to}`]]);
    }
    for (const [from, content, shown] of cases) {
      const lines = pdfText((await bench.convert(content, from, 'pdf', { stem: 'quý 1' })).path).split('\n');
      expect(lines, from).to.include.members(shown);
      expect(lines.join(), from).to.not.include('jobs');
    }
    const odd = await bench.convert(fodt(paragraph(shows[3] as string)), 'fodt', 'pdf', { stem: 'Số 1 #50%' });
    expect(pdfText(odd.path)).to.include('Số 1 #50%.fodt');
  });

  it('links to files beside a document stay such', async () => {
    const link = '<text:a xlink:href="https://a.vn/">phụ lục</text:a>';
    const parts = unzipSync((await bench.convert(fodt(paragraph(link)), 'fodt', 'docx')).bytes);
    const relations = strFromU8(parts[RELATIONS] ?? new Uint8Array()).replace('https://a.vn/', '../phu/luc.pdf');
    const docx = Buffer.from(zipSync({ ...parts, [RELATIONS]: strToU8(relations) }));
    for (const between of ['docx', 'odt', 'doc'] as const) {
      const made = await bench.convert(docx, 'docx', between);
      const again = await bench.convert(made.bytes, between, 'docx');
      expect(zipEntry(again.bytes, RELATIONS), between).to.include('hyperlink" Target="../phu/luc.pdf"');
    }
    const beside = zipSync({ ...parts, [RELATIONS]: strToU8(relations.replace('../phu/', 'phu/')) });
    const pdf = await bench.convert(Buffer.from(beside), 'docx', 'pdf');
    expect(pdf.bytes.toString('latin1')).to.include('/URI(phu/luc.pdf)');
  });

  it('who opens a result is asked before its links are updated, as with LibreOffice itself', async () => {
    const { bytes } = await bench.convert(fodt(paragraph('phụ lục')), 'fodt', 'odt');
    expect(zipEntry(bytes, 'settings.xml')).to.match(/"LinkUpdateMode"[^>]*>1</);
  });
});
