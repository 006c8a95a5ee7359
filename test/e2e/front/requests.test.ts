import { expect } from 'chai';
import { ERRORS } from '../../../src/common/error-catalogue.ts';
import { MB } from '../../../src/common/errors.ts';
import { UPSTREAMS } from './support/control.ts';
import { useFront } from './support/nginx.ts';
import { type RawAnswer, send, sendText } from './support/raw.ts';
import { PAGE, SOCKETS } from './targets.ts';

const HEAD = 'Host: office.example\r\nConnection: close\r\n';

const EVERY_METHOD = 'GET, HEAD, POST, DELETE, OPTIONS';

/** The whole text of requests that nginx refuses by itself, and the status. */
const REFUSED: [string, string, number][] = [
  ['no Host', 'GET /v1/status HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', `GET /svc/healthz HTTP/1.1\r\nHost: other.example\r\n${HEAD}\r\n`, 400],
  ['a Host that is none', 'GET /v1/status HTTP/1.1\r\nHost: a b/\r\n\r\n', 400],
  ['two lengths', `POST /v1/convert HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n${HEAD}\r\n`, 400],
  ['a broken chunk', `POST /v1/convert HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${HEAD}\r\nzz\r\n`, 400],
  ['a broken chunk for the gate', `POST /svc/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${HEAD}\r\nzz\r\n`, 400],
  ['a header of 17 KB', `GET /svc/healthz HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n${HEAD}\r\n`, 400],
  ['a path of 17 KB', `GET /svc/${'x'.repeat(17_000)} HTTP/1.1\r\n${HEAD}\r\n`, 414],
  ['a broken escape', `GET /svc/%zz HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['a path that leads out', `GET /../../svc/healthz HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['small letters for a method', `get /svc/healthz HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['an unknown coding', `POST /v1/convert HTTP/1.1\r\nTransfer-Encoding: x\r\n${HEAD}\r\n`, 501],
  ['an unknown version', `GET /v1/status HTTP/3.0\r\n${HEAD}\r\n`, 505],
  ['TRACE', `TRACE /svc/healthz HTTP/1.1\r\n${HEAD}\r\n`, 405],
  ['TRACE for DocBuilder', `TRACE /v1/status HTTP/1.1\r\n${HEAD}\r\n`, 405],
];

describe('front, asked in odd ways', () => {
  const bench = useFront();

  const ports = (): URL[] =>
    [bench.front.settings.port, bench.front.settings.openPort].map((port) => new URL(`http://127.0.0.1:${port}`));

  for (const [what, text, status] of REFUSED) {
    it(`answers ${status} and an error object to ${what}`, async () => {
      for (const base of ports()) {
        const answer = await sendText(base, text);
        expect(answer.status, answer.body).to.equal(status);
        const { code, message, detail, request_id } = readError(answer);
        expect([code, message]).to.deep.equal(['bad_request', ERRORS.bad_request[1]]);
        expect(request_id)
          .to.match(/^req_[0-9a-f]{16}$/)
          .and.equal(answer.headers['x-svc-request-id']);
        if (status === 405) {
          expect(detail).to.deep.equal({ method: 'TRACE' });
          expect(answer.headers['allow']).to.equal(text.includes('/v1/') ? 'GET, HEAD' : EVERY_METHOD);
        } else expect(detail).to.have.nested.property('errors[0].path', '');
      }
      for (const upstream of UPSTREAMS) expect(bench.upstreams.seen(upstream)).to.deep.equal([]);
    });
  }

  it('answers paths that lead nowhere with the error object of the services', async () => {
    for (const base of ports()) {
      const answer = await send(base, { target: '/nothing' });
      expect(answer.status).to.equal(404);
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      const { code, request_id } = readError(answer);
      expect([code, request_id]).to.deep.equal(['not_found', answer.headers['x-svc-request-id']]);
    }
  });

  it('tells the services by which protocol the edge was asked, and believes nothing else of it', async () => {
    for (const [header, expected] of [
      ['X-Forwarded-Proto: https', 'https'],
      ['X-Forwarded-Proto: http', 'http'],
      ['X-Forwarded-Proto: wss', 'http'],
      ['X-Forwarded-Proto: https, http', 'http'],
      ['X-Forwarded-Proto: https://other.example/?', 'http'],
      ['X-Forwarded-Host: other.example\r\nForwarded: host=other.example;proto=https', 'http'],
    ] as const) {
      for (const [path, upstream] of [
        ['/svc/limits', 'gate'],
        ['/v1/limits', 'docbuilder'],
        ['/hosting/discovery', 'editor'],
      ] as const) {
        await sendText(bench.front.url, `GET ${path} HTTP/1.1\r\n${header}\r\n${HEAD}\r\n`);
        const [seen] = bench.upstreams.seen(upstream);
        expect(seen?.headers['x-forwarded-proto'], header).to.equal(expected);
        expect(seen?.headers).not.to.have.any.keys('x-forwarded-host', 'forwarded');
        expect(seen?.headers['host']).to.equal('office.example');
      }
    }
  });

  it('hands the gate nothing of a request but what it decides by', async () => {
    const headers = {
      ...{ Authorization: 'Bearer of-somebody', Cookie: 'session=1', 'X-Anything': 'x'.repeat(10_000) },
      ...{ 'X-Original-URI': '/spoofed', 'X-SVC-Stage': 'page', Expect: '100-continue' },
    };
    await send(bench.front.url, { target: PAGE, method: 'POST', body: 'access_token=x', headers });
    await send(bench.front.url, { target: SOCKETS[0] ?? '', upgrade: true, headers });
    const asked = bench.upstreams.seen('gateInternal');
    expect(asked.map((ask) => ask.headers['x-svc-stage'])).to.deep.equal(['page', 'ws']);
    for (const { headers: seen } of asked) {
      expect(Object.keys(seen)).to.have.members([
        ...['host', 'content-length', 'x-original-uri', 'x-original-method', 'x-svc-stage'],
      ]);
    }
  });

  it('takes a form of 64 KiB for the editor’s page, and answers 413 and an error object to a larger one', async () => {
    const largest = 64 * 1024;
    const head = `POST ${PAGE} HTTP/1.1\r\n${HEAD}`;
    const forms = [
      (bytes: number) => `${head}Content-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`,
      (bytes: number) =>
        `${head}Transfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`,
    ];
    for (const base of ports()) {
      for (const form of forms) {
        bench.upstreams.seen('editor');
        expect((await sendText(base, form(largest))).status).to.equal(200);
        expect(bench.upstreams.seen('editor')).to.have.lengthOf(1);
        const answer = await sendText(base, form(largest + 1));
        const { code, message, detail, request_id } = readError(answer);
        expect([answer.status, code, message]).to.deep.equal([413, 'file_too_large', ERRORS.file_too_large[1]]);
        expect(detail).to.deep.equal({ limit_mb: largest / MB });
        expect(request_id).to.equal(answer.headers['x-svc-request-id']);
        expect(bench.upstreams.seen('editor')).to.deep.equal([]);
      }
    }
  });

  it('has the editor answer for its icon and its branding, under their own names only', async () => {
    bench.upstreams.seen('editor');
    for (const base of ports()) {
      for (const target of ['/favicon.ico', '/browser/0a1b2c3d/branding.css', '/browser/0a1b2c3d/branding.js']) {
        expect((await send(base, { target, upgrade: true })).body, target).to.equal('served by the upstream');
        const [seen] = bench.upstreams.seen('editor');
        expect([seen?.target, seen?.headers['upgrade'], seen?.headers['connection']]).to.deep.equal([
          ...[target, undefined, 'close'],
        ]);
      }
      const around = [`${PAGE.split('?')[0]}/../../../favicon.ico`, '/cool/x/ws/../../../favicon.ico'];
      for (const target of ['//favicon.ico', '/%66avicon.ico', '/favicon.ico/', ...around]) {
        expect((await send(base, { target })).status, target).to.equal(404);
      }
      expect(bench.upstreams.seen('editor')).to.deep.equal([]);
    }
  });

  it('logs the method that was asked with', async () => {
    await sendText(bench.front.url, `TRACE /svc/logged HTTP/1.1\r\n${HEAD}\r\n`);
    expect(await bench.front.log()).to.match(/"method":"TRACE","path":"\/svc\/logged","status":405/);
  });

  it('logs the request id that the client is told, whoever gave it', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nX-SVC-Request-Id: req_0011223344556677\r\nContent-Length: 2\r\n\r\n{}';
    await bench.upstreams.behave('docbuilder', { raw });
    const ids = [];
    for (const path of ['/v1/status', '/svc/auth', '/nowhere'])
      ids.push(
        (await sendText(bench.front.url, `GET ${path}?ids HTTP/1.1\r\n${HEAD}\r\n`)).headers['x-svc-request-id'],
      );
    expect(ids[0]).to.equal('req_0011223344556677');
    const lines = (await bench.front.log()).split('\n').slice(-4, -1);
    expect(lines.map((line) => JSON.parse(line).request_id)).to.deep.equal(ids);
    await bench.upstreams.behave('docbuilder', { status: 200 });
  });

  it('has a Host for the services where the client sent none, and else the client’s', async () => {
    for (const [text, host] of [
      ['GET /svc/healthz HTTP/1.0\r\n\r\n', 'localhost'],
      ['GET http://office.example/svc/healthz HTTP/1.0\r\n\r\n', 'office.example'],
      ['GET /svc/healthz HTTP/1.0\r\nHost: office.example:8443\r\n\r\n', 'office.example:8443'],
    ] as const) {
      for (const base of ports()) {
        expect((await sendText(base, text)).body).to.equal('{"ok":true}');
        expect(bench.upstreams.seen('gate').map(({ headers }) => headers['host'])).to.deep.equal([host]);
      }
    }
  });
});

function readError({ headers, body }: RawAnswer) {
  expect(headers['content-type']).to.equal('application/json; charset=utf-8');
  return (JSON.parse(body) as { error: Record<'code' | 'message' | 'detail' | 'request_id', unknown> }).error;
}
