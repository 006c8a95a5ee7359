import { expect } from 'chai';
import { MAX_JSON_VALUES } from '../../src/common/http/json-load.ts';
import { errorOf, startEnterprise, type TestService } from '../support/service.ts';

/** 9 MB of text that would be 129 MB in memory. */
const MANY = `[${'[],'.repeat(3_000_000)}[]]`;
const TOO_MANY = { limit_mb: 300, limit_values: MAX_JSON_VALUES, subject: 'body', reason: 'too_many_values' };

describe('JSON that is too deep', () => {
  it('is bad_request, in a script and in the data of a template', async () => {
    const service = await startEnterprise();
    try {
      const items = `${'{"text":"a","items":['.repeat(20_000)}"x"${']}'.repeat(20_000)}`;
      const script = `{"svcscript":1,"type":"text","save":[{"format":"docx"}],"body":[{"type":"list","items":[${items}]}]}`;
      const data = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
      const form = new FormData();
      form.append('template', new Blob([Buffer.from('x')]), 'a.docx');
      form.append('data', new Blob([data]));
      const filled = await service.call('/v1/template/render', { method: 'POST', body: form });
      expect(await errorOf(filled)).to.include({ status: 400, code: 'bad_request' });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await service.call('/v1/build', { method: 'POST', body: script, headers });
      expect(await errorOf(answer)).to.include({ status: 400, code: 'bad_request' });
    } finally {
      await service.stop();
    }
  });
});

describe('JSON of very many values', () => {
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(() => service.stop());

  const build = (body: string): Promise<Response> =>
    service.call('/v1/build', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });

  it('is refused in a script before it takes memory', async () => {
    const body = `{"script": ${MANY}}`;
    const before = process.memoryUsage().heapUsed;
    const answer = await build(body);
    expect(await errorOf(answer)).to.deep.include({ status: 413, code: 'file_too_large', detail: TOO_MANY });
    expect(process.memoryUsage().heapUsed - before).to.be.below(64 * 1024 * 1024);
  });

  it('is refused in the data of a template, which may be a file', async () => {
    const form = new FormData();
    form.append('template', new Blob([Buffer.from('x')]), 'a.docx');
    form.append('data', new Blob([`{"rows": ${MANY}}`]), 'data.json');
    const answer = await service.call('/v1/template/render', { method: 'POST', body: form });
    expect(await errorOf(answer)).to.deep.include({ status: 413, code: 'file_too_large', detail: TOO_MANY });
  });

  it('is forgotten with its request: many are taken one after the other', async () => {
    const body = `{"script": [${'0,'.repeat(MAX_JSON_VALUES - 10)}0]}`;
    for (let count = 0; count < 6; count += 1) {
      expect(await errorOf(await build(body)), `request ${count}`).to.include({ status: 400 });
    }
  });
});
