import { expect } from 'chai';
import type { Environment } from '../../src/common/config.ts';
import type { ErrorResponse } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { useFolder } from '../support/folder.ts';
import { aloneSettings, spawnGate, startGateHere } from '../support/gate.ts';
import { openTestData } from '../support/gate-data.ts';
import { documentRecord, versionRecord } from '../support/gate-records.ts';

const MB = 1024 * 1024;
const MINUTE = 60_000;

describe('a gate that is put together', () => {
  const folder = useFolder('test');

  const start = async (environment: Environment) => startGateHere(await aloneSettings(folder.path, environment), {});

  it('says why it cannot start on its database, whose address is in a file, without the password', async () => {
    const file = await folder.file('postgresql://svc:hunter2@127.0.0.1:1/svc\n');
    const gate = spawnGate(await aloneSettings(folder.path, { SVC_DATABASE_URL_FILE: file }));
    expect(await gate.ended).to.equal(1);
    expect(gate.log()).to.match(/the database cannot be used: .*ECONNREFUSED/);
    expect(gate.log()).not.to.contain('hunter2');
  });

  it('removes at its start what is past SVC_EMBED_RETAIN_HOURS, and nothing else', async () => {
    const { rows, close } = await openTestData(folder.path);
    const closed = (docId: string, minutes: number) =>
      rows.transact(async (tx) => {
        await tx.putDocument(
          documentRecord({ docId, key: docId, state: 'closed', closedAt: Date.now() - minutes * MINUTE }),
        );
        await tx.putVersion(versionRecord({ docId }));
      });
    await closed('doc_old', 61);
    await closed('doc_new', 59);
    await close();
    const gate = await start({ SVC_EMBED_RETAIN_HOURS: '1' });
    await gate.stop();
    const after = await openTestData(folder.path);
    expect((await after.rows.transact((tx) => tx.documents())).map(({ docId }) => docId)).to.deep.equal(['doc_new']);
    await after.close();
  });

  it('takes documents of SVC_EMBED_MAX_FILE_MB and none that is larger', async () => {
    const source = await startCanary((request, response) => {
      response.end(Buffer.alloc(MB + (request.url === '/large' ? 1 : 0), 'x'));
    });
    const gate = await start({
      SVC_EMBED_MAX_FILE_MB: '1',
      SVC_EMBED_ALLOW_UNSIGNED: '1',
      SVC_FETCH_ALLOW_HOSTS: '127.0.0.1',
    });
    try {
      const open = async (key: string) => {
        const document = { url: `http://127.0.0.1:${source.port}/${key}`, fileType: 'txt', key };
        const answer = await fetch(`${gate.url}/svc/embed/session`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ document, editor: {} }),
        });
        return ((await answer.json()) as ErrorResponse).error;
      };
      expect(await open('large')).to.deep.include({ code: 'file_too_large', detail: { limit_mb: 1 } });
      // The document is there; it is the editor that is not.
      expect(await open('right')).to.include({ code: 'editor_unavailable' });
    } finally {
      await gate.stop();
      await source.close();
    }
  });
});
