import { expect } from 'chai';
import { isTaken, postCallback } from '../../../../src/common/net/callback.ts';
import type { Outbound, PostOptions } from '../../../../src/common/net/outbound.ts';

const callback = { url: 'https://example.com/', event: 'job.done', delivery: 'd', body: '{"a":"ă"}', secret: '' };

describe('a callback', () => {
  it('has 10 s for its answer, and a timestamp in whole seconds', async () => {
    const sent: PostOptions[] = [];
    const outbound: Pick<Outbound, 'post'> = {
      post: async (_url, options) => {
        sent.push(options);
        return { status: 204 };
      },
    };
    const { signal } = new AbortController();
    const options = { outbound: outbound as Outbound, clock: () => 1_790_000_000_999, signal };
    expect(await postCallback(callback, options)).to.equal(204);
    const [{ timeoutMs, headers, body } = { timeoutMs: 0, headers: {}, body: Buffer.alloc(0) }] = sent;
    expect(timeoutMs).to.equal(10_000);
    expect(headers).to.deep.equal({
      'Content-Type': 'application/json; charset=utf-8',
      'X-SVC-Event': 'job.done',
      'X-SVC-Delivery': 'd',
      'X-SVC-Timestamp': '1790000000',
    });
    expect(Buffer.from(body).toString()).to.equal(callback.body);
  });

  it('is taken by any 2xx and by nothing else', () => {
    expect([200, 204, 299].filter((status) => !isTaken(status))).to.deep.equal([]);
    expect([null, 100, 199, 300, 304, 400, 500].filter(isTaken)).to.deep.equal([]);
  });
});
