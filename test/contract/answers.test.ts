import { expect } from 'chai';
import type { Job } from '../../src/common/generated/wire.ts';
import { form, startEnterprise, type TestService } from '../support/service.ts';

const TEXT = Buffer.from('<script>alert(1)</script>\n');

describe('answers with documents', () => {
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(() => service.stop());

  it('are files that no browser shows or guesses at, and that nobody else keeps', async () => {
    const post = (path: string, fields: Record<string, string>) =>
      service.call(path, { method: 'POST', body: form(TEXT, 'a.txt', fields) });
    const async = (await (await post('/v1/convert', { to: 'txt', async: 'true' })).json()) as Job;
    const [output] = (await service.ended(async.id)).outputs;
    for (const [answer, cached] of [
      [await post('/v1/convert', { to: 'txt' }), 'no-store'],
      [await post('/v1/extract/text', { format: 'text' }), 'no-store'],
      [await post('/v1/extract/thumbnail', {}), 'no-store'],
      [await service.call(new URL(output?.url ?? '').pathname), 'private, no-cache'],
    ] as const) {
      expect(answer.status, answer.url).to.equal(200);
      expect(answer.headers.get('x-content-type-options'), answer.url).to.equal('nosniff');
      expect(answer.headers.get('content-disposition'), answer.url).to.match(/^attachment; /);
      expect(answer.headers.get('cache-control'), answer.url).to.equal(cached);
      expect(answer.headers.get('x-powered-by')).to.equal(null);
      await answer.arrayBuffer();
    }
  });
});
