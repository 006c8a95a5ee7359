import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { MB, putHeaders, type SavesBench, savesBench, serveWopi, TOKEN } from '../support/gate-saves.ts';
import { close } from '../support/listen.ts';
import { secret } from '../support/logs.ts';
import { errorOf, until } from '../support/service.ts';

const OTHER = secret('o'.repeat(43));

describe('attacks on the WOPI host', () => {
  let bench: SavesBench;
  let server: Server;
  let url: string;

  beforeEach(async () => {
    bench = await savesBench({ timings: { idleMs: 200, retryMs: 5, holdMs: 50 } });
    ({ server, url } = await serveWopi(bench));
    await bench.open();
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, OTHER);
  });
  afterEach(async () => {
    await close(server);
    await bench.stop();
  });

  const calls = (query: string, headers: Record<string, string> = {}, doc = 'doc_a') => [
    fetch(`${url}/${doc}${query}`, { headers }),
    fetch(`${url}/${doc}/contents${query}`, { headers }),
    fetch(`${url}/${doc}/contents${query}`, {
      method: 'POST',
      headers: { ...putHeaders({ Authorization: undefined }), ...headers },
      body: 'evil',
    }),
  ];
  const untouched = async () => {
    expect((await bench.rows.transact((tx) => tx.document('doc_a')))?.version).to.equal(0);
    expect(await bench.stored(), 'the two originals').to.have.lengthOf(2);
    expect(await readdir(join(bench.folder, 'incoming'))).to.deep.equal([]);
  };

  it('refuses the token of another document, and one that nobody has', async () => {
    for (const token of [
      OTHER,
      'x',
      TOKEN.slice(0, -1),
      `${TOKEN}b`,
      TOKEN.toLowerCase(),
      "' OR 1=1 --",
      'a'.repeat(5000),
    ]) {
      for (const call of calls(`?access_token=${encodeURIComponent(token)}`)) {
        expect(await errorOf(await call), token.slice(0, 50)).to.include({
          status: 401,
          code: 'invalid_session_token',
        });
      }
    }
    await untouched();
  });

  it('refuses the hash of a token, which is what a stolen database has', async () => {
    const hash = (await bench.rows.transact((tx) => tx.session('ses_doc_a')))?.tokenHash ?? '';
    for (const call of calls(`?access_token=${hash}`)) expect((await call).status).to.equal(401);
  });

  it('tells an unknown document from a wrong token to nobody', async () => {
    for (const call of calls(`?access_token=${TOKEN}`, {}, 'doc_none')) expect((await call).status).to.equal(401);
  });

  it('refuses a parameter that is there twice, and two tokens that differ', async () => {
    for (const call of calls(`?access_token=${TOKEN}&access_token=${OTHER}`)) expect((await call).status).to.equal(400);
    for (const call of calls(`?access_token=${TOKEN}&a=1&a=2`)) expect((await call).status).to.equal(400);
    for (const call of calls(`?access_token=${TOKEN}`, { Authorization: `Bearer ${OTHER}` }))
      expect((await call).status).to.equal(401);
    await untouched();
  });

  it('lets no id leave its place', async () => {
    const ids = [
      '..%2fdoc_a',
      '%2e%2e',
      'doc_a%00',
      'doc_a%2f..%2fdoc_b',
      'doc_a%20',
      'DOC_A',
      'doc_a;x',
      '%64oc_b',
      '*',
    ];
    for (const id of ids) {
      for (const call of calls(`?access_token=${TOKEN}`, {}, id)) {
        expect((await call).status, id).to.be.oneOf([400, 401, 404, 501]);
      }
    }
    await untouched();
  });

  it('costs nobody a token when the editor sends a save without any', async () => {
    const [info, contents, save] = await Promise.all(calls('?access_token='));
    expect([info?.status, contents?.status, save?.status]).to.deep.equal([401, 401, 503]);
    await untouched();
  });

  it('keeps nothing of a save that was sent by half', async () => {
    const socket = await half(50_000, 100_000);
    socket.destroy();
    await until('nobody saves any more', () => bench.saves.waitUntilQuiet().then(() => true));
    await until('nothing is left', () =>
      untouched().then(
        () => true,
        () => undefined,
      ),
    );
  });

  it('ends a save that stalls', async () => {
    const socket = await half(10, 100_000);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).to.match(/^HTTP\/1\.1 408 /);
    socket.destroy();
    await untouched();
  });

  it('reads nothing of what is declared too large, and no more than allowed of what is not declared', async () => {
    const socket = await half(0, 101 * MB);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
    const chunk = Buffer.alloc(256 * 1024);
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
    const endless = fetch(`${url}/doc_a/contents`, { method: 'POST', headers: putHeaders(), body, duplex: 'half' });
    const status = await endless.then(
      (response) => response.status,
      () => 'cut',
    );
    expect(status).to.be.oneOf([413, 'cut']);
    await until('nothing is left', () =>
      untouched().then(
        () => true,
        () => undefined,
      ),
    );
  });

  it('takes a header that is there twice for a mistake', async () => {
    const lines = ['X-COOL-WOPI-Timestamp: a', 'X-COOL-WOPI-Timestamp: b'];
    const socket = await half(1, 1, lines);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).to.match(/^HTTP\/1\.1 400 /);
    socket.destroy();
    await untouched();
  });

  /** A PutFile of which only some bytes are sent. */
  async function half(sent: number, declared: number, lines: string[] = []): Promise<Socket> {
    const { hostname, port, pathname } = new URL(`${url}/doc_a/contents`);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = Object.entries(putHeaders()).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${pathname} HTTP/1.1`, 'Host: gate', ...headers, `Content-Length: ${declared}`, ...lines];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(sent, 'x'));
    await new Promise((resolve) => setImmediate(resolve));
    return socket;
  }
});
