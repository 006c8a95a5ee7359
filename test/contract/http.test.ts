import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Ajv2020 from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import type { DocbuilderLimits, DocbuilderStatus, Formats } from '../../src/common/generated/wire.ts';
import { schemas, validator } from '../../src/common/schema.ts';
import { secret } from '../support/logs.ts';
import { readError, startService, useService } from '../support/service.ts';

/** Sends bytes as they are and gives back everything that comes, until the server closes. */
function raw(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(request);
  return text(socket);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('DocBuilder over HTTP', () => {
  const jwtSecret = secret('a-jwt-secret-of-at-least-32-characters');
  const state = { now: Date.parse('2026-11-21T08:00:00Z') };
  const service = useService(() => startService({ SVC_DOCBUILDER_JWT_SECRET: jwtSecret }, { clock: () => state.now }));

  it('GET /v1/status needs no key and follows its schema', async () => {
    const response = await fetch(`${service.url}/v1/status`);
    expect(response.status).to.equal(200);
    const status = (await response.json()) as DocbuilderStatus;
    expect(validator('docbuilder-status.json')(status)).to.have.property('ok', true);
    expect(status).to.include({
      service: 'docbuilder',
      version: '1.0.0',
      api: 'v1',
      edition: 'community',
      dev_mode: false,
    });
    expect(status.core.name).to.equal('LibreOffice');
    expect(status.core.version).to.match(/^\d+\.\d+/);
    expect(status.workers.total).to.equal(1);
    state.now += 90_999;
    const later = await service.read<DocbuilderStatus>('/v1/status');
    expect(later).to.include({ time: '2026-11-21T08:01:30.999Z', uptime_seconds: 90 });
  });

  it('takes an API key or a JWT, and says which it takes', async () => {
    const signed = async (seconds: number) => {
      const token = new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(state.now / 1000 + seconds);
      return secret(await token.sign(new TextEncoder().encode(jwtSecret)));
    };
    for (const [token, status, code, detail] of [
      [service.key, 200],
      [await signed(3600), 200],
      ['', 401, 'unauthorized', { reason: 'missing' }],
      [`${service.key}x`, 401, 'unauthorized', { reason: 'invalid' }],
      [await signed(-120), 401, 'token_expired', {}],
    ] as const) {
      const response = await fetch(`${service.url}/v1/limits`, { headers: { Authorization: `Bearer ${token}` } });
      expect(response.status).to.equal(status);
      if (code === undefined) continue;
      expect(response.headers.get('www-authenticate')).to.equal('Bearer');
      expect(await readError(response)).to.deep.equal({ status, code, detail });
    }
  });

  it('GET /v1/limits shows the Community plan', async () => {
    const limits = await service.read<DocbuilderLimits>('/v1/limits');
    expect(validator('docbuilder-limits.json')(limits)).to.have.property('ok', true);
    expect(limits.edition).to.equal('community');
    expect(limits.limits).to.include({ rate_per_minute: 10, rate_per_day: 200, parallel_jobs: 1, max_file_mb: 10 });
    expect(limits.features).to.deep.equal([]);
    expect(limits.allowed_endpoints).to.include('POST /v1/convert').and.not.include('POST /v1/template/render');
  });

  it('GET /v1/formats shows the matrix', async () => {
    const { formats } = await service.read<Formats>('/v1/formats');
    expect(validator('formats.json')({ formats })).to.have.property('ok', true);
    for (const { to, format } of formats) expect(to, format).to.include('pdf').and.not.include('docm');
    const docx = formats.find(({ format }) => format === 'docx');
    expect(docx?.to).to.include.members(['pdf', 'odt', 'docx']).and.not.include('xlsx');
  });

  it('GET /v1/openapi.json is a document whose schemas compile and whose paths exist', async () => {
    const document = (await (await fetch(`${service.url}/v1/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, unknown>>;
      components: { schemas: Record<string, object> };
    };
    expect(document.openapi).to.equal('3.1.0');
    const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'openapi', ...document });
    for (const name of Object.keys(document.components.schemas)) {
      expect(ajv.getSchema(`openapi#/components/schemas/${name}`), name).to.be.a('function');
    }
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const response = await fetch(`${service.url}${path.replace('{id}', 'x')}`, { method: method.toUpperCase() });
        expect(response.status, `${method} ${path}`).to.be.oneOf([200, 401]);
      }
    }
    expect(schemas.size).to.be.greaterThan(10);
  });

  it('every response of any kind carries a request id, and errors are the error object', async () => {
    for (const [path, init, status, code] of [
      ['/v1/nothing', {}, 404, 'not_found'],
      ['/', {}, 404, 'not_found'],
      ['/v1/Status', {}, 404, 'not_found'],
      ['/v1/status/', {}, 404, 'not_found'],
      ['/v1/convert', { method: 'GET' }, 405, 'bad_request'],
      ['/v1/status', { method: 'DELETE' }, 405, 'bad_request'],
      ['/v1/jobs/job_000000000000000000000000', {}, 404, 'not_found'],
      ['/v1/jobs/..%2f..%2fetc', {}, 400, 'bad_request'],
      ['/v1//status', {}, 400, 'bad_request'],
      ['/v1/files/%00', {}, 400, 'bad_request'],
      ['/v1/files/%zz', {}, 400, 'bad_request'],
      ['/v1/convert', { method: 'POST', body: '{"to":', headers: JSON_TYPE }, 400, 'bad_request'],
      ['/v1/convert', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }, 400, 'bad_request'],
      ['/v1/convert', { method: 'POST' }, 400, 'bad_request'],
    ] as [string, RequestInit, number, string][]) {
      const response = await service.call(path, init);
      expect(response.headers.get('x-svc-request-id'), path).to.match(/^req_[0-9a-f]{16}$/);
      expect(await readError(response), path).to.include({ status, code });
    }
    const wrongMethod = await service.call('/v1/convert', { method: 'PUT' });
    expect(wrongMethod.headers.get('allow')).to.equal('POST');
    expect((await readError(wrongMethod)).detail).to.include({ method: 'PUT' });
  });

  for (const [what, request, status] of [
    ['an oversized header', `GET /v1/status HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['something that is not HTTP', 'hello there\r\n\r\n', 400],
    ['no Host', 'GET /v1/status HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /v1/status HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['two lengths', 'POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ] as const) {
    it(`answers ${what} with ${status} and the error object`, async () => {
      const answer = await raw(service.url, request);
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      const id = /x-svc-request-id: (req_[0-9a-f]{16})/i.exec(answer)?.[1];
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      expect(body.error).to.include({ code: 'bad_request', request_id: id });
    });
  }

  it('does not ask for the body of a request that it refuses (Expect: 100-continue)', async () => {
    const answer = await raw(
      service.url,
      'POST /v1/convert HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1\.1 401 /);
    expect(answer).to.not.contain('100 Continue');
  });
});
