import { createServer, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import express from 'express';
import type { ErrorResponse } from '../../../../src/common/generated/wire.ts';
import { errorHandler } from '../../../../src/common/http/errors.ts';
import { readJson } from '../../../../src/common/http/json.ts';
import { portOf } from '../../../support/listen.ts';
import { testLogger } from '../../../support/logs.ts';

const IDLE_MS = 300;
const DRIP_MS = 50;

describe('JSON that comes byte by byte', () => {
  for (const headers of [{ 'Content-Length': '4096' }, { 'Transfer-Encoding': 'chunked' }]) {
    it(`is waited for no longer than a slow line would take (${Object.keys(headers)})`, async () => {
      const app = express();
      app.post('/', async (asked, response) => void response.json(await readJson(asked, IDLE_MS, 8 * 1024)));
      app.use(errorHandler(testLogger()));
      const server = createServer(app).listen(0, '127.0.0.1');
      const started = performance.now();
      const post = request({ port: await portOf(server), method: 'POST', headers });
      const drip = setInterval(() => post.write(' '), DRIP_MS);
      try {
        const { status, error } = await new Promise<{ status: number | undefined; error: ErrorResponse['error'] }>(
          (resolve, reject) => {
            post.on('error', reject).on('response', (response) => {
              json(response).then(
                (body) => resolve({ status: response.statusCode, ...(body as ErrorResponse) }),
                reject,
              );
            });
          },
        );
        expect([status, error.code]).to.deep.equal([408, 'bad_request']);
        expect(performance.now() - started).to.be.within(IDLE_MS, 10 * IDLE_MS);
      } finally {
        clearInterval(drip);
        post.destroy();
        server.closeAllConnections();
        server.close();
      }
    });
  }
});
