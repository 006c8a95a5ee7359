import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBlobs } from '../../../../cmd/gate/store/blobs.ts';
import { createIncoming } from '../../../../cmd/gate/store/incoming.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { blobsContract, rowsContract } from '../../../support/gate-store.ts';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'svc-store-'));

rowsContract('SQLite', async () => {
  const path = await folder();
  return { open: () => createRows(join(path, 'gate.db')), dispose: () => rm(path, { recursive: true }) };
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
