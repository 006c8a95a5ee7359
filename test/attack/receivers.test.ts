import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCanary } from '../support/canary.ts';
import { CONTENT, hex, sha256, startFileService } from '../support/receiver-events.ts';
import { RECEIVER_KINDS, receiverKeys, startReceiver } from '../support/receivers.ts';
import { useStarted } from '../support/use-started.ts';

for (const kind of RECEIVER_KINDS) {
  describe(`the ${kind} receiver`, () => {
    const keys = receiverKeys();
    const files = useStarted(startFileService, ({ close }) => close());
    const receiver = useStarted(
      () => startReceiver(kind, { ...keys, SVC_BASE_URL: files.base }),
      ({ stop }) => stop(),
    );

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
  });
}
