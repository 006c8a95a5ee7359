import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCanary } from '../support/canary.ts';
import { CONTENT, type FileService, hex, sha256, startFileService } from '../support/receiver-events.ts';
import { RECEIVER_KINDS, type Receiver, receiverKeys, startReceiver } from '../support/receivers.ts';

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
        const addresses = [
          `http://127.0.0.1:${port}/v1/files/${id}`,
          `${files.base}@127.0.0.1:${port}/v1/files/${id}`,
          `${files.base}.localhost:${port}/v1/files/${id}`,
          `${files.base}/v1/files/../../other/${id}`,
          `${files.base}/v1/files/${id}?a`,
          `${files.base}\\@127.0.0.1:${port}/v1/files/${id}`,
          `file:///v1/files/${id}`,
        ];
        for (const url of addresses)
          await refusedDownload(files.job({ file_id: id, url }), 'job.done', 'address_not_allowed');
        const paths = [
          `http://127.0.0.1:${port}/svc/embed/files/doc_1`,
          `${files.base}@127.0.0.1:${port}/svc/embed/files/doc_1`,
          `${files.base}/svc/embed/files/../../../admin`,
          `${files.base}/svc/embed/files/%2e%2e/%2e%2e/admin`,
          `${files.base}/svc/embed/files/a\r\nX: y`,
        ];
        for (const [n, url] of paths.entries()) {
          await refusedDownload(
            files.document(`elsewhere ${n}`, 1, CONTENT, { url }),
            'document.saved',
            'address_not_allowed',
          );
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
  });
}
