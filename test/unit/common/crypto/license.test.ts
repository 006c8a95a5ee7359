import { expect } from 'chai';
import fc from 'fast-check';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { type LicenseClaims, licenseState, readLicense } from '../../../../src/common/crypto/license.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const EXPIRES = NOW + 10 * DAY;
const key = generateEd25519('2026');
const next = generateEd25519('2027');
const keys = new Map([
  ['2026', toPublic(key)],
  ['2027', toPublic(next)],
]);

const payload = {
  sub: 'Công ty',
  conns: 120,
  features: ['api_full', 'callback'],
  iat: NOW / 1000 - 60,
  exp: EXPIRES / 1000,
};
const claims: LicenseClaims = {
  sub: 'Công ty',
  conns: 120,
  features: ['api_full', 'callback'],
  issuedAt: NOW - 60_000,
  expiresAt: EXPIRES,
};

describe('readLicense', () => {
  it('is valid with its claims before exp', async () => {
    expect(await readLicense(await signEdDsa(payload, key), keys, NOW)).to.deep.equal({
      state: 'valid',
      graceDaysLeft: null,
      claims,
      problem: null,
    });
  });

  it('takes an iat up to five minutes ahead', async () => {
    const issued = async (ahead: number) =>
      (await readLicense(await signEdDsa({ ...payload, iat: NOW / 1000 + ahead }, key), keys, NOW)).state;
    expect(await issued(300)).to.equal('valid');
    expect(await issued(301)).to.equal('invalid');
  });

  it('takes a licence for fewer connections than an order has, and one without features', async () => {
    const token = await signEdDsa({ ...payload, conns: 1, features: [] }, key);
    expect((await readLicense(token, keys, NOW)).claims)
      .to.include({ conns: 1 })
      .and.deep.include({ features: [] });
  });

  it('says which claim is wrong', async () => {
    const token = await signEdDsa({ ...payload, conns: '120' }, key);
    expect((await readLicense(token, keys, NOW)).problem).to.equal(
      'the licence is refused: "conns" is not a positive integer',
    );
  });
});

describe('licenseState', () => {
  it('changes at exp and 30 days after it, to the millisecond', () => {
    expect(licenseState(claims, EXPIRES - 1).state).to.equal('valid');
    expect(licenseState(claims, EXPIRES)).to.include({ state: 'grace', graceDaysLeft: 30 });
    expect(licenseState(claims, EXPIRES + 1)).to.include({ state: 'grace', graceDaysLeft: 30 });
    expect(licenseState(claims, EXPIRES + DAY)).to.include({ state: 'grace', graceDaysLeft: 29 });
    expect(licenseState(claims, EXPIRES + 30 * DAY - 1)).to.include({ state: 'grace', graceDaysLeft: 1 });
    expect(licenseState(claims, EXPIRES + 30 * DAY)).to.include({ state: 'expired', graceDaysLeft: null });
  });

  it('lets the grace begin with the removal when that comes first', () => {
    expect(licenseState(claims, NOW + DAY, NOW)).to.include({ state: 'grace', graceDaysLeft: 29 });
    expect(licenseState(claims, NOW + 30 * DAY, NOW).state).to.equal('expired');
    expect(licenseState(claims, EXPIRES + 29 * DAY, EXPIRES + 20 * DAY)).to.include({ graceDaysLeft: 1 });
  });

  it('only ever goes from valid to grace to expired as time passes', () => {
    const order = ['valid', 'grace', 'expired'];
    const time = fc.integer({ min: NOW - 100 * DAY, max: NOW + 100 * DAY });
    fc.assert(
      fc.property(time, time, fc.option(time, { nil: undefined }), (a, b, removedAt) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)].map((now) => licenseState(claims, now, removedAt));
        return order.indexOf(earlier?.state ?? '') <= order.indexOf(later?.state ?? '');
      }),
    );
  });
});
