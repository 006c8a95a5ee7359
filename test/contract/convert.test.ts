import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import { validator } from '../../src/common/schema.ts';
import { useCanary } from '../support/canary.ts';
import { secret } from '../support/logs.ts';
import { pdfText } from '../support/pdf.ts';
import { form, readError, sharedEnterprise, startService, type TestService, useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

const MARKER = secret('Biên bản họp số mật');
const RTF = Buffer.from(`{\\rtf1\\ansi\\uc0 Bi\\u234 n b\\u7843 n h\\u7885 p s\\u7889  m\\u7853 t\\par}`, 'latin1');
const CSV = 'tên,giá\nBút chì,5000\nThước kẻ,12000\n';

describe('POST /v1/convert', () => {
  const service = useStarted(sharedEnterprise);
  const source = useCanary(({ url }, response) => {
    if (url === '/missing') response.writeHead(404).end();
    else response.setHeader('Content-Disposition', 'attachment; filename="from-afar.rtf"').end(RTF);
  });
  const allowed = useService(() => startService({ SVC_FETCH_ALLOW_HOSTS: `127.0.0.1:${source.port}` }));

  it('answers with the converted file and its Vietnamese name', async () => {
    const response = await service.convert(RTF, 'Biên bản.rtf', { to: 'pdf' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    expect(response.headers.get('content-disposition')).to.equal(
      `attachment; filename="Bien ban.pdf"; filename*=UTF-8''Bi%C3%AAn%20b%E1%BA%A3n.pdf`,
    );
    expect(response.headers.get('x-svc-job-id')).to.match(/^job_[0-9a-f]{24}$/);
    expect(response.headers.get('server-timing')).to.match(/^queue;dur=[\d.]+, engine;dur=[\d.]+$/);
    expect(await pdfText(await bytes(response))).to.contain(MARKER);
  });

  it('answers with the job object when only JSON is accepted, not beside everything else', async () => {
    const response = await service.convert(RTF, 'a.rtf', { to: 'odt' }, { Accept: 'application/json;charset=UTF-8' });
    const job = (await response.json()) as Job;
    expect(validator('job.json')(job)).to.have.property('ok', true);
    expect(job).to.include({ kind: 'convert', status: 'done', error: null, callback: null });
    expect(job.outputs[0]).to.include({ filename: 'a.odt', format: 'odt', pages: 1 });
    const content = await bytes(await service.call(new URL(job.outputs[0]?.url ?? '').pathname));
    expect(createHash('sha256').update(content).digest('hex')).to.equal(job.outputs[0]?.sha256);
    expect(content.length).to.equal(job.outputs[0]?.size);
    const accept = { Accept: 'application/json, text/plain, */*' };
    const file = await service.convert(RTF, 'a.rtf', { to: 'pdf' }, accept);
    expect(file.headers.get('content-type')).to.equal('application/pdf');
  });

  it('async: 202, Location, then done', async () => {
    const response = await service.convert(RTF, 'a.rtf', { to: 'pdf', async: 'true' });
    expect(response.status).to.equal(202);
    const job = (await response.json()) as Job;
    expect(response.headers.get('location')).to.equal(`/v1/jobs/${job.id}`);
    expect(job.status).to.be.oneOf(['queued', 'running']);
    const done = await service.ended(job.id);
    expect(validator('job.json')(done)).to.have.property('ok', true);
    expect(done).to.include({ status: 'done' });
  });

  it('takes the parts in any order, options as JSON or as fields', async () => {
    const body = new FormData();
    body.append('options', '{"pages":"1","pdfa":true}');
    body.append('to', 'pdf');
    body.append('file', new Blob([RTF]), 'a.rtf');
    const json = await service.call('/v1/convert', { method: 'POST', body });
    expect((await bytes(json)).toString('latin1')).to.contain('pdfaid');
    const fields = await service.convert(RTF, 'a.rtf', { to: 'pdf', 'options.pdfa': 'true' });
    expect((await bytes(fields)).toString('latin1')).to.contain('pdfaid');
  });

  it('knows a file by its name also where a client encodes that (RFC 2047)', async () => {
    const disposition = `form-data; name="file"; filename="=?utf-8?B?xJDGoW4gaMOgbmcgw5/Dvy5jc3Y=?="; filename*=UTF-8''x.csv`;
    const body = `--b\r\nContent-Disposition: form-data; name="to"\r\n\r\nxlsx\r\n--b\r\nContent-Disposition: ${disposition}\r\n\r\n${CSV}\r\n--b--\r\n`;
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const response = await service.call('/v1/convert', { method: 'POST', body, headers });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-disposition')).to.contain(encodeURIComponent('Đơn hàng ßÿ.xlsx'));
  });

  it('reads csv in UTF-8, UTF-16 and windows-1258 alike', async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(CSV, 'utf16le')]);
    for (const content of [Buffer.from(CSV), utf16]) {
      const response = await service.convert(content, 'giá.csv', { to: 'xlsx' });
      expect(response.status).to.equal(200);
      const options = { 'options.delimiter': ';', 'options.encoding': 'utf-16le' };
      const back = await bytes(await service.convert(await bytes(response), 'giá.xlsx', { to: 'csv', ...options }));
      expect(back.toString('utf16le')).to.equal('\ufefftên;giá\nBút chì;5000\nThước kẻ;12000\n');
    }
    for (const [encoding, charset] of [
      ['utf-16be', 'utf-16'],
      ['windows-1258', 'windows-1258'],
    ] as const) {
      const written = await service.convert(RTF, 'a.rtf', { to: 'txt', 'options.encoding': encoding });
      expect(written.headers.get('content-type')).to.equal(`text/plain; charset=${charset}`);
      expect(new TextDecoder(encoding).decode(await bytes(written)).normalize()).to.contain(MARKER);
    }
    // "tên" in windows-1258: ê is 0xEA
    for (const [content, given] of [
      ['t\xean,1\n', {}],
      ['t\xean;1\n', { 'options.encoding': 'windows-1258', 'options.delimiter': ';' }],
    ] as const) {
      const read = await service.convert(Buffer.from(content, 'latin1'), 'a.csv', { to: 'csv', ...given });
      expect(await read.text()).to.equal('tên,1\n');
    }
  });

  it('makes the pictures of a PDF as fine as it is told', async () => {
    const drawn = form(RTF, 'a.rtf', { width: '2000', height: '2000' });
    const picture = await bytes(await service.call('/v1/extract/thumbnail', { method: 'POST', body: drawn }));
    const body = [{ type: 'image', base64: picture.toString('base64'), width: 100 }];
    const script = { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body };
    const docx = await bytes(await service.post('/v1/build', script));
    const size = async (resolution: string) =>
      (await bytes(await service.convert(docx, 'a.docx', { to: 'pdf', 'options.image_resolution': resolution })))
        .length;
    expect(await size('75')).to.be.below((await size('300')) / 2);
  });

  it('fetches a url', async () => {
    const send = (target: TestService, path: string, more = {}) =>
      target.post('/v1/convert', { url: `http://127.0.0.1:${source.port}${path}`, to: 'pdf', ...more });
    const ok = await send(allowed, '/x');
    expect(ok.status).to.equal(200);
    expect(ok.headers.get('content-disposition')).to.contain('from-afar.pdf');
    const missing = await readError(await send(allowed, '/missing'));
    expect(missing).to.include({ status: 422, code: 'download_failed' });
    expect(await readError(await send(service, '/x'))).to.include({ status: 422, code: 'url_not_allowed' });
    const later = (await (await send(allowed, '/missing', { async: true })).json()) as Job;
    expect((await allowed.ended(later.id)).error).to.include({ code: 'download_failed' });
  });

  const sent = (fields: Record<string, string>, file: Buffer | undefined = RTF) => form(file, 'a.rtf', fields);
  const table = (fields: Record<string, string>) => form(Buffer.from(CSV), 'a.csv', fields);
  const book = (fields: Record<string, string>) => form(ooxml('xlsx'), 'a.xlsx', fields);
  const both = { file: 'UEsDBA==', url: 'https://example.com/a.docx', to: 'pdf' };
  for (const [what, body, path] of [
    ['neither file nor url', form(undefined, '', { to: 'pdf' }), '/file'],
    ['a file that is text, beside a url', JSON.stringify(both), '/file'],
    ['no target', sent({}), '/to'],
    ['an unknown field', sent({ to: 'pdf', too: 'pdf' }), '/too'],
    ['an unknown option', sent({ to: 'pdf', 'options.page': '1' }), '/options/page'],
    ['options that are no object', sent({ to: 'pdf', options: '[]' }), '/options'],
    ['options that are no JSON', sent({ to: 'pdf', options: '{' }), '/options'],
    ['options of a wrong type', sent({ to: 'pdf', options: '{"pages":3}' }), '/options/pages'],
    ['an option that the target ignores', sent({ to: 'odt', 'options.pages': '1' }), '/options/pages'],
    ['PDF/A in another format', sent({ to: 'odt', 'options.pdfa': 'true' }), '/options/pdfa'],
    [
      'a resolution in another format',
      sent({ to: 'odt', 'options.image_resolution': '75' }),
      '/options/image_resolution',
    ],
    ['a delimiter without a csv', sent({ to: 'pdf', 'options.delimiter': ';' }), '/options/delimiter'],
    ['a character set without a text', sent({ to: 'pdf', 'options.encoding': 'utf-8' }), '/options/encoding'],
    ['pages that end before they begin', sent({ to: 'pdf', 'options.pages': '3-1' }), '/options/pages'],
    ['a letter that separates', table({ to: 'pdf', 'options.delimiter': 'x' }), '/options/delimiter'],
    ['a quote that separates', table({ to: 'pdf', 'options.delimiter': '"' }), '/options/delimiter'],
    ['a set that is only read', book({ to: 'csv', 'options.encoding': 'shift_jis' }), '/options/encoding'],
    ['async that is no boolean', sent({ to: 'pdf', async: 'maybe' }), '/async'],
    ['a file and a url', sent({ to: 'pdf', url: 'http://example.com/' }), '/url'],
  ] as const) {
    it(`${what}: bad_request at ${path}`, async () => {
      const headers = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
      const error = await readError(await service.call('/v1/convert', { method: 'POST', body, headers }));
      expect(error).to.include({ status: 400, code: 'bad_request' });
      expect(error.detail['errors']).to.have.nested.property('[0].path', path);
    });
  }

  it('refuses csv and sheets that would be cut off', async () => {
    const wide = Buffer.from(`${Array(16_385).fill('x').join(',')}\n`);
    const long = Buffer.from(`a,${'x'.repeat(32_768)}\n`);
    const tall = Buffer.from('x\n'.repeat(65_537));
    const sheet = await bytes(await service.convert(long, 'a.csv', { to: 'ods' }));
    const output = { subject: 'output' };
    for (const [file, name, to, detail] of [
      [wide, 'a.csv', 'xlsx', { reason: 'too_many_columns', limit_columns: 16_384 }],
      [long, 'a.csv', 'xlsx', { reason: 'too_long_cells', limit_characters: 32_767 }],
      [sheet, 'a.ods', 'xlsx', { ...output, reason: 'too_long_cells', limit_characters: 32_767 }],
      [tall, 'a.csv', 'xls', { ...output, reason: 'too_many_rows', limit_rows: 65_536 }],
    ] as const) {
      const error = await readError(await service.convert(file, name, { to }));
      expect(error).to.deep.equal({ status: 413, code: 'file_too_large', detail: { limit_mb: 300, ...detail } });
    }
  });

  it('keeps the digits of phone and account numbers in csv', async () => {
    const numbers = '0912345678,1234567890123456789,+84912345678,5,0.5\n';
    const workbook = await bytes(await service.convert(Buffer.from(numbers), 'a.csv', { to: 'xlsx' }));
    const back = await service.convert(workbook, 'a.xlsx', { to: 'csv' });
    expect((await back.text()).trim()).to.equal(numbers.trim());
  });

  it('shows all that is in a csv: the widest text of a column need not have the most letters', async () => {
    const phones = Buffer.from('name,iiiiiiiiiii,account\nLan,0912345678,1234567890123456789\nAn,WWWWWWWW,x\n');
    const text = await pdfText(await bytes(await service.convert(phones, 'a.csv', { to: 'pdf' })));
    for (const shown of ['0912345678', '1234567890123456789', 'WWWWWWWW']) expect(text).to.contain(shown);
  });

  it('calls the sheet of a csv as Excel lets it be called', async () => {
    const made = await service.convert(Buffer.from('a,b\n'), '[1] History.csv', { to: 'xlsx' });
    expect(made.headers.get('content-disposition')).to.contain('[1] History.xlsx');
    const parts = unzipSync(new Uint8Array(await made.arrayBuffer()));
    expect(strFromU8(parts['xl/workbook.xml'] ?? new Uint8Array())).to.contain('name="(1) History"');
  });

  it('refuses a pair across families and unknown formats', async () => {
    for (const detail of [{ from: 'rtf', to: 'xlsx', family: 'text' }, { to: 'tiff' }]) {
      const error = await readError(await service.convert(RTF, 'a.rtf', { to: detail.to }));
      expect(error).to.deep.equal({ status: 415, code: 'unsupported_format', detail });
    }
  });

  it('async: an address or a format that is not allowed is refused before 202, by every endpoint that fetches', async () => {
    const refusal = async (path: string, body: object) => readError(await service.post(path, { async: true, ...body }));
    for (const what of ['convert', 'extract/text', 'extract/meta', 'extract/thumbnail']) {
      for (const url of ['http://10.0.0.1/a.docx', 'file:///etc/passwd', 'http://169.254.169.254/']) {
        const error = await refusal(`/v1/${what}`, { url, ...(what === 'convert' && { to: 'pdf' }) });
        expect(error, what).to.include({ status: 422, code: 'url_not_allowed' });
      }
    }
    for (const [formats, detail] of [
      [{ to: 'tiff' }, { to: 'tiff' }],
      [{ to: 'pdf', from: 'tiff' }, { from: 'tiff' }],
    ] as const) {
      const error = await refusal('/v1/convert', { url: 'https://example.com/a', ...formats });
      expect(error).to.deep.include({ status: 415, code: 'unsupported_format', detail });
    }
  });
});

async function bytes(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}
