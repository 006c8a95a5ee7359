import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import express, { type Response } from 'express';
import { getFile } from '../../../cmd/docbuilder/http/jobs.ts';
import type { JobRegistry } from '../../../cmd/docbuilder/jobs/job-registry.ts';
import { createJobFiles } from '../../../cmd/docbuilder/store/folder-jobs.ts';
import { errorHandler } from '../../../src/common/http/errors.ts';
import { createHttpServer } from '../../../src/common/http/server.ts';
import { createLogger } from '../../../src/common/log.ts';
import { tempFolder } from '../../support/inspect.ts';
import { portOf } from '../../support/listen.ts';

describe('a result file that is asked for', () => {
  let folder: Awaited<ReturnType<typeof tempFolder>>;
  let path: string;
  let server: Server;
  let port: number;
  let found: (response: Response) => Promise<void>;
  const logged = new PassThrough({ encoding: 'utf8' });

  before(async () => {
    folder = await tempFolder();
    path = join(folder.path, 'file_1');
    await writeFile(path, 'result');
    const app = express();
    const output = { fileId: 'file_1', filename: 'a.pdf', contentType: 'application/pdf', sha256: 'ab', size: 6 };
    app.get('/v1/files/:id', (request, response, next) => {
      const registry = {
        file: async () => {
          await found(response);
          return { output, read: createJobFiles(folder.path).read('.', 'file_1') };
        },
      } as unknown as JobRegistry;
      const audit = { record: () => undefined, close: async () => undefined };
      return getFile({ registry, audit })(request, response, next);
    });
    app.use(errorHandler(createLogger({ service: 'test', level: 'error', destination: logged })));
    server = createHttpServer(app).listen(0, '127.0.0.1');
    port = await portOf(server);
  });
  after(async () => {
    server.close();
    await folder.remove();
  });

  it('by a client that hangs up before it begins is no failure of the service', async () => {
    const client = connect(port, '127.0.0.1');
    const left = new Promise<void>((resolve) => {
      found = async (response) => {
        client.destroy();
        await once(response, 'close');
        resolve();
      };
    });
    client.write('GET /v1/files/file_1 HTTP/1.1\r\nHost: x\r\n\r\n');
    await left;
    found = async () => undefined;
    expect(await (await fetch(`http://127.0.0.1:${port}/v1/files/file_1`)).text()).to.equal('result');
    expect(logged.read()).to.equal(null);
  });

  it('by HEAD tells of the whole file: only GET has ranges (RFC 9110, 14.2)', async () => {
    const headers = { Range: 'bytes=0-1' };
    const response = await fetch(`http://127.0.0.1:${port}/v1/files/file_1`, { method: 'HEAD', headers });
    expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, '6']);
    expect(response.headers.get('accept-ranges')).to.equal('bytes');
    expect((await fetch(`http://127.0.0.1:${port}/v1/files/file_1`, { headers })).status).to.equal(206);
  });

  it('and is there no more although its job is known is gone, and nobody learns where it was', async () => {
    found = () => rm(path, { force: true });
    const response = await fetch(`http://127.0.0.1:${port}/v1/files/file_1`);
    expect(response.status).to.equal(410);
    const { error } = (await response.json()) as { error: { code: string; detail: object } };
    expect(error).to.deep.include({ code: 'gone', detail: {} });
  });
});
