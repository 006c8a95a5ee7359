import { expect } from 'chai';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { type LicenseClaims, licenseState, readLicense } from '../../../../src/common/crypto/license.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const EXPIRES = NOW + 10 * DAY;
const key = generateEd25519('2026');
const keys = new Map([['2026', toPublic(key)]]);
const order = { sub: 'Công ty', conns: 120, features: ['api_full', 'callback'] };
const claims: LicenseClaims = { ...order, issuedAt: NOW - 60_000, expiresAt: EXPIRES };

describe('a licence', () => {
  const read = async (change: object = {}) => {
    const payload = { ...order, iat: NOW / 1000 - 60, exp: EXPIRES / 1000, ...change };
    return readLicense(await signEdDsa(payload, key), keys, NOW);
  };

  it('may be issued up to five minutes ahead, for fewer connections than an order has, and without features', async () => {
    expect((await read({ iat: NOW / 1000 + 300 })).state).to.equal('valid');
    expect((await read({ iat: NOW / 1000 + 301 })).state).to.equal('invalid');
    expect((await read({ conns: 1, features: [] })).claims).to.deep.include({ conns: 1, features: [] });
  });

  it('says which claim is wrong', async () => {
    const problem = 'the licence is refused: "conns" is not a positive integer';
    expect(await read({ conns: '120' })).to.include({ problem });
  });

  for (const [when, now, removedAt, state, graceDaysLeft] of [
    ['a millisecond before exp', EXPIRES - 1, undefined, 'valid', null],
    ['at exp', EXPIRES, undefined, 'grace', 30],
    ['a day after it', EXPIRES + DAY, undefined, 'grace', 29],
    ['a millisecond before 30 days after it', EXPIRES + 30 * DAY - 1, undefined, 'grace', 1],
    ['30 days after it', EXPIRES + 30 * DAY, undefined, 'expired', null],
    ['a day after its removal', NOW + DAY, NOW, 'grace', 29],
    ['30 days after its removal', NOW + 30 * DAY, NOW, 'expired', null],
    ['29 days after exp, of which it was removed for nine', EXPIRES + 29 * DAY, EXPIRES + 20 * DAY, 'grace', 1],
  ] as const) {
    it(`is ${state} ${when}`, () => {
      expect(licenseState(claims, now, removedAt)).to.include({ state, graceDaysLeft });
    });
  }
});
