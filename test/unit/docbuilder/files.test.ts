import { rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { getFile } from '../../../cmd/docbuilder/http/jobs.ts';
import type { JobRegistry } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import { createJobFiles } from '../../../cmd/docbuilder/store/folder-jobs.ts';
import { errorHandler } from '../../../src/common/http/errors.ts';
import { createHttpServer } from '../../../src/common/http/server.ts';
import { useFolder } from '../../support/folder.ts';
import { portOf } from '../../support/listen.ts';
import { testLogger } from '../../support/logs.ts';

describe('a result file that is asked for', () => {
  const folder = useFolder();
  let server: Server;
  let port: number;

  before(async () => {
    await writeFile(folder.at('file_1'), 'result');
    const app = express();
    const output = { fileId: 'file_1', filename: 'a.pdf', contentType: 'application/pdf', sha256: 'ab', size: 6 };
    app.get('/v1/files/:id', (request, response, next) => {
      const registry = {
        file: async () => ({ output, read: createJobFiles(folder.path).read('.', 'file_1') }),
      } as unknown as JobRegistry;
      const audit = { record: () => undefined, close: async () => undefined };
      return getFile({ registry, audit })(request, response, next);
    });
    app.use(errorHandler(testLogger()));
    server = createHttpServer(app).listen(0, '127.0.0.1');
    port = await portOf(server);
  });
  after(() => void server.close());

  it('by HEAD tells of the whole file: only GET has ranges (RFC 9110, 14.2)', async () => {
    const headers = { Range: 'bytes=0-1' };
    const response = await fetch(`http://127.0.0.1:${port}/v1/files/file_1`, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, '6']);
    expect(response.headers.get('accept-ranges')).to.equal('bytes');
    expect((await fetch(`http://127.0.0.1:${port}/v1/files/file_1`, { headers })).status).to.equal(206);
  });

  it('and is there no more although its job is known is gone, and nobody learns where it was', async () => {
    await rm(folder.at('file_1'));
    const response = await fetch(`http://127.0.0.1:${port}/v1/files/file_1`);
    expect(response.status).to.equal(410);
    const { error } = (await response.json()) as { error: { code: string; detail: object } };
    expect(error).to.deep.include({ code: 'gone', detail: {} });
  });
});
