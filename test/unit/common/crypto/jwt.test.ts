import { expect } from 'chai';
import { createHs256Verifier, MAX_TOKEN_BYTES } from '../../../../src/common/crypto/jwt.ts';
import { hmac, jws } from '../../../support/jws.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const CURRENT = 'current-secret-of-thirty-two-and-more';
const PREVIOUS = 'previous-secret-of-thirty-two-and-more';
const DAY = 86_400;

const token = (claims: object, secret = CURRENT) => jws({ alg: 'HS256' }, claims, hmac(256, secret));

describe('createHs256Verifier', () => {
  const verify = createHs256Verifier({ secrets: [CURRENT, PREVIOUS] });
  const status = async (claims: object, secret?: string) => (await verify(token(claims, secret), NOW)).status;

  it('answers a good token with its claims', async () => {
    const claims = { sub: 'portal', exp: SECONDS + 60, document: { title: 'Báo cáo' } };
    expect(await verify(token(claims), NOW)).to.deep.equal({ status: 'ok', payload: claims });
  });

  it('takes the current and the previous secret, and no third one', async () => {
    expect(await status({ exp: SECONDS + 60 }, PREVIOUS)).to.equal('ok');
    expect(await status({ exp: SECONDS + 60 }, 'another-secret-of-thirty-two-and-more')).to.equal('invalid');
  });

  it('tells an expired token of either secret, but not one with a bad signature', async () => {
    expect(await status({ exp: SECONDS - 3600 })).to.equal('expired');
    expect(await status({ exp: SECONDS - 3600 }, PREVIOUS)).to.equal('expired');
    expect(await status({ exp: SECONDS - 3600 }, 'another-secret-of-thirty-two-and-more')).to.equal('invalid');
  });

  it('allows the clock skew at every edge and not a second more', async () => {
    expect(await status({ exp: SECONDS - 59 })).to.equal('ok');
    expect(await status({ exp: SECONDS - 60 })).to.equal('expired');
    expect(await status({ exp: SECONDS + DAY + 60 })).to.equal('ok');
    expect(await status({ exp: SECONDS + DAY + 61 })).to.equal('invalid');
    expect(await status({ exp: SECONDS + 60, nbf: SECONDS + 60 })).to.equal('ok');
    expect(await status({ exp: SECONDS + 60, nbf: SECONDS + 61 })).to.equal('invalid');
    expect(await status({ exp: SECONDS + 60, iat: SECONDS + 60 })).to.equal('ok');
    expect(await status({ exp: SECONDS + 60, iat: SECONDS + 61 })).to.equal('invalid');
  });

  it('judges by the time it is given', async () => {
    const one = token({ exp: SECONDS + 60 });
    expect((await verify(one, NOW)).status).to.equal('ok');
    expect((await verify(one, NOW + 120_000)).status).to.equal('expired');
    expect((await verify(one, NOW - (DAY + 1) * 1000)).status).to.equal('invalid');
  });

  it('takes a fraction of a second in exp', async () => {
    expect(await status({ exp: SECONDS + 0.5 })).to.equal('ok');
  });

  it('takes a token of 8 KiB and none that is larger', async () => {
    const padded = (length: number) => token({ exp: SECONDS + 60, pad: 'x'.repeat(length) });
    let length = MAX_TOKEN_BYTES / 2;
    while (padded(length + 1).length <= MAX_TOKEN_BYTES) length += 1;
    expect((await verify(padded(length), NOW)).status).to.equal('ok');
    expect((await verify(padded(length + 1), NOW)).status).to.equal('invalid');
  });

  it('says why for the log, without a word of the token', async () => {
    const bad = token({ exp: SECONDS + 60, nbf: SECONDS + 600, sub: 'somebody' });
    const result = await verify(bad, NOW);
    const reason = '"nbf" claim timestamp check failed';
    expect(result).to.deep.equal({ status: 'invalid', problem: 'not_yet_valid', reason });
  });

  it('cannot be made without a secret of 32 characters', () => {
    expect(() => createHs256Verifier({ secrets: [] })).to.throw(TypeError);
    expect(() => createHs256Verifier({ secrets: [''] })).to.throw(TypeError);
    expect(() => createHs256Verifier({ secrets: [CURRENT, 'x'.repeat(31)] })).to.throw(TypeError);
    expect(() => createHs256Verifier({ secrets: ['x'.repeat(32)] })).not.to.throw();
  });
});
