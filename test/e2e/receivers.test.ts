import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { signCallback } from '../../src/common/crypto/signature.ts';
import { startCanary } from '../support/canary.ts';
import { CONTENT, type FileService, hex, sha256, startFileService } from '../support/receiver-events.ts';
import { RECEIVER_KINDS, type Receiver, receiverKeys, spawnReceiver, startReceiver } from '../support/receivers.ts';
import { until } from '../support/service.ts';

for (const kind of RECEIVER_KINDS) {
  describe(`the ${kind} receiver`, () => {
    const keys = receiverKeys();
    let files: FileService;
    let receiver: Receiver;
    before(async () => {
      files = await startFileService();
      receiver = await startReceiver(kind, { ...keys, SVC_BASE_URL: files.base });
    });
    after(async () => {
      await receiver.stop();
      files.close();
    });

    describe('answers', () => {
      it('204 to a signed event, downloads its file with the key and keeps it under a name of its own', async () => {
        const body = files.job();
        expect(await receiver.send(body, 'job.done')).to.equal(204);
        await receiver.logged('downloaded', body.name);
        expect(await receiver.kept(body.name)).to.deep.equal(CONTENT);
        const [request] = files.requestsFor(files.base + body.path);
        expect(request?.headers.authorization).to.equal(`Bearer ${keys.SVC_API_KEY}`);
      });

      it('204 to what either secret signs, within 300 s of its clock, and 401 to all else, before anything is parsed', async () => {
        const body = files.job();
        for (const changes of [{ secret: keys.CALLBACK_SECRET_OLD }, { ahead: 290 }, { ahead: -290 }])
          expect(await receiver.send(files.job(), 'job.done', changes), JSON.stringify(changes)).to.equal(204);
        const refused: Parameters<Receiver['send']>[2][] = [
          { ahead: 310 },
          { ahead: -310 },
          { secret: 'another secret' },
          { secret: '' },
          { headers: { 'X-SVC-Signature': `sha256=${hex(32)}` } },
          { headers: { 'X-SVC-Signature': 'sha256=' } },
          { headers: { 'X-SVC-Signature': 'sha256=\u00e9' } },
          { headers: { 'X-SVC-Signature': null } },
          { headers: { 'X-SVC-Timestamp': null } },
          { headers: { 'X-SVC-Timestamp': '1e9' } },
          { headers: { 'X-SVC-Timestamp': String(Math.floor(Date.now() / 1000) + 100) } },
        ];
        for (const changes of refused) expect(await receiver.send(body, 'job.done', changes)).to.equal(401);
        expect(receiver.lines(body.job.id)).to.deep.equal([]);
        expect(await receiver.send('{', 'job.done', { headers: { 'X-SVC-Signature': null } })).to.equal(401);
      });

      it('400 to signed bodies and headers that make no sense', async () => {
        const wrong = (changes: Record<string, unknown>) => ({
          ...files.job(),
          job: { ...files.job().job, ...changes },
        });
        const malformed: (object | string | Buffer)[] = [
          '',
          '{',
          'null',
          '[]',
          '[['.repeat(100_000),
          Buffer.from([0x7b, 0xff, 0x7d]),
          { event: 'job.done' },
          { event: 'job.done', job: null },
          wrong({ id: '../job_1' }),
          wrong({ outputs: null }),
          wrong({ outputs: [null] }),
          files.job({ file_id: `../../file_${hex(12)}` }),
          files.job({ format: '../sh' }),
          files.job({ size: -1 }),
          files.job({ sha256: 'ABC' }),
          files.job({ url: null }),
        ];
        for (const body of malformed) expect(await receiver.send(body, 'job.done'), JSON.stringify(body)).to.equal(400);
        expect(await receiver.send(files.document('', 1), 'document.saved')).to.equal(400);
        expect(await receiver.send(files.document('a', 1.5), 'document.saved')).to.equal(400);
        expect(await receiver.send(files.job(), 'job.failed'), 'event differs').to.equal(400);
        for (const id of [null, '', '../../etc/passwd', `${randomUUID()}x`]) {
          const headers = { 'X-SVC-Delivery': id };
          expect(await receiver.send(files.job(), 'job.done', { headers }), `${id}`).to.equal(400);
        }
      });

      it('413 to a body over 1 MiB, however well signed, and 404 and 405 elsewhere', async () => {
        const big = { ...files.job(), padding: 'x'.repeat(1024 * 1024) };
        expect(await receiver.send(big, 'job.done')).to.equal(413);
        expect(receiver.lines(big.job.id)).to.deep.equal([]);
        expect(await receiver.send(files.job(), 'job.done')).to.equal(204);
        // And to what is elsewhere.
        expect(await receiver.send(files.job(), 'job.done', { path: '/' })).to.equal(404);
        expect(await receiver.send(files.job(), 'job.done', { method: 'GET' })).to.equal(405);
      });

      it('a sender that leaves in the middle of a body does no harm', async () => {
        const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
        socket.write('POST /callbacks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
        socket.end();
        socket.resume();
        await new Promise((resolve) => socket.once('close', resolve));
        expect(await receiver.send(files.job(), 'job.done')).to.equal(204);
      });
    });

    describe('takes once', () => {
      it('a delivery that is sent again', async () => {
        const body = files.job();
        const headers = { 'X-SVC-Delivery': randomUUID() };
        for (let i = 0; i < 3; i += 1) expect(await receiver.send(body, 'job.done', { headers })).to.equal(204);
        await receiver.logged('downloaded', body.name);
        await until('a line for each', () => receiver.lines(body.job.id).length >= 3);
        expect(receiver.lines(body.job.id).map((line) => line.split(' ')[1])).to.deep.equal([
          'recorded',
          'repeat',
          'repeat',
        ]);
      });

      it('copies that come at the same moment', async () => {
        const body = files.job();
        const sent = Array.from({ length: 8 }, () => receiver.send(body, 'job.done'));
        expect(await Promise.all(sent)).to.deep.equal(sent.map(() => 204));
        await receiver.logged('downloaded', body.name);
        expect(receiver.lines(`recorded event=job.done`).filter((line) => line.includes(body.job.id))).to.have.length(
          1,
        );
        expect(files.requestsFor(files.base + body.path)).to.have.length(1);
      });

      it('a body that is played again under another delivery id, which nothing signs', async () => {
        const [done, saved] = [files.job(), files.document('replayed', 3)];
        const closed = { ...saved, status: 'closed' };
        for (const [body, event] of [
          [done, 'job.done'],
          [saved, 'document.saved'],
          [closed, 'document.closed'],
        ] as const) {
          const headers = { 'X-SVC-Delivery': randomUUID() };
          expect(await receiver.send(body, event, { headers })).to.equal(204);
          const again = randomUUID();
          expect(await receiver.send(body, event, { headers: { 'X-SVC-Delivery': again } })).to.equal(204);
          expect(await receiver.logged(again)).to.contain(' repeat ');
        }
      });

      it('a failed job, with its code', async () => {
        const failed = {
          event: 'job.failed',
          job: { ...files.job().job, outputs: [], error: { code: 'corrupt_source' } },
        };
        expect(await receiver.send(failed, 'job.failed')).to.equal(204);
        expect(await receiver.logged('recorded', failed.job.id)).to.contain('code=corrupt_source');
      });

      it('what it had recorded before it was killed, and goes on with the download', async () => {
        const body = files.job();
        const headers = { 'X-SVC-Delivery': randomUUID() };
        files.answers.set(body.path, { status: 503, body: CONTENT });
        expect(await receiver.send(body, 'job.done', { headers })).to.equal(204);
        await receiver.logged('download_failed', headers['X-SVC-Delivery'], 'status_503');
        await receiver.stop({ keep: true });
        // A power cut may leave a part of a line.
        if (kind === 'node') await writeFile(join(receiver.directory, 'events.jsonl'), '\n{"deliv', { flag: 'a' });
        files.answers.delete(body.path);
        receiver = await startReceiver(kind, { ...keys, SVC_BASE_URL: files.base, RECEIVER_DIR: receiver.directory });
        expect(await receiver.send(body, 'job.done', { headers })).to.equal(204);
        expect(await receiver.logged(body.job.id)).to.contain(' repeat ');
        expect(await until('its file is there', () => receiver.kept(body.name).catch(() => undefined))).to.deep.equal(
          CONTENT,
        );
        const next = files.job();
        expect(await receiver.send(next, 'job.done')).to.equal(204);
        await receiver.logged('downloaded', next.name);
      });

      it('a download that failed: it is tried again after 5 s, and others do not wait for it', async () => {
        const [first, second] = [files.job(), files.job()];
        files.answers.set(first.path, { status: 500, body: CONTENT });
        expect(await receiver.send(first, 'job.done')).to.equal(204);
        await until('it is asked for', () => files.requestsFor(files.base + first.path).length === 1 || undefined);
        files.answers.delete(first.path);
        expect(await receiver.send(second, 'job.done')).to.equal(204);
        await receiver.logged('downloaded', second.name);
        expect(files.requestsFor(files.base + first.path)).to.have.length(1);
        await receiver.logged('downloaded', first.name);
        expect(files.requestsFor(files.base + first.path)).to.have.length(2);
      });
    });

    describe('does not keep or send', () => {
      const refusedDownload = async (body: object, event: string, reason: string) => {
        const delivery = randomUUID();
        expect(await receiver.send(body, event, { headers: { 'X-SVC-Delivery': delivery } })).to.equal(204);
        expect(await receiver.logged('download_failed', delivery)).to.contain(`reason=${reason}`);
        expect(receiver.lines('downloaded').filter((line) => line.includes(delivery))).to.deep.equal([]);
      };

      it('a request to an address that is not under the base URL, though the body is signed', async () => {
        const count = files.asked.length;
        const elsewhere = await startCanary((_request, response) => void response.end(CONTENT));
        after(elsewhere.close);
        const { port } = elsewhere;
        const id = `file_${hex(12)}`;
        const starts = ['http://', `${files.base}@`, `${files.base}\\@`].map((start) => `${start}127.0.0.1:${port}`);
        const addresses = [
          ...[...starts, `${files.base}.localhost:${port}`, 'file://'].map((start) => `${start}/v1/files/${id}`),
          ...[`../../other/${id}`, `${id}?a`].map((end) => `${files.base}/v1/files/${end}`),
        ];
        for (const url of addresses)
          await refusedDownload(files.job({ file_id: id, url }), 'job.done', 'address_not_allowed');
        const paths = [
          ...starts.slice(0, 2).map((start) => `${start}/svc/embed/files/doc_1`),
          ...['../../../admin', '%2e%2e/%2e%2e/admin', 'a\r\nX: y'].map(
            (end) => `${files.base}/svc/embed/files/${end}`,
          ),
        ];
        for (const [n, url] of paths.entries()) {
          const body = files.document(`elsewhere ${n}`, 1, CONTENT, { url });
          await refusedDownload(body, 'document.saved', 'address_not_allowed');
        }
        expect(elsewhere.connections).to.equal(0);
        expect(files.asked.length).to.equal(count);
      });

      it('the key along a redirect', async () => {
        const body = files.job();
        files.answers.set(body.path, { status: 302, body: CONTENT, location: `${files.base}/elsewhere` });
        await refusedDownload(body, 'job.done', '');
        expect(files.requestsFor(`${files.base}/elsewhere`)).to.deep.equal([]);
      });

      it('a file with another hash or another size than the event told', async () => {
        await refusedDownload(files.job({ sha256: sha256('other') }), 'job.done', 'sha256');
        await refusedDownload(files.job({ size: CONTENT.length - 1 }), 'job.done', 'size');
        await refusedDownload(files.job({ size: CONTENT.length + 1 }), 'job.done', 'size');
      });

      it('an answer that is no file', async () => {
        const body = files.job();
        files.answers.set(body.path, { status: 410, body: CONTENT });
        await refusedDownload(body, 'job.done', 'status_410');
      });

      it('files that others on the machine could read', async () => {
        const body = files.job();
        await receiver.send(body, 'job.done');
        await receiver.logged('downloaded', body.name);
        const folder = join(receiver.directory, 'files');
        expect((await stat(folder)).mode & 0o077).to.equal(0);
        expect((await stat(join(folder, body.name))).mode & 0o077).to.equal(0);
      });

      it('titles, keys, addresses or hashes in its log', async () => {
        expect(await receiver.send(files.document('a key', 1), 'document.saved')).to.equal(204);
        await receiver.logged('downloaded', 'document.saved');
        for (const text of ['Hợp đồng', 'a key', 'elsewhere', sha256(CONTENT), files.base, 'sig=']) {
          expect(receiver.lines(text).filter((line) => !line.includes('listening'))).to.deep.equal([]);
        }
      });
    });

    describe('keeps of a document', () => {
      const getName = (key: string) => `${sha256(key)}.docx`;

      it('the greatest version, in whatever order they come, and asks for it without the key', async () => {
        const key = 'Hợp đồng/../số 1\n';
        const version = (n: number) => files.document(key, n, Buffer.from(`version ${n}`));
        expect(await receiver.send(version(1), 'document.saved')).to.equal(204);
        expect(await receiver.send(version(3), 'document.saved')).to.equal(204);
        const late = randomUUID();
        const second = version(2);
        expect(await receiver.send(second, 'document.saved', { headers: { 'X-SVC-Delivery': late } })).to.equal(204);
        expect(await receiver.logged(late)).to.contain(' older ');
        await until(
          'version 3 is kept',
          async () => (await receiver.kept(getName(key)).catch(() => '')).toString() === 'version 3',
        );
        expect(files.requestsFor(second.url)).to.deep.equal([]);
        const asking = files.asked.filter(({ url }) => url.includes(sha256(key)));
        expect(asking.filter(({ headers }) => headers.authorization !== undefined)).to.deep.equal([]);
        expect((await readdir(join(receiver.directory, 'files'))).filter((name) => name.endsWith('.part'))).to.be.empty;
      });

      it('the version that only the closing brought', async () => {
        const closed = files.document('lost save', 4, Buffer.from('version 4'), { status: 'closed' });
        expect(await receiver.send(closed, 'document.closed')).to.equal(204);
        await until('it is kept', () => receiver.kept(getName('lost save')).catch(() => undefined));
        const empty = files.document('untouched', 0, CONTENT, { status: 'closed', url: null });
        expect(await receiver.send(empty, 'document.closed')).to.equal(204);
      });
    });

    it('has a verify that lets nothing pass where no secret, or an empty one, is given', async () => {
      const { verify } = await import(String(new URL('../../examples/receivers/node/verify.mjs', import.meta.url)));
      const signature = signCallback('', 1, 'x');
      const code = `import sys; sys.path.insert(0, 'examples/receivers/python'); from verify import verify
verify({'X-SVC-Timestamp': '1', 'X-SVC-Signature': '${signature}'}, b'x', SECRETS, 1)`;
      for (const secrets of [[], ['']]) {
        if (kind === 'node') {
          const headers = { 'x-svc-timestamp': '1', 'x-svc-signature': signature };
          expect(() => verify(headers, Buffer.from('x'), secrets, 1)).to.throw('no_secret');
        } else {
          const run = spawnSync('python3', ['-B', '-c', code.replace('SECRETS', JSON.stringify(secrets))]);
          expect(String(run.stderr)).to.contain('no_secret');
        }
      }
    });

    it('takes the event that the lines of the README send', async () => {
      const [, lines = ''] = /```sh\n([^`]*)```/.exec(await readFile('examples/receivers/README.md', 'utf8')) ?? [];
      const environment = { PATH: process.env['PATH'], URL: receiver.url, CALLBACK_SECRET: keys.CALLBACK_SECRET };
      const { stdout } = await promisify(execFile)('sh', ['-c', lines], { env: environment });
      expect(stdout).to.match(/^HTTP\/1\.[01] 204 /);
      await receiver.logged('recorded event=job.failed', 'code=timeout');
    });

    describe('starts', () => {
      it('with a secret from a file, less its line end', async () => {
        const path = join(receiver.directory, 'secret');
        await writeFile(path, `${keys.CALLBACK_SECRET}\n`);
        const other = await startReceiver(kind, { CALLBACK_SECRET_FILE: path, SVC_BASE_URL: files.base });
        try {
          expect(await other.send(files.job(), 'job.done', { secret: keys.CALLBACK_SECRET })).to.equal(204);
          expect(await other.send(files.job(), 'job.done', { secret: 'another secret' })).to.equal(401);
        } finally {
          await other.stop();
        }
      });

      it('not without a secret, unless told to take unsigned events', async () => {
        const refused = spawnReceiver(kind, { SVC_BASE_URL: files.base, RECEIVER_DIR: receiver.directory });
        expect(await refused.ended).to.equal(1);
        expect(refused.log()).to.contain('CALLBACK_SECRET is not set');
        const open = await startReceiver(kind, { CALLBACK_ALLOW_UNSIGNED: '1', SVC_BASE_URL: files.base });
        try {
          expect(await open.send(files.job(), 'job.done', { headers: { 'X-SVC-Signature': null } })).to.equal(204);
          expect(open.log()).to.contain('not verified');
        } finally {
          await open.stop();
        }
      });
    });
  });
}
