import { expect } from 'chai';
import express, { type Request } from 'express';
import { AppError } from '../../../../src/common/errors.ts';
import { getBaseUrl } from '../../../../src/common/http/base-url.ts';
import { errorHandler } from '../../../../src/common/http/errors.ts';
import { createHttpServer } from '../../../../src/common/http/server.ts';
import { S3Error } from '../../../../src/common/s3/error.ts';
import { useServers } from '../../../support/canary.ts';
import { testLogger } from '../../../support/logs.ts';

describe('answers', () => {
  const serve = useServers();

  it('say in whole seconds when to come back: rounded up, one at least', async () => {
    const app = express();
    app.get('/:seconds', (request) => {
      throw new AppError('rate_limited', {}, { retryAfter: Number(request.params.seconds) });
    });
    app.use(errorHandler(testLogger()));
    const { port } = await serve(app);
    for (const [seconds, header] of Object.entries({ 0: '1', 0.2: '1', 1: '1', 10.1: '11', 3600: '3600' })) {
      const response = await fetch(`http://127.0.0.1:${port}/${seconds}`);
      expect(response.headers.get('retry-after'), seconds).to.equal(header);
    }
  });

  it('are a 503 to be sent again where disk, file descriptors or the object store fail for a while', async () => {
    const app = express();
    app.get('/:failure', ({ params: { failure } }) => {
      const [code, status] = failure.split('-');
      if (status === undefined) throw Object.assign(new Error(code), { code });
      throw new S3Error('read', { name: code, code, $metadata: { httpStatusCode: Number(status) || undefined } });
    });
    app.use(errorHandler(testLogger()));
    const { port } = await serve(app);
    for (const [failure, ...expected] of [
      ...['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'].map((scarce) => [scarce, 503, '5']),
      ...['ETIMEDOUT-none', 'SlowDown-503', 'InternalError-500'].map((passing) => [passing, 503, '5']),
      ...['EIO', 'AccessDenied-403', 'WrongBytes-400'].map((lasting) => [lasting, 500, null]),
    ]) {
      const response = await fetch(`http://127.0.0.1:${port}/${failure}`);
      expect([response.status, response.headers.get('retry-after')], String(failure)).to.deep.equal(expected);
      expect(await response.json()).to.have.nested.property('error.code', 'internal');
    }
  });

  it('have links of the address that is configured, else of the one that was asked; https only where it is said', () => {
    const asked = (protocol?: string | string[]) =>
      ({ headers: { host: 'office.example', ...(protocol && { 'x-forwarded-proto': protocol }) } }) as Request;
    expect(getBaseUrl(asked('https'), 'http://other.example/')).to.equal('http://other.example');
    expect(getBaseUrl(asked('https'), undefined)).to.equal('https://office.example');
    for (const protocol of [undefined, 'http', 'HTTPS', 'https,http', 'https://evil.example', ['https', 'http']]) {
      expect(getBaseUrl(asked(protocol), undefined), String(protocol)).to.equal('http://office.example');
    }
  });

  it('wait for no request for ever', () => {
    const server = createHttpServer(() => undefined);
    expect(server).to.include({ headersTimeout: 10_000, requestTimeout: 600_000, maxHeadersCount: 100 });
  });
});
