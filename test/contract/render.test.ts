import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { ooxml } from '../../scripts/support/documents.ts';
import type { DocbuilderLimits, Job } from '../../src/common/generated/wire.ts';
import { useCanary } from '../support/canary.ts';
import { secret } from '../support/logs.ts';
import { odf } from '../support/open-documents.ts';
import {
  readError,
  sharedEnterprise,
  startEnterprise,
  startService,
  type TestService,
  useService,
} from '../support/service.ts';
import { docxTemplate, p } from '../support/templates.ts';
import { useStarted } from '../support/use-started.ts';

const NAME = secret('Nguyễn Thị Bí Mật');

type Part = [name: string, content: Uint8Array | string, filename?: string];

function post(service: TestService, ...parts: Part[]): Promise<Response> {
  const body = new FormData();
  for (const [name, content, filename] of parts) {
    if (filename === undefined) body.append(name, String(content));
    else body.append(name, new Blob([Buffer.from(content)]), filename);
  }
  return service.call('/v1/template/render', { method: 'POST', body });
}

const template = (content: Uint8Array, name = 'a.docx'): Part => ['template', content, name];
const greeting = () => template(docxTemplate({ body: p('Chào {{name}} {{title}}') }), 'Thư mời.docx');
const withMacros = () => template(ooxml('docx', {}, { 'word/vbaProject.bin': new Uint8Array([1, 2, 3]) }));
const NO_DATA: Part = ['data', '{}'];

async function wordText(response: Response): Promise<string> {
  const parts = unzipSync(new Uint8Array(await response.arrayBuffer()));
  return strFromU8(parts['word/document.xml'] ?? new Uint8Array())
    .replace(/<\?[^>]+>\s*|<[^>]+>/g, '')
    .replace(/^\n+/, '');
}

