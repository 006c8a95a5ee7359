import { getHeapStatistics } from 'node:v8';
import { expect } from 'chai';
import { errorOf, startEnterprise } from '../support/service.ts';

const VALUES = 3_000_000;
/** The bytes that the values count as, and those of the heap that JSON may take. */
const COUNTED = 100 * VALUES;
const ROOM = getHeapStatistics().heap_size_limit / 4;

describe('large JSON that became a job', () => {
  it('is forgotten with the job: more is taken one after the other than fits at a time', async function () {
    this.timeout(120_000);
    const service = await startEnterprise();
    try {
      const rest = `"url": "https://example.com/a.docx", "async": true, "callback_url": "http://127.0.0.1/"`;
      const body = `{${rest}, "data": {"rows": [${'0,'.repeat(VALUES - 1)}0]}}`;
      const headers = { 'Content-Type': 'application/json' };
      for (let count = 0; count < Math.ceil(ROOM / COUNTED) + 2; count += 1) {
        const answer = await service.call('/v1/template/render', { method: 'POST', body, headers });
        // The job is made before its addresses are looked at.
        expect(await errorOf(answer), `request ${count}`).to.include({ status: 422, code: 'url_not_allowed' });
      }
    } finally {
      await service.stop();
    }
  });
});
