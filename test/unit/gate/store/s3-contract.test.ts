import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createIncoming } from '../../../../cmd/gate/store/incoming.ts';
import { createS3Blobs } from '../../../../cmd/gate/store/s3-blobs.ts';
import { blobsContract } from '../../../support/gate-store-blobs.ts';
import { testLogger } from '../../../support/logs.ts';
import { type S3Server, s3Missing, startS3Server } from '../../../support/s3-server.ts';

describe('on a real S3 server', () => {
  let server: S3Server;
  let places = 0;
  before(async function () {
    if (s3Missing()) this.skip();
    server = await startS3Server();
  });
  after(() => server?.dispose());

  blobsContract('objects', async () => {
    const path = await mkdtemp(join(tmpdir(), 'svc-store-'));
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
