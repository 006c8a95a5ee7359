import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import type { Environment } from '../../src/common/config.ts';
import type { ErrorResponse } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { startGateHere } from '../support/gate.ts';
import { openTestData } from '../support/gate-data.ts';
import { documentRecord, versionRecord } from '../support/gate-records.ts';
import { startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const MINUTE = 60_000;

describe('a gate that is put together', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-gate-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function start(environment: Environment) {
    const [port, internalPort, nobody] = await freePorts(3);
    return startGateHere(
      {
        SVC_GATE_LISTEN: `127.0.0.1:${port}`,
        SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
        SVC_GATE_DATA_DIR: folder,
        SVC_ONLINE_URL: `http://127.0.0.1:${nobody}`,
        SVC_AUDIT_TARGET: 'off',
        ...environment,
      },
      {},
    );
  }

  it('removes at its start what is past SVC_EMBED_RETAIN_HOURS, and nothing else', async () => {
    const { rows } = await openTestData(folder);
    const closed = (docId: string, minutes: number) =>
      rows.transact(async (tx) => {
        await tx.putDocument(
          documentRecord({ docId, key: docId, state: 'closed', closedAt: Date.now() - minutes * MINUTE }),
        );
        await tx.putVersion(versionRecord({ docId }));
      });
    await closed('doc_old', 61);
    await closed('doc_new', 59);
    await rows.close();
    const gate = await start({ SVC_EMBED_RETAIN_HOURS: '1' });
    await gate.stop();
    const after = (await openTestData(folder)).rows;
    expect((await after.transact((tx) => tx.documents())).map(({ docId }) => docId)).to.deep.equal(['doc_new']);
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

describe('a document that is being saved', function () {
  this.timeout(60_000);
  it('is not told to be closed before the save has ended', async () => {
    const stack = await startStack();
    try {
      const session = await stack.create();
      const wopi = `${stack.environment['SVC_GATE_WOPI_URL']}/svc/wopi/files/${session.doc_id}/contents`;
      const half = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.alloc(1000, 'x'));
          await half.promise;
          controller.enqueue(Buffer.alloc(1000, 'y'));
          controller.close();
        },
      });
      const saving = fetch(`${wopi}?access_token=${session.form.access_token}`, {
        ...{ method: 'POST', headers: { 'X-WOPI-Override': 'PUT', 'X-COOL-WOPI-IsExitSave': 'true' } },
        ...{ body, duplex: 'half' as const },
      });
      await stack.pass(100_000);
      expect((await stack.status()).embed.open_documents).to.equal(1);
      half.resolve();
      expect((await saving).status).to.equal(200);
      await stack.pass(40_000);
      await until('it is closed', () => stack.receiver.arrived.find(({ body: told }) => told.status === 'closed'));
      const told = stack.receiver.arrived.map(({ body: { status, version } }) => `${status} ${version}`);
      expect(told).to.deep.equal(['saved 1', 'closed 1']);
    } finally {
      await stack.stop();
    }
  });
});
