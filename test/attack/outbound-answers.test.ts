import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Canary, useServers } from '../support/canary.ts';
import { useFolder } from '../support/folder.ts';
import { openDoor, refusal, SECRET } from '../support/outbound.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const FETCH_ONCE = join(import.meta.dirname, '../support/fetch-once.ts');
const MEGABYTE = 1_048_576;

describe('what a server may do to an outbound request', () => {
  const { door } = openDoor('127.0.0.1');
  const folder = useFolder('test');
  const startServer = useServers();
  let path: string;
  const closers: (() => Promise<unknown>)[] = [];

  beforeEach(() => {
    path = folder.at('file');
  });
  afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

  async function serve(answer: RequestListener): Promise<Canary & { url: string }> {
    const server = await startServer(answer);
    return Object.assign(server, { url: `http://127.0.0.1:${server.port}/?${SECRET}` });
  }

  /** A server without HTTP: `talk` gets each connection after its first bytes. */
  async function serveRaw(talk: (socket: Socket) => void): Promise<{ url: string; sockets: Socket[] }> {
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).once('data', () => talk(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?${SECRET}`, sockets };
  }

  /** Sends zeros as fast as they are taken, and counts them. */
  function flood(headers: Record<string, string> = {}): { answer: RequestListener; sent: () => number } {
    let sent = 0;
    const answer: RequestListener = (_request, response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        if (response.destroyed) return;
        sent += 65_536;
        if (response.write(Buffer.alloc(65_536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    };
    return { answer, sent: () => sent };
  }

  async function expectFailure(url: string, reason: string, more = {}): Promise<void> {
    const download = door.download(url, { path, maxBytes: MEGABYTE, timeoutMs: 5000, ...more });
    expect(await refusal(download, 'download_failed')).to.deep.equal({ reason });
    expect(await readdir(folder.path)).to.deep.equal([]);
  }

  describe('size', () => {
    const tooLarge = (url: string, maxBytes: number): Promise<Record<string, unknown>> =>
      refusal(door.download(url, { path, maxBytes, timeoutMs: 5000 }), 'file_too_large');

    for (const [what, headers, megabytes, most] of [
      // The two kernels and the two streams hold some of it before anybody reads.
      ['that says it is too large is not read and not begun', { 'Content-Length': '10737418240' }, 10, 10],
      ['without end is cut at the limit', {}, 2, 16],
    ] as const) {
      it(`a file ${what}`, async () => {
        const { answer, sent } = flood(headers);
        const server = await serve(answer);
        expect(await tooLarge(server.url, megabytes * MEGABYTE)).to.deep.equal({ limit_mb: megabytes });
        await until('the connection is closed', () => server.open === 0);
        expect(sent()).to.be.below(most * MEGABYTE);
        expect(await readdir(folder.path)).to.deep.equal([]);
      });
    }

    it('one byte over is too much, also when nothing was said', async () => {
      const server = await serve((request, response) => {
        if (!request.url?.startsWith('/length')) response.write('a');
        response.end(Buffer.alloc(response.headersSent ? MEGABYTE : MEGABYTE + 1));
      });
      expect(await tooLarge(server.url, MEGABYTE)).to.deep.equal({ limit_mb: 1 });
      expect(await tooLarge(`${server.url.replace('?', 'length?')}`, MEGABYTE)).to.deep.equal({ limit_mb: 1 });
      expect(await readdir(folder.path)).to.deep.equal([]);
    });

    it('an endless answer to a callback is neither waited for nor read much of', async () => {
      const { answer, sent } = flood();
      const { url } = await serve(answer);
      expect(await door.post(url, { headers: {}, body: Buffer.from('x'), timeoutMs: 5000 })).to.deep.equal({
        status: 200,
      });
      expect(sent()).to.be.below(16 * MEGABYTE);
    });

    it('a packed file is refused, so that nothing swells here', async () => {
      const bomb = gzipSync(Buffer.alloc(20 * MEGABYTE));
      for (const encoding of ['gzip', 'x-gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'GZIP']) {
        const server = await serve(
          (_request, response) => void response.writeHead(200, { 'Content-Encoding': encoding }).end(bomb),
        );
        await expectFailure(server.url, 'encoding');
      }
    });

    it('a header that never ends is not kept', async () => {
      const { url } = await serveRaw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = (): void => void (socket.destroyed || socket.write(`x: ${'a'.repeat(65_536)}\r\n`, more));
        more();
      });
      await expectFailure(url, 'network');
    });
  });

  describe('time', () => {
    const slow: Record<string, (socket: Socket) => void> = {
      'no answer at all': () => {},
      'a TLS handshake that never ends': () => {},
      'a header byte by byte': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x'),
      'a body byte by byte, with a length': (socket) =>
        drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 'x'),
      'a body byte by byte, in chunks': (socket) =>
        drip(socket, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
      'interim answers for ever': (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    };
    function drip(socket: Socket, head: string, piece: string): void {
      socket.write(head);
      const timer = setInterval(() => socket.write(piece), 10);
      socket.once('close', () => clearInterval(timer));
    }

    for (const [what, talk] of Object.entries(slow)) {
      it(`${what}: ends at the deadline, connection and all`, async () => {
        const { url, sockets } = await serveRaw(talk);
        const start = Date.now();
        await expectFailure(what.includes('TLS') ? url.replace('http:', 'https:') : url, 'timeout', { timeoutMs: 150 });
        expect(Date.now() - start).to.be.within(140, 4000);
        const isOver = (socket: Socket) => socket.destroyed || socket.readableEnded;
        await until('no open connection', () => sockets.every(isOver));
      });
    }

    it('redirects share one deadline', async () => {
      const server = await serve((_request, response) => {
        setTimeout(() => response.writeHead(302, { Location: '/' }).end(), 80);
      });
      await expectFailure(server.url, 'timeout', { timeoutMs: 200 });
    });

    it('a callback ends at its deadline too', async () => {
      const { url } = await serveRaw(() => {});
      const work = door.post(url, { headers: {}, body: Buffer.from('x'), timeoutMs: 100 });
      expect(await refusal(work, 'download_failed')).to.deep.equal({ reason: 'timeout' });
    });
  });

  describe('breaking off', () => {
    const broken: Record<string, (socket: Socket) => void> = {
      'a reset before the answer': (socket) => socket.resetAndDestroy(),
      'an end before the answer': (socket) => socket.end(),
      'an end in the header': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'),
      'an end before Content-Length': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'),
      'an end in a chunk': (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort'),
      'an end before the last chunk': (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n'),
      'something that is no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      'two lengths': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      'a length and chunks': (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'),
      'a switch of protocols': (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'),
    };
    for (const [what, talk] of Object.entries(broken)) {
      it(`${what} is a failure and leaves no file`, async () => {
        const { url } = await serveRaw(talk);
        await expectFailure(url, 'network', { timeoutMs: 2000 });
      });
    }
  });

  describe('the caller giving up', () => {
    const reason = new Error('the job was stopped');

    it('ends a download in its middle with the reason given, without a file', async () => {
      const server = await serve((_request, response) => void response.write('begin'));
      const stop = new AbortController();
      const work = door.download(server.url, { path, maxBytes: MEGABYTE, timeoutMs: 5000, signal: stop.signal });
      const failure = work.catch((error: unknown) => error);
      await until('the request', () => server.requests.length === 1);
      stop.abort(reason);
      expect(await failure).to.equal(reason);
      expect(await readdir(folder.path)).to.deep.equal([]);
      await until('the connection is closed', () => server.open === 0);
    });

    it('before the start causes no connection at all', async () => {
      const server = await serve((_request, response) => void response.end());
      const signal = AbortSignal.abort(reason);
      const all = [
        door.download(server.url, { path, maxBytes: MEGABYTE, timeoutMs: 5000, signal }),
        door.post(server.url, { headers: {}, body: Buffer.from('x'), timeoutMs: 5000, signal }),
      ];
      expect(await Promise.all(all.map((work) => work.catch((error: unknown) => error)))).to.deep.equal([
        reason,
        reason,
      ]);
      expect(server.connections).to.equal(0);
    });
  });

  it('a proxy of the environment is never used', async () => {
    const server = await serve((_request, response) => void response.end('direct'));
    const proxy = await serve((_request, response) => void response.end('through the proxy'));
    const env = Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
        [name, `http://127.0.0.1:${proxy.port}`],
        [name.toLowerCase(), `http://127.0.0.1:${proxy.port}`],
      ]),
    );
    const args = [FETCH_ONCE, server.url, path, '127.0.0.1'];
    const { stdout } = await run(process.execPath, args, { env: { ...env, NODE_USE_ENV_PROXY: '1' } });
    expect(JSON.parse(stdout)).to.equal('downloaded');
    expect(proxy.connections).to.equal(0);
  });
});
