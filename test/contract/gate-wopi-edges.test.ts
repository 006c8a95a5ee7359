import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { MB, putHeaders, type SavesBench, savesBench, serveWopi, TOKEN } from '../support/gate-saves.ts';
import { close } from '../support/listen.ts';
import { errorOf, until } from '../support/service.ts';

describe('the WOPI host, at its edges', () => {
  let bench: SavesBench;
  let server: Server;
  let url: string;
  const disk = { broken: false, written: 0, work: Promise.resolve() };

  beforeEach(async () => {
    Object.assign(disk, { broken: false, written: 0, work: Promise.resolve() });
    bench = await savesBench({
      timings: { holdMs: 0 },
      wrap: ({ blobs }) => ({
        blobs: {
          ...blobs,
          put: async (file, ...args) => {
            if (disk.broken) throw new Error('the disk is gone');
            await blobs.put(file, ...args);
            disk.written += 1;
            await disk.work;
          },
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
  const halfSent = (): Promise<Socket> => sent('half', 1000);
  const sent = async (content: string, length = content.length) => {
    const { hostname, port, pathname, search } = new URL(file('/contents'));
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = Object.entries(putHeaders()).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${pathname}${search} HTTP/1.1`, 'Host: gate', ...headers, `Content-Length: ${length}`];
    socket.write(`${head.join('\r\n')}\r\n\r\n${content}`);
    await until('it is under way', async () => (await bench.isSaving('doc_a')) || undefined);
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

  it('nor while one is being stored that nobody waits for any more, until its size can be told', async () => {
    const size = async () => ((await (await fetch(file())).json()) as { Size: number }).Size;
    for (const [content, ms] of [
      ['a moment', 100],
      ['longer than anybody waits', 1_500],
    ] as const) {
      const storing = Promise.withResolvers<void>();
      disk.work = storing.promise;
      const before = disk.written;
      const socket = await sent(content);
      await until('all of it is there', () => disk.written > before || undefined);
      socket.resetAndDestroy();
      const asked = fetch(file());
      setTimeout(storing.resolve, ms);
      const answer = await asked;
      if (ms > 1_000) expect(answer.status).to.equal(503);
      else expect(await answer.json()).to.have.property('Size', content.length);
      await until('it is stored', async () => !(await bench.isSaving('doc_a')) || undefined);
      expect(await size()).to.equal(content.length);
    }
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
    await bench.removal.sweep();
    expect(await bench.stored(), 'the original and version 1').to.have.lengthOf(2);
  });

  it('removes the bytes of old versions while saves go on without a pause', async () => {
    await bench.open({ docId: 'doc_b', key: 'key-b' }, {}, 'B'.repeat(43));
    const stalled = await halfSent();
    for (let n = 0; n < 20; n += 1) {
      const headers = putHeaders({}, 'B'.repeat(43));
      const answer = await fetch(`${url}/doc_b/contents`, { method: 'POST', headers, body: `version ${n}` });
      expect(answer.status).to.equal(200);
    }
    bench.pass(16 * 60_000);
    await bench.removal.sweep();
    expect(await bench.stored(), 'two originals and five versions').to.have.lengthOf(7);
    stalled.destroy();
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
