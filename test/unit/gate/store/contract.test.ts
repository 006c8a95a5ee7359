import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { createBlobs } from '../../../../cmd/gate/store/blobs.ts';
import { createIncoming } from '../../../../cmd/gate/store/incoming.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { createS3Blobs } from '../../../../cmd/gate/store/s3-blobs.ts';
import { useFolder } from '../../../support/folder.ts';
import { documentRecord, randomBlob, uploadRecord } from '../../../support/gate-records.ts';
import { rowsContract } from '../../../support/gate-store.ts';
import { blobsContract } from '../../../support/gate-store-blobs.ts';
import { testLogger } from '../../../support/logs.ts';
import { s3Missing, startS3Server } from '../../../support/s3-server.ts';
import { useStarted } from '../../../support/use-started.ts';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'svc-store-'));

rowsContract('SQLite', async () => {
  const path = await folder();
  return { open: () => createRows(join(path, 'gate.db')), dispose: () => rm(path, { recursive: true }) };
});

describe('rows that forget uploads and removals', () => {
  const place = useFolder();
  const open = () => createRows(place.at('gate.db'), { forgetful: true });

  it('have them as long as they are open, and nothing else of them', async () => {
    const [upload, removed] = [uploadRecord(), randomBlob()];
    const first = await open();
    await first.transact(async (tx) => {
      await tx.putDocument(documentRecord());
      await tx.putUpload(upload);
      await tx.addRemoval(removed, 1);
    });
    const undone = await first
      .transact(async (tx) => {
        await tx.removeUpload(upload.blob);
        throw new Error('on purpose');
      })
      .catch((error: Error) => error.message);
    expect(undone).to.equal('on purpose');
    const known = (rows: Rows) => rows.read((tx) => tx.knownBlobs([upload.blob, removed]));
    expect(await known(first)).to.have.members([upload.blob, removed]);
    await first.close();
    const second = await open();
    expect([await known(second), (await second.read((tx) => tx.documents())).length]).to.deep.equal([[], 1]);
    await second.close();
  });
});

blobsContract('files', async () => {
  const path = await folder();
  return {
    open: async () => ({
      incoming: await createIncoming(join(path, 'incoming')),
      blobs: await createBlobs(join(path, 'blobs')),
    }),
    dispose: () => rm(path, { recursive: true }),
    files: async () =>
      (await readdir(path, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
  };
});

describe('on a real S3 server', () => {
  let places = 0;
  const server = useStarted(
    (context) => (s3Missing() ? context.skip() : startS3Server()),
    ({ dispose }) => dispose(),
  );

  blobsContract('objects', async () => {
    const path = await folder();
    const prefix = `place-${++places}/`;
    return {
      open: async () => ({
        incoming: await createIncoming(join(path, 'incoming')),
        blobs: await createS3Blobs({ ...server.settings, prefix }, testLogger()),
      }),
      dispose: () => rm(path, { recursive: true }),
      files: async () => [
        ...(await readdir(join(path, 'incoming'))),
        ...(await server.files())
          .filter((file) => file.startsWith(`${prefix}documents/`))
          .map((file) => basename(file)),
      ],
    };
  });
});
