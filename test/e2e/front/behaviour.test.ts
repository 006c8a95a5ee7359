import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { listeningPort } from '../../support/listen.ts';
import { type Behaviour, UPSTREAMS } from './support/control.ts';
import { type RunningNginx, startEdge, startFront, useFront } from './support/nginx.ts';
import { open, requestText, send } from './support/raw.ts';
import { BLOCKED, INTERNAL, NO_SOCKETS, PAGE, SOCKETS } from './targets.ts';

const SOCKET = SOCKETS[0] ?? '';

describe('front', () => {
  const bench = useFront();
  let logged: number;
  beforeEach(async () => {
    await bench.upstreams.calm();
    logged = (await bench.front.log()).length;
  });
  /** Lines of doors that this test has had opened without a gate. */
  const opened = async (): Promise<string[]> =>
    (await bench.front.log())
      .slice(logged)
      .split('\n')
      .filter((line) => line.includes('"event":"gate_failed_open"'));

  it('writes one line, at once, for each door it opens without a gate, and none for others', async () => {
    await send(bench.front.url, { target: SOCKET, upgrade: true });
    await send(bench.front.url, { target: PAGE });
    await send(bench.front.url, { target: '/.ask?"event":"gate_failed_open"' });
    await bench.upstreams.behave('gateInternal', { status: 403 });
    await send(bench.front.url, { target: PAGE });
    expect(await opened()).to.deep.equal([]);

    await bench.upstreams.behave('gateInternal', { down: true });
    const socket = open(bench.front.url);
    socket.write(requestText(bench.front.url, { target: SOCKET, upgrade: true }));
    await once(socket, 'data');
    const [line = '', ...more] = await opened();
    expect(more).to.deep.equal([]);
    expect(JSON.parse(line)).to.include({ stage: 'ws', upstream_status: '502', level: 'error' });
    socket.destroy();

    await bench.upstreams.behave('gateInternal', { status: 500 });
    await send(bench.front.url, { target: PAGE });
    expect((await opened()).map((each) => JSON.parse(each).stage)).to.deep.equal(['ws', 'page']);
  });

  it('writes no token and no document into its logs', async () => {
    const odd = `/x/../cool/0x${'68747470'.repeat(20)}/ws`;
    const requests = [PAGE, ...SOCKETS, ...NO_SOCKETS, ...BLOCKED, ...INTERNAL, odd];
    const headers = { Referer: `http://x/${SOCKET}`, Cookie: 'TOKEN-IN-COOKIE' };
    const everything = async (): Promise<void> => {
      for (const target of requests) await send(bench.front.url, { target, upgrade: true, headers });
    };
    await everything();
    for (const upstream of UPSTREAMS) await bench.upstreams.behave(upstream, { down: true });
    await everything();
    await bench.upstreams.behave('editor', { raw: `HTTP/1.1 200 x\r\nX: ${'x'.repeat(90_000)}\r\n\r\n` });
    await everything();
    const log = await bench.front.log();
    expect(log.split('\n').length).to.be.greaterThan(requests.length * 3);
    const lines = `${log}${await bench.front.errors()}`
      .split('\n')
      .filter((line) => /TOKEN-IN|wopi%2F|office\.example|(?:68747470){2}/.test(line));
    expect(lines).to.deep.equal([]);
    expect(log).to.include('"path":"/cool/ws"').and.to.include('"path":"/browser/0a1b2c3d/cool.html"');
  });

  describe('tells a person whom the gate refuses at the page', () => {
    let edge: RunningNginx;
    before(async () => {
      edge = await startEdge(bench.front.settings);
    });
    after(() => edge.stop());

    async function expectPage(url: URL, status: number, text: RegExp, retryAfter?: string): Promise<void> {
      const answer = await send(url, { target: PAGE, method: 'POST', body: 'access_token=x' });
      expect(answer.body)
        .to.match(text)
        .and.match(/^<!doctype html>\n<html lang="vi">/);
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([status, retryAfter]);
      expect(answer.headers).to.include({
        ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
        ...{ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
      });
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(answer.body) ?? [];
      expect(answer.headers['content-security-policy']).to.equal(
        `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`,
      );
      expect(answer.body).to.match(/<section lang="en">/);
      expect(answer.body).to.not.match(/<script|<link|<img|<iframe|<form|\son\w+=|url\(|https?:|src=/i);
    }
    const refusal = (code?: string) => ({
      raw: `HTTP/1.1 403 Told\r\n${code ? `X-SVC-Refusal: ${code}\r\n` : ''}Content-Length: 0\r\n\r\n`,
    });
    type Refusal = [what: string, Behaviour, status: number, RegExp, retryAfter: string | undefined];
    const refusals: Refusal[] = [
      ['that all places are taken', refusal('connection_limit_reached'), 429, /Editing limit reached/, '120'],
      ['the same where the gate gives no reason', refusal(), 429, /Editing limit reached/, '120'],
      ['that the address names no document', refusal('unreadable'), 400, /No document to open/, undefined],
      ...[400, 414, 431].map(
        (status): Refusal => [
          `the same where the gate cannot even read the question (${status})`,
          ...([{ status }, 400, /No document to open/, undefined] as const),
        ],
      ),
      ['that documents of other hosts are not opened', refusal('foreign_host'), 403, /cannot be opened/, undefined],
    ];
    for (const [what, behaviour, status, text, retryAfter] of refusals) {
      it(what, async () => {
        await bench.upstreams.behave('gateInternal', behaviour);
        for (const url of [bench.front.url, edge.url]) await expectPage(url, status, text, retryAfter);
        expect((await send(bench.front.url, { target: SOCKET, upgrade: true })).status, 'a socket').to.equal(403);
        const asked = `http://127.0.0.1:${bench.front.settings.askPort}`;
        expect((await fetch(asked)).status, 'without an address').to.equal(429);
      });
    }

    it('that there is no editor, in a page instead of nginx’s own, which has no language', async () => {
      await bench.upstreams.behave('editor', { down: true });
      await expectPage(bench.front.url, 502, /The editor is not available/, '60');
    });
  });

  it('keeps connections to gate and DocBuilder, and asks over a kept one', async () => {
    const made = () => UPSTREAMS.map((name) => bench.upstreams.connections(name));
    const before = made();
    for (let i = 0; i < 20; i++) {
      for (const target of ['/svc/limits', '/v1/limits', PAGE]) await send(bench.front.url, { target });
    }
    const [gate, internal, docbuilder, editor] = made().map((count, index) => count - (before[index] ?? 0));
    expect([gate, internal, docbuilder].map((count) => count && count > 1)).to.not.include(true);
    expect(editor).to.equal(20);
  });

  it('goes on through a kept connection that the gate has closed meanwhile', async () => {
    for (let i = 0; i < 5; i++) {
      await send(bench.front.url, { target: PAGE });
      await bench.upstreams.behave('gateInternal', { down: true });
      await bench.upstreams.behave('gateInternal', { status: 200 });
    }
    await send(bench.front.url, { target: PAGE });
    expect(await opened()).to.deep.equal([]);
  });

  it('sends all of one document to one editor, and what names no document to all', async () => {
    const editors = ['first', 'second'].map((name) => createServer((_, response) => response.end(name)));
    const ports = await Promise.all(editors.map((editor) => listeningPort(editor.listen(0, '127.0.0.1'))));
    const servers = ports.map((port) => `server 127.0.0.1:${port};`).join(' ');
    const several = await startFront(bench.upstreams.addresses, {
      change: (template) => template.replace(`server \${SVC_FRONT_EDITOR};`, servers),
    });
    const serving = async (target: (i: number) => string): Promise<number> => {
      const answers = Array.from({ length: 40 }, (_, i) => send(several.url, { target: target(i) }));
      return new Set((await Promise.all(answers)).map(({ body }) => body.includes('first'))).size;
    };
    try {
      expect(await serving((i) => `/browser/x/a${i}.js?WOPISrc=one`)).to.equal(1);
      expect(await serving((i) => `/browser/x/a${i}.js`)).to.equal(2);
      expect(await serving((i) => `/browser/x/a.js?WOPISrc=${i}`)).to.equal(2);
    } finally {
      await several.stop();
      for (const editor of editors) editor.close();
    }
  });
});