describe('POST /v1/template/render', () => {
  const service = useStarted(sharedEnterprise);
  const source = useCanary(
    ({ url }, response) => void response.end(url === '/macros' ? withMacros()[1] : greeting()[1]),
  );
  const allowed = useService(() => startEnterprise({ SVC_FETCH_ALLOW_HOSTS: `127.0.0.1:${source.port}` }));

  it('fills a template; data as a file, as a field, or as JSON with a url', async () => {
    const data = JSON.stringify({ name: NAME });
    const file = await post(service, greeting(), ['data', data, 'people.json']);
    expect(file.status).to.equal(200);
    expect(file.headers.get('content-type')).to.contain('wordprocessingml.document');
    expect(file.headers.get('content-disposition')).to.contain('Th%C6%B0%20m%E1%BB%9Di.docx');
    expect(await wordText(file)).to.equal(`Chào ${NAME} `);
    expect(await wordText(await post(service, ['data', data], greeting()))).to.equal(`Chào ${NAME} `);
  });

  it('fetches a template, and refuses one with macros at once, async too', async () => {
    const fetched = (path: string, more = {}) =>
      allowed.post('/v1/template/render', { url: `http://127.0.0.1:${source.port}/${path}`, ...more });
    expect(await wordText(await fetched('a.docx', { data: { name: 'An' } }))).to.equal('Chào An ');
    const refused = await readError(await fetched('macros', { data: {}, async: true }));
    expect(refused).to.include({ status: 422, code: 'macro_not_allowed' });
  });

  it('takes OpenDocument templates as well', async () => {
    const content = await service.convert(new Uint8Array(Buffer.from(greeting()[1])), 'a.docx', { to: 'odt' });
    const odt = template(Buffer.from(await content.arrayBuffer()), 'a.odt');
    expect(await wordText(await post(service, odt, ['data', '{"name":"An","title":"em"}']))).to.equal('Chào An em');
  });

  it('missing fields are empty, or an error that lists all of them; unbalanced lists say where', async () => {
    expect(await wordText(await post(service, greeting(), NO_DATA))).to.equal('Chào  ');
    const error = await readError(await post(service, greeting(), NO_DATA, ['options.missing', 'error']));
    expect(error).to.include({ status: 422, code: 'template_error' });
    expect(error.detail['fields']).to.deep.equal(['name', 'title']);
    const body = p('một') + p('{{#people}}{{name}}');
    const unbalanced = await readError(await post(service, template(docxTemplate({ body })), NO_DATA));
    expect(unbalanced).to.include({ status: 422, code: 'template_error' });
    expect(unbalanced.detail['fields']).to.deep.equal(['people']);
    expect(unbalanced.detail['errors']).to.have.nested.property('[0].paragraph', 2);
  });

  it('macros: macro_not_allowed at once, async too', async () => {
    const basic = { 'Basic/Standard/Module1.xml': '<a/>' };
    for (const [part, detail] of [
      [withMacros(), { reason: 'vba_project', part: 'word/vbaProject.bin' }],
      [template(odf('odt', {}, basic), 'a.odt'), { reason: 'basic', part: 'Basic/Standard/Module1.xml' }],
    ] as const) {
      for (const more of [[], [['async', 'true'] as Part]]) {
        const error = await readError(await post(service, part, NO_DATA, ...more));
        expect(error).to.deep.equal({ status: 422, code: 'macro_not_allowed', detail });
      }
    }
  });

  it('async: 202, then done, or failed with the error', async () => {
    const start = async (...parts: Part[]): Promise<Job> => {
      const response = await post(service, ...parts, ['async', 'true']);
      expect(response.status).to.equal(202);
      return service.ended(((await response.json()) as Job).id);
    };
    expect(await start(greeting(), ['data', '{"name":"An"}'])).to.include({ kind: 'render', status: 'done' });
    const failed = await start(greeting(), ['data', '{}'], ['options', '{"missing":"error"}']);
    expect(failed).to.include({ status: 'failed' });
    expect(failed.error).to.include({ code: 'template_error' });
  });

  it('says how to send data that is too long for a field, and what a file is called', async () => {
    const long = JSON.stringify({ name: 'a'.repeat(70_000), title: 'b' });
    const asField = await readError(await post(service, greeting(), ['data', long]));
    expect(asField.detail['errors']).to.deep.equal([
      { path: '/data', message: 'dài hơn 65536 byte: hãy gửi dưới dạng tệp' },
    ]);
    expect(await wordText(await post(service, greeting(), ['data', long, 'a.json']))).to.match(/^Chào a{70000} b$/);
    const misnamed = await readError(await post(service, ['files', 'x', 'a.docx'], NO_DATA));
    expect(misnamed.detail['errors']).to.deep.equal([
      { path: '/files', message: 'không phải là tên tệp được nhận: tệp có tên template hoặc data' },
    ]);
  });

  for (const [what, parts, status, code, path] of [
    ['no data', [greeting()], 400, 'bad_request', '/data'],
    ['no template', [NO_DATA], 400, 'bad_request', '/template'],
    ['data that is no JSON', [greeting(), ['data', '{']], 400, 'bad_request', '/data'],
    ['a data file that is no JSON', [greeting(), ['data', 'name=An', 'a.json']], 400, 'bad_request', '/data'],
    ['data that is a list', [greeting(), ['data', '[]']], 400, 'bad_request', '/data'],
    ['data given twice', [greeting(), NO_DATA, ['data', '{}', 'a.json']], 400, 'bad_request', '/data'],
    ['an unknown option', [greeting(), NO_DATA, ['options.strict', '1']], 400, 'bad_request'],
    ['a target of another family', [greeting(), NO_DATA, ['to', 'xlsx']], 415, 'unsupported_format'],
    ['a spreadsheet', [template(ooxml('xlsx'), 'a.xlsx'), NO_DATA], 415, 'unsupported_format'],
    ['plain text', [template(Buffer.from('{{a}}'), 'a.txt'), NO_DATA], 415, 'unsupported_format'],
    ['no document', [template(Buffer.from('x')), NO_DATA], 422, 'corrupt_source'],
  ] as [string, Part[], number, string, string?][]) {
    it(`${what}: ${code}`, async () => {
      const error = await readError(await post(service, ...parts));
      expect(error).to.include({ status, code });
      if (path) expect(error.detail['errors']).to.have.nested.property('[0].path', path);
    });
  }
});

describe('POST /v1/template/render in the Community plan', () => {
  const service = useService(startService);

  it('is forbidden before anything is read, and not counted', async () => {
    const response = await service.call('/v1/template/render', { method: 'POST' });
    const detail = { feature: 'template/render', edition: 'community' };
    expect(await readError(response)).to.deep.equal({ status: 403, code: 'forbidden_feature', detail });
    const limits = await service.read<DocbuilderLimits>('/v1/limits');
    expect(limits.usage.day.used).to.equal(0);
  });
});
