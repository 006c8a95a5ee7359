import { getHeapStatistics } from 'node:v8';
import { expect } from 'chai';
import type { EffectivePlan } from '../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../cmd/docbuilder/script/check/check.ts';
import { MAX_JSON_VALUES } from '../../src/common/http/json-memory.ts';
import { readError, startEnterprise, type TestService } from '../support/service.ts';
import { threadTime } from '../support/thread-time.ts';

const MB = 1024 * 1024;
const PLAN = { edition: 'enterprise', limits: { max_outputs_per_build: 5, max_script_units: 20_000 } } as EffectivePlan;
/** 9 MB of text that would be 129 MB in memory. */
const MANY = `[${'[],'.repeat(3_000_000)}[]]`;
const TOO_MANY = { limit_mb: 300, limit_values: MAX_JSON_VALUES, subject: 'body', reason: 'too_many_values' };
/** A megabyte with about as many mistakes as are all looked for; nothing takes longer. */
const INVALID = JSON.stringify({
  svcscript: 1,
  type: 'text',
  save: [{ format: 'docx' }],
  metadata: { title: 'x'.repeat(MB) },
  body: [{ type: 'paragraph', text: Array(7_900).fill(0) }],
});

const RENDER =
  '{"url": "https://example.com/a.docx", "async": true, "callback_url": "http://127.0.0.1/", "data": {"rows": [';

describe('JSON that costs much', function () {
  this.timeout(120_000);
  let service: TestService;
  let ownTime: number;
  before(async () => {
    // Before the service starts: a thread that is busy for seconds would lose its database.
    ownTime = await timeOfMistakes();
    service = await startEnterprise();
  });
  after(() => service.stop());

  const build = (body: string) => service.post('/v1/build', body);
  /** Sends data for a template that is none. */
  const fill = (data: string, ...filename: string[]) => {
    const form = new FormData();
    form.append('template', new Blob([Buffer.from('x')]), 'a.docx');
    form.append('data', new Blob([data]), ...(filename as [string]));
    return service.call('/v1/template/render', { method: 'POST', body: form });
  };

  it('for its depth is bad_request, in a script and in the data of a template', async () => {
    const items = `${'{"text":"a","items":['.repeat(20_000)}"x"${']}'.repeat(20_000)}`;
    const script = `{"svcscript":1,"type":"text","save":[{"format":"docx"}],"body":[{"type":"list","items":[${items}]}]}`;
    const data = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    for (const answer of [await fill(data), await build(script)])
      expect(await readError(answer)).to.include({ status: 400, code: 'bad_request' });
  });

  it('for its many values is refused in a script before it takes memory', async () => {
    const body = `{"script": ${MANY}}`;
    const before = process.memoryUsage().heapUsed;
    const answer = await build(body);
    expect(await readError(answer)).to.deep.include({ status: 413, code: 'file_too_large', detail: TOO_MANY });
    expect(process.memoryUsage().heapUsed - before).to.be.below(64 * MB);
  });

  it('for its many values is refused in the data of a template, which may be a file', async () => {
    const answer = await fill(`{"rows": ${MANY}}`, 'data.json');
    expect(await readError(answer)).to.deep.include({ status: 413, code: 'file_too_large', detail: TOO_MANY });
  });

  // More is taken one after the other than fits at a time.
  for (const [what, path, begin, values, refused] of [
    ['request', '/v1/build', '{"script": [', MAX_JSON_VALUES - 10, { status: 400 }],
    // The job is made before its addresses are looked at.
    ['job', '/v1/template/render', RENDER, 3_000_000, { status: 422, code: 'url_not_allowed' }],
  ] as const) {
    it(`is forgotten with its ${what}`, async () => {
      const [counted, room] = [100 * values, getHeapStatistics().heap_size_limit / 4];
      const body = `${begin}${'0,'.repeat(values - 1)}0]${what === 'job' ? '}' : ''}}`;
      for (let count = 0; count <= Math.ceil(room / counted); count += 1)
        expect(await readError(await service.post(path, body)), `${what} ${count}`).to.include(refused);
    });
  }

  it('for its mistakes does not keep the thread busy that answers others', async () => {
    const taken = await threadTime(async () =>
      expect(await readError(await build(INVALID))).to.include({ status: 422, code: 'script_invalid' }),
    );
    expect(taken).to.be.below(ownTime / 2);
  });
});

/** Returns the time that the thread takes for the mistakes of a script itself, once the code has been compiled. */
function timeOfMistakes(): Promise<number> {
  const check = (): unknown => {
    try {
      return checkScript(JSON.parse(INVALID), PLAN);
    } catch (error) {
      return error;
    }
  };
  check();
  return threadTime(check);
}
