import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ooxml, SENTENCE } from '../../scripts/support/documents.ts';
import type { ExtractedMeta, ExtractedText, Job } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { fods } from '../engine/support.ts';
import { secret } from '../support/logs.ts';
import { form, readError, sharedEnterprise, startService, useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

const MARKER = secret('Công văn mật số 42');
const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RTF = Buffer.from('{\\rtf1\\ansi Cong van\\par}', 'latin1');

describe('POST /v1/extract', () => {
  const service = useStarted(sharedEnterprise);

  const post = (what: string, file: Uint8Array, name: string, fields = {}, headers = {}) =>
    service.call(`/v1/extract/${what}`, { method: 'POST', body: form(file, name, fields), headers });

  const json = async <Body>(what: string, file: Uint8Array | string, name: string) =>
    (await (await post(what, Buffer.from(file), name)).json()) as Body;
  const extracted = (file: Uint8Array | string, name: string) => json<ExtractedText>('text', file, name);

  it('text: JSON with parts as its schema says: rows with tabs of sheets and csv, slides', async () => {
    const response = await post('text', ooxml('docx', { paragraphs: 3 }), 'Công văn.docx');
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const text = (await response.json()) as ExtractedText;
    expect(validator('extracted-text.json')(text)).to.have.property('ok', true);
    expect(text.text).to.contain(SENTENCE);
    expect((await extracted('tên;giá\nbút;5000\n', 'a.csv')).parts[0]?.text).to.equal('tên\tgiá\nbút\t5000');
    expect(await extracted(ooxml('xlsx', { rows: 3 }), 'a.xlsx')).to.include({ family: 'sheet' });
    const { parts } = await extracted(ooxml('pptx', { slides: 2 }), 'a.pptx');
    expect(parts.filter(({ kind }) => kind === 'slide')).to.have.length(2);
  });

  it('text: plain when asked for, by Accept or by format', async () => {
    for (const [fields, headers] of [
      [{}, { Accept: 'text/plain' }],
      [{}, { Accept: 'text/plain;charset=UTF-8' }],
      [{ format: 'text' }, {}],
    ] as const) {
      const response = await post('text', Buffer.from(`${MARKER}\n`), 'a.txt', fields, headers);
      expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect((await response.text()).trim()).to.equal(MARKER);
    }
  });

  it('text: labels, metafiles, numbers of pages and choices of drop-down lists, as the page shows them', async () => {
    const shown = await extracted(readFileSync(join(import.meta.dirname, 'shown.fodt')), 'a.fodt');
    expect(shown.text.split('\n')).to.deep.equal([
      ...['Lời nói đầu', 'I. Điều khoản', '1) một', '\ta) nhánh', '2) hai', 'giữa', '3) ba'],
      ...['', 'Việt', 'Doanh thu', 'Trang 2/2'],
    ]);
    const form = '{\\*\\formfield{\\fftype2\\ffres1\\fftypetxt0{\\*\\ffl Hue}{\\*\\ffl Da Lat}}}';
    const rtf = `{\\rtf1\\ansi Noi: {\\field{\\*\\fldinst FORMDROPDOWN ${form}}{\\fldrslt}}\\par}`;
    expect((await extracted(rtf, 'a.rtf')).text.trim()).to.equal('Noi: Da Lat');
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

  it('text: what is more than a file may be is file_too_large, also where it would be longer than a string can be', async function () {
    this.timeout(60_000);
    // 30,000 characters in 1000 cells of 9 rows: 270 MB, and twice that as JSON.
    const cell = `<table:table-cell office:value-type="string" table:number-columns-repeated="1000"><text:p>${'x'.repeat(30_000)}</text:p></table:table-cell>`;
    const sheet = Buffer.from(fods(`<table:table-row>${cell}</table:table-row>`.repeat(9)));
    expect(await readError(await post('text', sheet, 'a.fods'))).to.deep.equal({
      status: 413,
      code: 'file_too_large',
      detail: { limit_mb: 300, subject: 'output' },
    });
  });

  it('meta: as its schema says; a file without times has none', async () => {
    const meta = await json<ExtractedMeta>('meta', ooxml('docx', { paragraphs: 3 }), 'a.docx');
    expect(validator('extracted-meta.json')(meta)).to.have.property('ok', true);
    expect(meta).to.include({ format: 'docx', family: 'text', encrypted: false, macros: false, pages: 1 });
    const sheet = await json('meta', ooxml('xlsm', { rows: 3 }), 'a.xlsm');
    expect(sheet).to.include({ format: 'xlsm', family: 'sheet', macros: true });
    for (const [name, content] of Object.entries({ 'a.csv': 'a,b', 'a.txt': 'a', 'a.rtf': RTF })) {
      const times = { created_at: null, modified_at: null, printed_at: null };
      expect(await json('meta', content, name), name).to.include(times);
    }
  });

  it('thumbnail: in each format', async () => {
    const signatures = { png: /^89504e47/, jpeg: /^ffd8ff/, webp: /^52494646.{8}57454250/ };
    for (const [format, signature] of Object.entries(signatures)) {
      const response = await post('thumbnail', ooxml('docx', { paragraphs: 3 }), 'Công văn.docx', { format });
      expect(response.headers.get('content-type')).to.equal(`image/${format}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.subarray(0, 12).toString('hex')).to.match(signature);
    }
  });

  it('thumbnail: of a page, in a box', async () => {
    const deck = ooxml('pptx', { slides: 3 });
    const response = await post('thumbnail', deck, 'a.pptx', { page: '2', width: '160' });
    const png = Buffer.from(await response.arrayBuffer());
    expect(png.readUInt32BE(16)).to.equal(160);
    const error = await readError(await post('thumbnail', deck, 'a.pptx', { page: '9' }));
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
      const error = await readError(await post(what, RTF, 'a.rtf', fields));
      expect(error).to.include({ status: 400, code: 'bad_request' });
      expect(error.detail['errors']).to.have.nested.property('[0].path', path);
    });
  }
});

describe('POST /v1/extract where files may have 1 MB', () => {
  const service = useService(() => startService({ SVC_DOCBUILDER_MAX_FILE_MB: '1' }));

  it('takes a sheet that is much larger once LibreOffice has unpacked it', async function () {
    this.timeout(60_000);
    // 50,000 cells: less than 200 kB, and 5 MB as flat OpenDocument.
    const sheet = ooxml('xlsx', { rows: 2_500, columns: 20 });
    const post = async (what: string, fields = {}) => {
      const answer = await service.call(`/v1/extract/${what}`, { method: 'POST', body: form(sheet, 'a.xlsx', fields) });
      expect(answer.status, what).to.equal(200);
      return answer;
    };
    const lines = (await (await post('text', { format: 'text' })).text()).trimEnd().split('\n');
    expect(lines.at(-1)).to.match(/^Dòng 2500\t5000\t.*\t50000$/);
    expect(await (await post('meta')).json()).to.include({ family: 'sheet', sheets: 1 });
  });
});
