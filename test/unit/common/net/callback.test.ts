import { expect } from 'chai';
import { signCallback, verifyCallback } from '../../../../src/common/crypto/signature.ts';
import { isTaken, postCallback } from '../../../../src/common/net/callback.ts';
import type { Outbound, PostOptions } from '../../../../src/common/net/outbound.ts';

const secret = 'whsec_example-key-of-a-test';
const body = '{"event":"job.done"}';
const at = 1_790_000_000;
// printf '1790000000.{"event":"job.done"}' | openssl dgst -sha256 -hmac whsec_example-key-of-a-test
const signature = 'sha256=6a1ae0def55f60f0322a27c199d242224571d717bc6b9ec0dc6f100d3134899d';

describe('a callback', () => {
  it('has 10 s for its answer, a timestamp in whole seconds, and a signature where there is a key', async () => {
    const sent: PostOptions[] = [];
    const post: Outbound['post'] = async (_url, options) => {
      sent.push(options);
      return { status: 204 };
    };
    const options = {
      outbound: { post } as Outbound,
      clock: () => at * 1000 + 999,
      signal: new AbortController().signal,
    };
    const callback = { url: 'https://example.com/', event: 'job.done', delivery: 'd', body };
    for (const key of ['', secret]) expect(await postCallback({ ...callback, secret: key }, options)).to.equal(204);
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      ...{ 'X-SVC-Event': 'job.done', 'X-SVC-Delivery': 'd', 'X-SVC-Timestamp': String(at) },
    };
    expect(sent.map((one) => one.headers)).to.deep.equal([headers, { ...headers, 'X-SVC-Signature': signature }]);
    expect(sent.map((one) => [one.timeoutMs, Buffer.from(one.body).toString()])).to.deep.equal(
      Array(2).fill([10_000, body]),
    );
  });

  it('is taken by any 2xx and by nothing else', () => {
    expect([200, 204, 299].filter((status) => !isTaken(status))).to.deep.equal([]);
    expect([null, 100, 199, 300, 304, 400, 500].filter(isTaken)).to.deep.equal([]);
  });

  it('verifies within 300 seconds of the receiver’s clock, and not when anything of it is changed', () => {
    expect(signCallback(secret, at, Buffer.from(body))).to.equal(signature);
    const good = { key: secret, timestamp: String(at), signature, text: body, now: at };
    const verifies = (change: Partial<typeof good>) => {
      const { key, timestamp, signature, text, now } = { ...good, ...change };
      return verifyCallback(key, { timestamp, signature }, text, now * 1000);
    };
    for (const now of [at, at + 300, at - 300]) expect(verifies({ now })).to.equal(true);
    const spellings = [signature.slice(0, -1), `${signature}0`, signature.toUpperCase(), ''];
    for (const change of [
      ...[{ now: at + 301 }, { now: at - 301 }, { key: 'another' }, { text: `${body} ` }],
      ...[String(at + 1), `${at}x`, ''].map((timestamp) => ({ timestamp })),
      ...spellings.map((changed) => ({ signature: changed })),
    ]) {
      expect(verifies(change), JSON.stringify(change)).to.equal(false);
    }
  });
});
