import { expect } from 'chai';
import { createHs256Verifier, MAX_TOKEN_BYTES } from '../../../../src/common/crypto/jwt.ts';
import { hmac, jws } from '../../../support/jws.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const SECONDS = NOW / 1000;
const CURRENT = 'current-secret-of-thirty-two-and-more';
const PREVIOUS = 'previous-secret-of-thirty-two-and-more';
const OTHER = 'another-secret-of-thirty-two-and-more';
const DAY = 86_400;
const exp = SECONDS + 60;

const token = (claims: object, secret = CURRENT) => jws({ alg: 'HS256' }, claims, hmac(256, secret));

describe('a verifier of HS256 tokens', () => {
  const verify = createHs256Verifier({ secrets: [CURRENT, PREVIOUS] });

  it('answers a good token with its claims', async () => {
    const claims = { sub: 'portal', exp, document: { title: 'Báo cáo' } };
    expect(await verify(token(claims), NOW)).to.deep.equal({ status: 'ok', payload: claims });
  });

  const CASES: [what: string, claims: object, status: string, secret?: string][] = [
    ['a token of the previous secret', { exp }, 'ok', PREVIOUS],
    ['a token of a third secret', { exp }, 'invalid', OTHER],
    ['an expired token', { exp: SECONDS - 3600 }, 'expired'],
    ['an expired token of the previous secret', { exp: SECONDS - 3600 }, 'expired', PREVIOUS],
    ['an expired token of a third secret', { exp: SECONDS - 3600 }, 'invalid', OTHER],
    ['an end 59 s ago, within the clock skew', { exp: SECONDS - 59 }, 'ok'],
    ['an end 60 s ago', { exp: SECONDS - 60 }, 'expired'],
    ['a fraction of a second in exp', { exp: SECONDS + 0.5 }, 'ok'],
    ['an end in a day, with the clock skew', { exp: SECONDS + DAY + 60 }, 'ok'],
    ['an end later than that', { exp: SECONDS + DAY + 61 }, 'invalid'],
    ['a beginning in 60 s', { exp, nbf: SECONDS + 60 }, 'ok'],
    ['a beginning in 61 s', { exp, nbf: SECONDS + 61 }, 'invalid'],
    ['an issue in 60 s', { exp, iat: SECONDS + 60 }, 'ok'],
    ['an issue in 61 s', { exp, iat: SECONDS + 61 }, 'invalid'],
  ];
  for (const [what, claims, status, secret] of CASES) {
    it(`finds ${what} ${status}`, async () => {
      expect((await verify(token(claims, secret), NOW)).status).to.equal(status);
    });
  }

  it('takes a token of 8 KiB and none that is larger', async () => {
    const padded = (length: number) => token({ exp, pad: 'x'.repeat(length) });
    let length = MAX_TOKEN_BYTES / 2;
    while (padded(length + 1).length <= MAX_TOKEN_BYTES) length += 1;
    expect((await verify(padded(length), NOW)).status).to.equal('ok');
    expect((await verify(padded(length + 1), NOW)).status).to.equal('invalid');
  });

  it('says why for the log, without a word of the token', async () => {
    const result = await verify(token({ exp, nbf: SECONDS + 600, sub: 'somebody' }), NOW);
    const reason = '"nbf" claim timestamp check failed';
    expect(result).to.deep.equal({ status: 'invalid', problem: 'not_yet_valid', reason });
  });
});
