import { expect } from 'chai';
import { ooxml, SENTENCE } from '../../scripts/support/documents.ts';
import type { ExtractedMeta, ExtractedText, Job } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { fods, fodt, paragraph } from '../engine/support.ts';
import { secret } from '../support/logs.ts';
import { emf, wmf } from '../support/metafiles.ts';
import { slidesWithVideo } from '../support/open-documents.ts';
import { errorOf, form, startEnterprise, type TestService } from '../support/service.ts';

const MARKER = secret('Công văn mật số 42');
const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RTF = Buffer.from('{\\rtf1\\ansi Cong van\\par}', 'latin1');

describe('POST /v1/extract', () => {
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(() => service.stop());

  const post = (what: string, file: Uint8Array, name: string, fields = {}, headers = {}) =>
    service.call(`/v1/extract/${what}`, { method: 'POST', body: form(file, name, fields), headers });

  it('text: JSON with parts, as its schema says', async () => {
    const response = await post('text', ooxml('docx', { paragraphs: 3 }), 'Công văn.docx');
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const text = (await response.json()) as ExtractedText;
    expect(validator('extracted-text.json')(text)).to.have.property('ok', true);
    expect(text.text).to.contain(SENTENCE);
  });

  it('text: plain when asked for, by Accept or by format', async () => {
    for (const [fields, headers] of [
      [{}, { Accept: 'text/plain' }],
      [{ format: 'text' }, {}],
    ] as const) {
      const response = await post('text', Buffer.from(`${MARKER}\n`), 'a.txt', fields, headers);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect((await response.text()).trim()).to.equal(MARKER);
    }
  });

  it('text: of a spreadsheet and a csv, rows with tabs', async () => {
    const csv = (await (await post('text', Buffer.from('tên;giá\nbút;5000\n'), 'a.csv')).json()) as ExtractedText;
    expect(csv.parts[0]?.text).to.equal('tên\tgiá\nbút\t5000');
    const xlsx = (await (await post('text', ooxml('xlsx', { rows: 3 }), 'a.xlsx')).json()) as ExtractedText;
    expect(xlsx).to.include({ family: 'sheet' });
    const pptx = (await (await post('text', ooxml('pptx', { slides: 2 }), 'a.pptx')).json()) as ExtractedText;
    expect(pptx.parts.filter(({ kind }) => kind === 'slide')).to.have.length(2);
  });

  const extracted = async (file: Uint8Array | string, name: string) =>
    (await (await post('text', Buffer.from(file), name)).json()) as ExtractedText;

  it('text: the labels of list items and headings, as the page shows them', async () => {
    const level = (number: number, more: string) =>
      `<text:list-level-style-number text:level="${number}" style:num-format="${more}" style:num-suffix=")"/>`;
    const heading = (title: string, style = 'Heading_20_1') =>
      `<text:h text:style-name="${style}" text:outline-level="1">${title}</text:h>`;
    const style = (name: string, more: string) =>
      `<style:style style:name="${name}" style:family="paragraph" ${more}/>`;
    const named = style('Heading_20_1', 'style:display-name="Heading 1" style:default-outline-level="1"');
    const plain = style('P', 'style:parent-style-name="Heading_20_1" style:list-style-name=""');
    const head = `<office:styles>${named}<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/></text:outline-style></office:styles><office:automatic-styles>${plain}<text:list-style style:name="L">${level(1, '1')}${level(2, 'a')}</text:list-style></office:automatic-styles>`;
    const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
    const list = (inner: string, more = '') => `<text:list text:style-name="L"${more}>${inner}</text:list>`;
    const title = heading('Lời nói đầu', 'P') + heading('Điều khoản');
    const again = list(item(paragraph('ba')), ' text:continue-numbering="true"');
    const body = `${title}${list(item(paragraph('một') + list(item(paragraph('nhánh')))) + item(paragraph('hai')))}${paragraph('giữa')}${again}`;
    const { parts } = await extracted(fodt(body, head), 'a.fodt');
    expect(parts[0]?.text.split('\n')).to.deep.equal([
      ...['Lời nói đầu', 'I. Điều khoản', '1) một', '\ta) nhánh', '2) hai', 'giữa', '3) ba'],
    ]);
  });

  it('text: what metafiles write, and what is chosen in a drop-down list, as the page shows them', async () => {
    const picture = (bytes: Buffer) =>
      `<draw:frame text:anchor-type="as-char" svg:width="3cm" svg:height="3cm"><draw:image><office:binary-data>${bytes.toString('base64')}</office:binary-data></draw:image></draw:frame>`;
    const older = wmf([{ text: Uint8Array.of(0x56, 0x69, 0xea, 0xf2, 0x74), charset: 163, x: 9, y: 90 }], true);
    const drawings = [older, emf([{ text: 'Doanh thu', x: 9, y: 90 }])];
    const body = paragraph(drawings.map(picture).join('')) + paragraph('sau');
    expect((await extracted(fodt(body), 'a.fodt')).text).to.equal('Việt\nDoanh thu\nsau');
    const form = '{\\*\\formfield{\\fftype2\\ffres1\\fftypetxt0{\\*\\ffl Hue}{\\*\\ffl Da Lat}}}';
    const rtf = `{\\rtf1\\ansi Noi: {\\field{\\*\\fldinst FORMDROPDOWN ${form}}{\\fldrslt}}\\par}`;
    expect((await extracted(rtf, 'a.rtf')).text.trim()).to.equal('Noi: Da Lat');
  });

  it('text: the numbers of pages, as the page shows them', async () => {
    const [number, count] = ['page-number', 'page-count'].map((name) => `<text:${name}>9</text:${name}>`);
    const next =
      '<style:style style:name="N" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>';
    const head = `<office:automatic-styles>${next}</office:automatic-styles>`;
    const body = `${paragraph('một')}<text:p text:style-name="N">Trang ${number}/${count}</text:p>`;
    expect((await extracted(fodt(body, head), 'a.fodt')).text).to.equal('một\nTrang 2/2');
  });

  it('text: of a workbook of hidden sheets only: the first is shown, as in its PDF', async () => {
    const hidden = (name: string) => `<sheet state="hidden" name="${name}" sheetId="1" r:id="rId1"/>`;
    const names = `xmlns="${SPREADSHEET}/main" xmlns:r="${RELATIONSHIPS}"`;
    const workbook = `<workbook ${names}><sheets>${hidden('A')}${hidden('B')}</sheets></workbook>`;
    const xlsx = ooxml('xlsx', { rows: 1 }, { 'xl/workbook.xml': workbook });
    const { parts } = await extracted(xlsx, 'a.xlsx');
    expect(parts.map(({ name, hidden }) => [name, hidden])).to.deep.equal([
      ['A', false],
      ['B', true],
    ]);
    const converted = await service.convert(xlsx, 'a.xlsx', { to: 'pdf' }, { Accept: 'application/json' });
    const job = (await converted.json()) as Job;
    expect(job.outputs[0]?.pages).to.equal(1);
  });

  it('text and metadata: of slides with a video', async () => {
    const deck = slidesWithVideo('Trước phim');
    expect((await extracted(deck, 'a.odp')).text).to.equal('Slide 1\nTrước phim');
    const meta = (await (await post('meta', deck, 'a.odp')).json()) as ExtractedMeta;
    expect(meta).to.include({ slides: 1, modified_at: null });
  });

  it('text: what is more than a file may be is file_too_large, also where it would be longer than a string can be', async function () {
    this.timeout(60_000);
    // 30,000 characters in 1000 cells of 9 rows: 270 MB, and twice that as JSON.
    const cell = `<table:table-cell office:value-type="string" table:number-columns-repeated="1000"><text:p>${'x'.repeat(30_000)}</text:p></table:table-cell>`;
    const sheet = Buffer.from(fods(`<table:table-row>${cell}</table:table-row>`.repeat(9)));
    expect(await errorOf(await post('text', sheet, 'a.fods'))).to.deep.equal({
      status: 413,
      code: 'file_too_large',
      detail: { limit_mb: 300, subject: 'output' },
    });
  });

  it('meta: a file without times has none', async () => {
    for (const [name, content] of Object.entries({ 'a.csv': 'a,b', 'a.txt': 'a', 'a.rtf': RTF })) {
      const meta = (await (await post('meta', Buffer.from(content), name)).json()) as ExtractedMeta;
      expect(meta, name).to.include({ created_at: null, modified_at: null, printed_at: null });
    }
  });

  it('meta: as its schema says', async () => {
    const response = await post('meta', ooxml('docx', { paragraphs: 3 }), 'a.docx');
    const meta = (await response.json()) as ExtractedMeta;
    expect(validator('extracted-meta.json')(meta)).to.have.property('ok', true);
    expect(meta).to.include({ format: 'docx', family: 'text', encrypted: false, macros: false, pages: 1 });
    const sheet = (await (await post('meta', ooxml('xlsm', { rows: 3 }), 'a.xlsm')).json()) as ExtractedMeta;
    expect(sheet).to.include({ format: 'xlsm', family: 'sheet', macros: true });
  });

  const signatures: Record<string, RegExp> = { png: /^89504e47/, jpeg: /^ffd8ff/, webp: /^52494646.{8}57454250/ };
  for (const [format, signature] of Object.entries(signatures)) {
    it(`thumbnail: ${format}`, async () => {
      const response = await post('thumbnail', ooxml('docx', { paragraphs: 3 }), 'Công văn.docx', { format });
      expect(response.headers.get('content-type')).to.equal(`image/${format}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.subarray(0, 12).toString('hex')).to.match(signature);
    });
  }

  it('thumbnail: of a page, in a box', async () => {
    const deck = ooxml('pptx', { slides: 3 });
    const response = await post('thumbnail', deck, 'a.pptx', { page: '2', width: '160' });
    const png = Buffer.from(await response.arrayBuffer());
    expect(png.readUInt32BE(16)).to.equal(160);
    const error = await errorOf(await post('thumbnail', deck, 'a.pptx', { page: '9' }));
    expect(error).to.include({ status: 400, code: 'bad_request' });
    expect(error.detail['errors']).to.have.nested.property('[0].path', '/page');
  });

  it('async as well, each under its kind', async () => {
    for (const kind of ['text', 'meta', 'thumbnail']) {
      const response = await post(kind, RTF, 'a.rtf', { async: 'true' });
      expect(response.status).to.equal(202);
      const job = await service.ended(((await response.json()) as Job).id);
      expect(job).to.include({ kind, status: 'done' });
      const file = await service.call(new URL(job.outputs[0]?.url ?? '').pathname);
      expect((await file.arrayBuffer()).byteLength).to.equal(job.outputs[0]?.size);
    }
  });

  const mistakes: [string, string, Record<string, string>, string][] = [
    ['text', 'an unknown format', { format: 'html' }, '/format'],
    ['text', 'an option of another endpoint', { page: '1' }, '/page'],
    ['meta', 'an unknown field', { options: '{}' }, '/options'],
    ['thumbnail', 'a page that is no number', { page: 'first' }, '/page'],
    ['thumbnail', 'page 0', { page: '0' }, '/page'],
    ['thumbnail', 'a box of nothing', { width: '0' }, '/width'],
    ['thumbnail', 'a wall', { height: '100000' }, '/height'],
  ];
  for (const [what, mistake, fields, path] of mistakes) {
    it(`${what}, ${mistake}: bad_request at ${path}`, async () => {
      const error = await errorOf(await post(what, RTF, 'a.rtf', fields));
      expect(error).to.include({ status: 400, code: 'bad_request' });
      expect(error.detail['errors']).to.have.nested.property('[0].path', path);
    });
  }

  it('bad sources get the same errors as in a conversion', async () => {
    for (const what of ['text', 'meta', 'thumbnail']) {
      expect(await errorOf(await post(what, Buffer.from('x'), 'a.docx'))).to.include({ code: 'corrupt_source' });
      expect(await errorOf(await post(what, Buffer.from('%PDF-1.7\n'), 'a.pdf'))).to.include({
        code: 'unsupported_format',
      });
    }
  });
});
