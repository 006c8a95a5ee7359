import { expect } from 'chai';
import { request } from 'undici';
import type { Job } from '../../src/common/generated/wire.ts';
import { form, startEnterprise, startService, type TestService, useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

/** Headers of HTTP itself, which no description of an interface lists. */
const GENERAL = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
  ...['vary', 'x-content-type-options'],
]);
const TEXT = Buffer.from('Xin chào\n');
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Answer {
  headers: Record<string, { $ref: string }>;
  content?: Record<string, object>;
}
interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
  components: { headers: Record<string, object> };
}

describe('the OpenAPI document', () => {
  const state = { now: Date.now() };
  const seen = new Set<string>();
  const clock = () => state.now;
  const service = useService(() => startEnterprise({}, { clock, uploadIdleMs: 200 }));
  const community = useService(() => startService({}, { clock }));
  const document = useStarted(() => service.read<OpenApi>('/v1/openapi.json'));

  interface RequestOptions {
    id?: string;
    of?: TestService;
    /** The method that is sent, where it is not that of the path. */
    sent?: string;
    headers?: Record<string, string>;
    body?: unknown;
  }

  /** Sends a request and compares its answer with the document. @param path as the document has it */
  async function answer(path: string, status: number, { id = '', of = service, ...init }: RequestOptions = {}) {
    const method = /convert|build|extract|render/.test(path) ? 'POST' : 'GET';
    const response = await request(`${of.url}${path.replace('{id}', id)}`, {
      headersTimeout: 20_000,
      ...init,
      method: init.sent ?? method,
      headers: { authorization: `Bearer ${of.key}`, ...init.headers },
    } as object);
    const text = await response.body.text();
    const what = `${method} ${path} ${response.statusCode}`;
    expect(response.statusCode, `${what} ${text.slice(0, 300)}`).to.equal(status);
    const declared = document.paths[path]?.[method.toLowerCase()]?.responses[status];
    expect(declared, what).to.be.an('object');
    const names = new Map(Object.keys(declared?.headers ?? {}).map((name) => [name.toLowerCase(), name]));
    for (const name of Object.keys(response.headers)) {
      if (GENERAL.has(name)) continue;
      expect(names.get(name), `${what}: header ${name}`).to.be.a('string');
      seen.add(names.get(name) ?? '');
    }
    const [type = ''] = String(response.headers['content-type'] ?? '').split(';');
    const types = Object.keys(declared?.content ?? {});
    if (text !== '') expect(types.includes(type) || types.includes('*/*'), `${what}: ${type}`).to.equal(true);
    return { text, header: (name: string) => String(response.headers[name]) };
  }

  it('declares what requests without work are answered with', async () => {
    for (const path of ['/v1/status', '/v1/openapi.json', '/v1/script.schema.json']) {
      await answer(path, 200);
      await answer(path, 405, { sent: 'DELETE' });
    }
    for (const path of ['/v1/formats', '/v1/limits']) {
      await answer(path, 200);
      await answer(path, 401, { headers: { authorization: '' } });
    }
    await answer('/v1/jobs/{id}', 400, { id: '%zz' });
    await answer('/v1/jobs/{id}', 404, { id: 'job_000000000000000000000000' });
    await answer('/v1/files/{id}', 404, { id: 'file_1' });
  });

  it('declares what comes of work and of its files', async () => {
    await answer('/v1/convert', 200, { body: form(TEXT, 'a.txt', { to: 'pdf' }) });
    const queued = await answer('/v1/convert', 202, { body: form(TEXT, 'a.txt', { to: 'pdf', async: 'true' }) });
    expect(queued.header('location')).to.equal(`/v1/jobs/${queued.header('x-svc-job-id')}`);
    await answer('/v1/extract/text', 200, { body: form(TEXT, 'a.txt', {}) });
    await answer('/v1/extract/thumbnail', 200, { body: form(TEXT, 'a.txt', {}) });
    const { id } = JSON.parse(queued.text) as Job;
    const job = await service.ended(id);
    await answer('/v1/jobs/{id}', 200, { id });
    const [{ file_id: file, sha256 } = { file_id: '', sha256: '' }] = job.outputs;
    const of = (headers: Record<string, string> = {}) => ({ id: file, headers });
    await answer('/v1/files/{id}', 200, of());
    await answer('/v1/files/{id}', 206, of({ range: 'bytes=0-3' }));
    await answer('/v1/files/{id}', 304, of({ 'if-none-match': `"${sha256}"` }));
    await answer('/v1/files/{id}', 412, of({ 'if-match': '"other"' }));
    await answer('/v1/files/{id}', 416, of({ range: 'bytes=99999999-' }));
    state.now += 86_400_000;
    await answer('/v1/jobs/{id}', 410, { id });
    await answer('/v1/files/{id}', 410, of());
  });

  it('names types that give a client who asks for all of them the file', async () => {
    const accept = Object.keys(document.paths['/v1/convert']?.['post']?.responses[200]?.content ?? {}).join();
    const body = form(TEXT, 'a.txt', { to: 'pdf' });
    const { header } = await answer('/v1/convert', 200, { body, headers: { accept } });
    expect(header('content-type')).to.equal('application/pdf');
  });

  it('declares what refused work is answered with', async () => {
    await answer('/v1/convert', 400, { body: form(undefined, '', { to: 'pdf' }) });
    await answer('/v1/convert', 401, { headers: { authorization: '' } });
    await answer('/v1/convert', 405, { sent: 'PUT' });
    await answer('/v1/convert', 415, { body: form(TEXT, 'a.txt', { to: 'xyz' }) });
    await answer('/v1/convert', 422, { body: form(TEXT, 'a.docx', { to: 'pdf' }) });
    await answer('/v1/extract/thumbnail', 400, { body: form(TEXT, 'a.txt', { page: '9' }) });
    await answer('/v1/convert', 413, { headers: JSON_TYPE, body: JSON.stringify('x'.repeat(2 ** 20)) });
    await answer('/v1/template/render', 403, { of: community });
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) });
    await answer('/v1/build', 408, { headers: JSON_TYPE, body: stalled });
    for (let count = 0; count < 10; count += 1) await answer('/v1/convert', 400, { of: community });
    await answer('/v1/convert', 429, { of: community });
  });

  it('declares no header that is never sent', () => {
    expect([...seen]).to.have.members(Object.keys(document.components.headers));
  });
});
