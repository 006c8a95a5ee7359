import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import { ooxml } from '../../scripts/support/documents.ts';
import type { Job } from '../../src/common/generated/wire.ts';
import { type Canary, startCanary } from '../support/canary.ts';
import { form, startEnterprise, type TestService, until } from '../support/service.ts';
import { docxTemplate, p } from '../support/templates.ts';

const TEXT = Buffer.from('Xin chào\n');
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const TEMPLATE = docxTemplate({ body: p('Chào {{name}}') });

describe('temporary files', function () {
  this.timeout(60_000);
  let service: TestService;
  let source: Canary;
  before(async () => {
    source = await startCanary((request, response) => {
      if (request.url === '/a.txt') response.end(TEXT);
      else if (request.url === '/a.png') response.end(Buffer.from(PIXEL, 'base64'));
      else if (request.url === '/a.docx') response.end(TEMPLATE);
      else if (request.url === '/bad.docx') response.end('no document');
      else response.writeHead(404).end();
    });
    service = await startEnterprise({ SVC_FETCH_ALLOW_HOSTS: '127.0.0.1' });
  });
  after(async () => {
    await service.stop();
    await source.close();
  });

  const url = (path: string) => `http://127.0.0.1:${source.port}/${path}`;
  const json = (path: string, body: object) => service.post(path, body);
  const upload = (path: string, file: Uint8Array, name: string, fields: Record<string, string>) =>
    service.call(path, { method: 'POST', body: form(file, name, fields) });
  const twoFiles = (second: string) => {
    const body = form(TEXT, 'a.txt', { to: 'pdf' });
    body.append(second, new Blob([TEXT]), 'b.txt');
    return service.call('/v1/convert', { method: 'POST', body });
  };
  const template = (file: Uint8Array, name: string, fields: Record<string, string>) => {
    const body = form(undefined, '', fields);
    body.append('template', new Blob([Buffer.from(file)]), name);
    body.append('data', new Blob(['{"name":"An"}']), 'data.json');
    return service.call('/v1/template/render', { method: 'POST', body });
  };
  const build = (body: object[]) => json('/v1/build', { svcscript: 1, type: 'text', save: [{ format: 'docx' }], body });

  const works: [what: string, status: number, () => Promise<Response>][] = [
    ['an upload', 200, () => upload('/v1/convert', TEXT, 'a.txt', { to: 'pdf' })],
    ['a source that is fetched', 200, () => json('/v1/convert', { url: url('a.txt'), to: 'pdf' })],
    ['one in the background', 202, () => json('/v1/convert', { url: url('a.txt'), to: 'pdf', async: true })],
    ['one that fails', 422, () => json('/v1/convert', { url: url('bad.docx'), to: 'pdf' })],
    [
      'one that fails in the background',
      202,
      () => json('/v1/convert', { url: url('bad.docx'), to: 'pdf', async: true }),
    ],
    ['one that is not there', 422, () => json('/v1/convert', { url: url('none'), to: 'pdf' })],
    ['a pair that does not go together', 415, () => upload('/v1/convert', TEXT, 'a.txt', { to: 'xlsx' })],
    ['an upload with a bad field', 400, () => upload('/v1/convert', TEXT, 'a.txt', { to: 'pdf', too: 'x' })],
    ['two files where one is taken', 400, () => twoFiles('file')],
    ['a file of an unknown name beside the right one', 400, () => twoFiles('attachment')],
    ['an upload without a target', 400, () => upload('/v1/convert', TEXT, 'a.txt', {})],
    [
      'an upload whose callback may not be sent',
      422,
      () => upload('/v1/convert', TEXT, 'a.txt', { to: 'pdf', async: 'true', callback_url: 'http://10.0.0.1/' }),
    ],
    ['text', 200, () => upload('/v1/extract/text', ooxml('xlsx', { rows: 3 }), 'a.xlsx', {})],
    ['text of a source that is fetched', 200, () => json('/v1/extract/text', { url: url('a.txt') })],
    ['metadata', 200, () => upload('/v1/extract/meta', ooxml('docx'), 'a.docx', {})],
    ['a thumbnail', 200, () => json('/v1/extract/thumbnail', { url: url('a.txt'), format: 'jpeg' })],
    ['a page that is not there', 400, () => upload('/v1/extract/thumbnail', TEXT, 'a.txt', { page: '9' })],
    [
      'a script with pictures',
      200,
      () =>
        build([
          { type: 'image', base64: PIXEL },
          { type: 'image', url: url('a.png') },
        ]),
    ],
    [
      'a script of which one picture is none',
      422,
      () =>
        build([
          { type: 'image', url: url('a.png') },
          { type: 'image', url: url('a.txt') },
        ]),
    ],
    ['a template', 200, () => template(TEMPLATE, 'a.docx', { to: 'pdf' })],
    ['a template that is fetched', 200, () => json('/v1/template/render', { url: url('a.docx'), data: {}, to: 'odt' })],
    [
      'a template with fields that are missing',
      422,
      () => json('/v1/template/render', { url: url('a.docx'), data: {}, options: { missing: 'error' } }),
    ],
    ['a template of another family', 415, () => template(ooxml('xlsx'), 'a.xlsx', {})],
  ];
  for (const [what, status, work] of works) {
    it(`of ${what} go with it`, async () => {
      const answer = await work();
      expect(answer.status).to.equal(status);
      if (status === 202) await service.ended(((await answer.json()) as Job).id);
      else await answer.arrayBuffer();
      let left: string[] = [];
      await until(`${what} leaves nothing`, async () => {
        left = await service.temporaries();
        return left.length === 0;
      });
      expect(left).to.deep.equal([]);
    });
  }

  it('of a form go with it, too, where a file had arrived before the mistake', async () => {
    const part = (name: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.txt"\r\n\r\n${content}\r\n`;
    const arrived = async () => {
      const [path] = await service.temporaries();
      return path !== undefined && (await stat(path)).size === TEXT.length;
    };
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from(`${part('file', TEXT.toString())}--b\r\n`));
        await until('the file has arrived', async () => (await arrived()) || undefined);
        controller.enqueue(Buffer.from(part('attachment', 'x').slice('--b\r\n'.length)));
        controller.enqueue(Buffer.from('--b--\r\n'));
        controller.close();
      },
    });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const answer = await service.call('/v1/convert', { method: 'POST', headers, body, duplex: 'half' });
    expect(answer.status).to.equal(400);
    await answer.arrayBuffer();
    await until('nothing is left', async () => (await service.temporaries()).length === 0);
  });
});
