import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { close, MB, putHeaders, type SavesBench, savesBench, serveWopi, TOKEN } from '../support/gate-saves.ts';
import { errorOf, until } from '../support/service.ts';

describe('the WOPI host, at its edges', () => {
  let bench: SavesBench;
  let server: Server;
  let url: string;
  const disk = { broken: false };

  beforeEach(async () => {
    disk.broken = false;
    bench = await savesBench({
      timings: { hold: 0 },
      wrap: (blobs, rows) => ({
        rows,
        blobs: {
          ...blobs,
          write: (...args) => (disk.broken ? Promise.reject(new Error('the disk is gone')) : blobs.write(...args)),
        },
      }),
    });
    ({ server, url } = await serveWopi(bench));
    await bench.open();
  });
  afterEach(async () => {
    await close(server);
    await bench.stop();
  });

  const file = (rest = '') => `${url}/doc_a${rest}?access_token=${TOKEN}`;
  const put = (body: string, headers: Record<string, string> = {}) =>
    fetch(file('/contents'), { method: 'POST', headers: putHeaders(headers), body });
  /** A PutFile that is under way and of which nothing more comes. */
  const halfSent = async () => {
    const { hostname, port, pathname, search } = new URL(file('/contents'));
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = Object.entries(putHeaders()).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${pathname}${search} HTTP/1.1`, 'Host: gate', ...headers, 'Content-Length: 1000'];
    socket.write(`${head.join('\r\n')}\r\n\r\nhalf`);
    await until('it is under way', () => bench.saves.saving('doc_a') || undefined);
    return socket;
  };
  const stamp = async () => ((await (await fetch(file())).json()) as { LastModifiedTime: string }).LastModifiedTime;

  it('has no CheckFileInfo while a save is owed for trouble of its own, and has it again with the next save', async () => {
    disk.broken = true;
    expect(await errorOf(await put('one'))).to.include({ status: 503, code: 'internal' });
    const asked = await fetch(file());
    expect(asked.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await errorOf(asked)).to.include({ status: 503, code: 'internal' });
    disk.broken = false;
    expect((await put('one')).status).to.equal(200);
    expect((await fetch(file())).status).to.equal(200);
  });

  it('nor while one broke off a moment ago, which the editor takes for a conflict when it hears the old size', async () => {
    const socket = await halfSent();
    const asked = fetch(file());
    socket.resetAndDestroy();
    expect(await errorOf(await asked)).to.include({ status: 503, code: 'internal' });
    expect((await put('whole')).status).to.equal(200);
    expect((await fetch(file())).status).to.equal(200);
  });

  it('answers a CheckFileInfo that comes while a long save is under way', async () => {
    const socket = await halfSent();
    expect((await fetch(file())).status).to.equal(200);
    socket.destroy();
  });

  it('takes an empty timestamp for none: whoever sends none overwrites', async () => {
    await put('one');
    expect((await put('two', { 'X-COOL-WOPI-Timestamp': '' })).status).to.equal(200);
  });

  it('keeps no bytes of a save that it refused as a conflict', async () => {
    const stale = await stamp();
    await put('one', { 'X-COOL-WOPI-Timestamp': stale });
    expect((await put('two', { 'X-COOL-WOPI-Timestamp': stale })).status).to.equal(409);
    await until(
      'only the original and version 1 are left',
      async () => (await bench.blobs.list()).length === 2 || undefined,
    );
  });

  it('takes a nonce of no final save, a new one neither', async () => {
    await put('one', { 'X-COOL-WOPI-IsExitSave': 'true', 'X-COOL-WOPI-ExtendedData': 'svc1.fresh' });
    expect((await bench.rows.transact((tx) => tx.version('doc_a', 1)))?.nonce).to.equal(null);
  });

  it('asks for no byte of what is declared to be one too many', async () => {
    const { hostname, port, pathname } = new URL(file('/contents'));
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = Object.entries(putHeaders()).map(([name, value]) => `${name}: ${value}`);
    const lines = [`POST ${pathname} HTTP/1.1`, 'Host: gate', ...headers, `Content-Length: ${MB + 1}`];
    socket.write(`${[...lines, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).to.match(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});
