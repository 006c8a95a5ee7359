import { expect } from 'chai';
import { signCallback, verifyCallback } from '../../../src/common/crypto/signature.ts';

const key = 'whsec_example-key-of-a-test';
const body = '{"event":"job.done"}';
const at = 1_790_000_000;
const signature = signCallback(key, at, body);
const verify = (change: { key?: string; timestamp?: string; signature?: string; body?: string; now?: number } = {}) =>
  verifyCallback(
    change.key ?? key,
    { timestamp: change.timestamp ?? String(at), signature: change.signature ?? signature },
    change.body ?? body,
    change.now ?? at * 1000,
  );

describe('callback signatures', () => {
  it('are sha256= and the lowercase hex of HMAC-SHA256 over timestamp, dot and body', () => {
    // printf '1790000000.{"event":"job.done"}' | openssl dgst -sha256 -hmac whsec_example-key-of-a-test
    expect(signature).to.equal('sha256=6a1ae0def55f60f0322a27c199d242224571d717bc6b9ec0dc6f100d3134899d');
    expect(signature).to.equal(signCallback(key, at, Buffer.from(body)));
  });

  it('verify, within 300 seconds of the receiver’s clock', () => {
    expect(verify()).to.equal(true);
    expect(verify({ now: (at + 300) * 1000 })).to.equal(true);
    expect(verify({ now: (at + 301) * 1000 })).to.equal(false);
    expect(verify({ now: (at - 301) * 1000 })).to.equal(false);
  });

  for (const [what, change] of Object.entries({
    'another key': { key: 'another' },
    'another body': { body: `${body} ` },
    'another time': { timestamp: String(at + 1) },
    'a cut signature': { signature: signature.slice(0, -1) },
    'a longer signature': { signature: `${signature}0` },
    'an upper-case signature': { signature: signature.toUpperCase() },
    'no signature': { signature: '' },
    'a time that is no number': { timestamp: `${at}x` },
    'no time': { timestamp: '' },
  })) {
    it(`do not verify with ${what}`, () => {
      expect(verify(change)).to.equal(false);
    });
  }
});
