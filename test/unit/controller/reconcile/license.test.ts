import { expect } from 'chai';
import { decideLicense, type GivenLicense } from '../../../../cmd/controller/reconcile/license.ts';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const [key, stranger] = [generateEd25519('2026'), generateEd25519('stranger')];
const KEYS = JSON.stringify({ keys: [toPublic(key)] });

async function mint(conns: number, days: number, by = key): Promise<string> {
  const exp = NOW / 1000 + days * 86_400;
  return signEdDsa({ sub: 'Company', conns, features: ['api_full'], iat: NOW / 1000 - 3600, exp }, by);
}
const token = (text: string): GivenLicense => ({ found: 'token', secretName: 'svc-license', token: text });
const NO_SECRET: GivenLicense = { found: 'no-secret', secretName: 'svc-license' };
const NOTHING: GivenLicense = { found: 'nothing-asked' };

describe('which licence of an instance is in force', () => {
  let good: string;
  before(async () => {
    good = await mint(120, 100);
  });

  it('is none without a reference, and that is fine', async () => {
    const decision = await decideLicense({ kept: {}, given: NOTHING, keys: KEYS, now: NOW });
    expect(decision).to.deep.include({ files: {} });
    expect(decision.license.state).to.equal('none');
    expect(decision.condition).to.include({ status: 'True', reason: 'NoLicense' });
  });

  it('is the one given', async () => {
    const decision = await decideLicense({ kept: {}, given: token(good), keys: KEYS, now: NOW });
    expect(decision.files).to.deep.equal({ token: good });
    expect(decision.license.claims?.conns).to.equal(120);
    expect(decision.condition).to.include({ status: 'True', reason: 'Valid' });
    expect(decision.condition.message).to.equal('120 connections for Company until 2027-03-01T12:00:00.000Z.');
  });

  it('stays the one before when the new one is broken, and the condition says why', async () => {
    for (const [broken, reason] of [
      ['rubbish', 'TokenRejected'],
      [await mint(500, 100, stranger), 'KeyUnknown'],
      [await mint(500, -1), 'TokenExpired'],
    ] as const) {
      const decision = await decideLicense({ kept: { token: good }, given: token(broken), keys: KEYS, now: NOW });
      expect(decision.files).to.deep.equal({ token: good });
      expect(decision.license.state).to.equal('valid');
      expect(decision.condition).to.include({ status: 'False', reason });
      expect(decision.condition.message).to.include('The previous licence stays in effect until 2027-03-01');
    }
  });

  it('puts nothing broken where the pods read', async () => {
    const decision = await decideLicense({ kept: {}, given: token('rubbish'), keys: KEYS, now: NOW });
    expect(decision).to.deep.include({ files: {} });
    expect(decision.condition.message).to.include('The edition is Community.');
  });

  it('has 30 days of grace from when its Secret went, whoever asks then', async () => {
    for (const given of [NO_SECRET, NOTHING, { found: 'no-key', secretName: 's', key: 'token' } as const]) {
      const gone = await decideLicense({ kept: { token: good }, given, keys: KEYS, now: NOW });
      expect(gone.files).to.deep.equal({ token: good, removedAt: '2026-11-21T12:00:00.000Z' });
      expect(gone.condition.status).to.equal('False');
      expect(gone.condition.message).to.include('for 30 days');
      const later = await decideLicense({ kept: gone.files, given, keys: KEYS, now: NOW + 10 * DAY });
      expect(later.files).to.deep.equal(gone.files);
      expect(later.license).to.include({ state: 'grace', graceDaysLeft: 20 });
    }
  });

  it('is Community after that, in files as well where nobody asks for a licence any more', async () => {
    const kept = { token: good, removedAt: '2026-11-21T12:00:00.000Z' };
    const forgotten = await decideLicense({ kept, given: NOTHING, keys: KEYS, now: NOW + 31 * DAY });
    expect(forgotten).to.deep.include({ files: {} });
    expect(forgotten.condition.reason).to.equal('NoLicense');
    const missed = await decideLicense({ kept, given: NO_SECRET, keys: KEYS, now: NOW + 31 * DAY });
    expect(missed.license.state).to.equal('expired');
    expect(missed.condition).to.include({ status: 'False', reason: 'SecretNotFound' });
  });

  it('is whole again when the Secret comes back', async () => {
    const kept = { token: good, removedAt: '2026-11-20T12:00:00.000Z' };
    const decision = await decideLicense({ kept, given: token(good), keys: KEYS, now: NOW });
    expect(decision.files).to.deep.equal({ token: good });
    expect(decision.condition.reason).to.equal('Valid');
  });

  it('is left as it is by a key set that is of no use, and ended by one without its key', async () => {
    const kept = { token: good };
    const unknown = await decideLicense({ kept, given: token(good), keys: 'rubbish', now: NOW });
    expect(unknown.files).to.deep.equal(kept);
    expect(unknown.condition).to.include({ status: 'False', reason: 'KeySetUnusable' });
    for (const keys of ['{"keys":[]}', JSON.stringify({ keys: [toPublic(stranger)] })]) {
      const revoked = await decideLicense({ kept, given: token(good), keys, now: NOW });
      expect(revoked).to.deep.include({ files: {} });
      expect(revoked.license.state).to.equal('invalid');
      expect(revoked.condition.reason).to.equal('KeyUnknown');
    }
  });

  it('keeps its grace while the key set is of no use, and goes on with it afterwards', async () => {
    const kept = { token: good, removedAt: '2026-11-11T12:00:00.000Z' };
    for (const given of [NOTHING, NO_SECRET]) {
      const unknown = await decideLicense({ kept, given, keys: 'rubbish', now: NOW });
      expect(unknown.files).to.deep.equal(kept);
      expect(unknown.condition.status).to.equal('False');
      const again = await decideLicense({ kept: unknown.files, given, keys: KEYS, now: NOW });
      expect(again.license).to.include({ state: 'grace', graceDaysLeft: 20 });
    }
    const nothing = await decideLicense({ kept: {}, given: NOTHING, keys: 'rubbish', now: NOW });
    expect(nothing.condition.reason).to.equal('NoLicense');
  });

  it('is not lost to a clock that was set back', async () => {
    const decision = await decideLicense({ kept: { token: good }, given: token(good), keys: KEYS, now: NOW - 9 * DAY });
    expect(decision.condition.reason).to.equal('Valid');
  });

  it('has its grace also where the clock of the controller that saw it go was ahead', async () => {
    const ahead = { token: good, removedAt: new Date(NOW + 2000).toISOString() };
    for (const given of [NOTHING, NO_SECRET]) {
      const decision = await decideLicense({ kept: ahead, given, keys: KEYS, now: NOW });
      expect(decision.files, given.found).to.deep.equal(ahead);
      expect(decision.license.claims?.conns).to.equal(120);
      expect(decision.condition).to.include({ status: 'False' });
      const later = await decideLicense({ kept: decision.files, given, keys: KEYS, now: NOW + DAY });
      expect([later.license.state, later.files]).to.deep.equal(['grace', ahead]);
    }
  });

  it('is warned of 30, 7 and 1 days before its end, and looked at again exactly then', async () => {
    let now = NOW;
    const seen: string[] = [];
    for (;;) {
      const { condition, nextChange } = await decideLicense({ kept: {}, given: token(good), keys: KEYS, now });
      if (seen.at(-1) !== condition.reason) seen.push(condition.reason);
      if (nextChange === undefined || seen.includes('Expired')) break;
      expect(nextChange).to.be.greaterThan(now);
      now = nextChange;
    }
    expect(seen).to.deep.equal([
      'Valid',
      'ExpiresWithin30Days',
      'ExpiresWithin7Days',
      'ExpiresWithin1Day',
      'InGrace',
      'Expired',
    ]);
    expect(now).to.equal(NOW + 130 * DAY);
  });
});
