import { execFile } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { exists } from '../../../../src/common/fs/exists.ts';
import { useServers } from '../../../support/canary.ts';
import { useFolder } from '../../../support/folder.ts';
import { openDoor, refusal } from '../../../support/outbound.ts';
import { trustTestCertificate } from '../../../support/tls.ts';

const run = promisify(execFile);
const FETCH_ONCE = join(import.meta.dirname, '../../../support/fetch-once.ts');

describe('the outbound door', () => {
  const folder = useFolder('test');
  const serve = useServers();
  let path: string;
  beforeEach(() => {
    path = folder.at('file');
  });

  /** A door that knows files.test as the loopback address, listed by name. */
  const listed = (allow = 'files.test') => openDoor(allow, { 'files.test': [['127.0.0.1']] }).door;
  const options = (more = {}) => ({ path, maxBytes: 1_048_576, timeoutMs: 5000, ...more });

  describe('download', () => {
    it('asks for the URL as it stands, as identity, and writes the body to a new file that only its owner can read', async () => {
      const { port, requests } = await serve();
      const got = await listed().download(`http://files.test:${port}/a%2Fb/c.docx?q=%20#frag`, options());
      expect(got).to.deep.equal({ filename: 'c.docx' });
      expect(requests[0]).to.include({ method: 'GET', url: '/a%2Fb/c.docx?q=%20' });
      expect(requests[0]?.headers).to.include({ host: `files.test:${port}`, 'accept-encoding': 'identity' });
      expect(await readFile(path, 'utf8')).to.equal('canary');
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
    });

    it('reports the name, in UTF-8 or Latin-1, and the type that the server gives', async () => {
      const head =
        'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/csv; charset=utf-8\r\nContent-Disposition: ';
      const { port } = await serve((request) => {
        const name = Buffer.from('inline; filename="Báo cáo.csv"', request.url === '/utf8' ? 'utf8' : 'latin1');
        request.socket.end(Buffer.concat([Buffer.from(head), name, Buffer.from('\r\n\r\na')]));
      });
      for (const url of ['/utf8', '/latin1']) {
        const got = await listed().download(`http://files.test:${port}${url}`, options());
        expect(got).to.deep.equal({ filename: 'Báo cáo.csv', contentType: 'text/csv; charset=utf-8' });
        await rm(path);
      }
    });

    it('follows up to three redirects of every kind, relative and in raw UTF-8 as well', async () => {
      for (const status of [301, 302, 303, 307, 308]) {
        const { port } = await serve((request, response) => {
          const hop = Number(request.url?.slice(1, 2));
          if (hop === 3) return response.end(decodeURI(request.url ?? ''));
          return response.writeHead(status, { Location: Buffer.from(`/${hop + 1}/tệp`).toString('latin1') }).end('no');
        });
        await listed().download(`http://files.test:${port}/0`, options());
        expect(await readFile(path, 'utf8')).to.equal('/3/tệp');
        await rm(path);
      }
    });

    it('accepts a file of exactly the limit, with and without Content-Length', async () => {
      const { port } = await serve((request, response) => {
        if (request.url === '/chunked') response.write('1234');
        response.end(request.url === '/chunked' ? '5678' : '12345678');
      });
      for (const url of ['/plain', '/chunked']) {
        await listed().download(`http://files.test:${port}${url}`, options({ maxBytes: 8 }));
        expect(await readFile(path, 'utf8')).to.equal('12345678');
        await rm(path);
      }
    });

    it('takes nothing but 200 for success', async () => {
      const { port } = await serve((request, response) => {
        response.writeHead(Number(request.url?.slice(1))).end('x');
      });
      for (const status of [201, 204, 206, 300, 302, 304, 404, 500]) {
        const download = listed().download(`http://files.test:${port}/${status}`, options());
        expect(await refusal(download, 'download_failed')).to.deep.equal({ reason: 'status', status });
      }
      expect(await exists(path)).to.equal(false);
    });

    it('tries the other checked addresses when one does not answer', async () => {
      const { port } = await serve();
      const { door } = openDoor('two.test', { 'two.test': [['127.0.0.9', '127.0.0.1']] });
      await door.download(`http://two.test:${port}/`, options());
      expect((await readFile(path)).length).to.equal(6);
    });

    it('never touches a file that is there already', async () => {
      const { port } = await serve();
      await writeFile(path, 'mine');
      const download = listed().download(`http://files.test:${port}/`, options());
      expect(await download.catch(({ code }) => code)).to.equal('EEXIST');
      expect(await readFile(path, 'utf8')).to.equal('mine');
    });

    it('lets the error of a full disk through as it is and leaves no file', async () => {
      const { port } = await serve((_request, response) => void response.end(Buffer.alloc(200_000)));
      const args = [process.execPath, FETCH_ONCE, `http://127.0.0.1:${port}/`, path, '127.0.0.1'];
      // A limit on the size of files fails a write in its middle, as a full disk does, with a code of its own.
      const { stdout } = await run('/bin/sh', ['-c', 'ulimit -f 16; exec "$@"', 'sh', ...args]);
      expect(JSON.parse(stdout)).to.deep.equal({ name: 'Error', code: 'EFBIG' });
      expect(await exists(path)).to.equal(false);
    });

    it('speaks TLS for the name of the URL and refuses a certificate for another', async () => {
      const { port } = await serve(undefined, { tls: true });
      const names = { 'secure.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] };
      const { door } = openDoor('secure.test,other.test', names);
      const distrust = await refusal(door.download(`https://secure.test:${port}/`, options()), 'download_failed');
      expect(distrust).to.deep.equal({ reason: 'network' });
      const restore = trustTestCertificate();
      try {
        await door.download(`https://secure.test.:${port}/`, options());
        expect((await readFile(path)).length).to.equal(6);
        await rm(path);
        await refusal(door.download(`https://other.test:${port}/`, options()), 'download_failed');
      } finally {
        restore();
      }
    });
  });

  describe('post', () => {
    it('sends once: a receiver that hangs up gets no second request', async () => {
      const { port, requests } = await serve((request) => request.socket.destroy());
      const url = `http://files.test:${port}/`;
      const detail = await refusal(
        listed().post(url, { headers: {}, body: Buffer.from('x'), timeoutMs: 5000 }),
        'download_failed',
      );
      expect(detail).to.deep.equal({ reason: 'network' });
      expect(requests).to.have.length(1);
    });
  });

  describe('check', () => {
    it('accepts a name that has no address now: it may have one when the request is made', async () => {
      const { door, asked } = openDoor();
      await door.check('https://later.test/hook');
      expect(asked).to.deep.equal(['later.test']);
      const empty = openDoor('', { 'empty.test': [[]] }).door;
      await empty.check('http://empty.test/');
      const detail = await refusal(empty.download('http://empty.test/', options()), 'download_failed');
      expect(detail).to.deep.equal({ reason: 'network' });
    });
  });
});
