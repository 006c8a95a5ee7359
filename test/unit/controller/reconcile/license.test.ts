import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { decideLicense, type GivenLicense, watchLicenseKeys } from '../../../../cmd/controller/reconcile/license.ts';
import { signEdDsa } from '../../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../../src/common/crypto/key-set.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';
import { expectGolden } from '../../../support/golden.ts';
import { testLogger } from '../../../support/logs.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (days: number) => new Date(NOW + days * DAY).toISOString();
const [key, stranger] = [generateEd25519('2026'), generateEd25519('stranger')];
const KEYS = JSON.stringify({ keys: [toPublic(key)] });
const NO_KEYS = '{"keys":[]}';
const STRANGERS = JSON.stringify({ keys: [toPublic(stranger)] });

async function mint(conns: number, days: number, by = key): Promise<string> {
  const exp = NOW / 1000 + days * 86_400;
  return signEdDsa({ sub: 'Company', conns, features: ['api_full'], iat: NOW / 1000 - 3600, exp }, by);
}
const GOOD = await mint(120, 100);
const KEYLESS = await mint(120, 100, stranger);
const NAMES = new Map([
  [GOOD, 'the good one'],
  [KEYLESS, 'the one without a key'],
]);
const token = (text: string): GivenLicense => ({ found: 'token', secretName: 'svc-license', token: text });
const NO_SECRET: GivenLicense = { found: 'no-secret', secretName: 'svc-license' };
const NO_KEY: GivenLicense = { found: 'no-key', secretName: 's', key: 'token' };
const NOTHING: GivenLicense = { found: 'nothing-asked' };
const kept = { token: GOOD };
const keptSince = (days: number) => ({ token: GOOD, removedAt: at(days) });

interface Case {
  kept?: { token?: string; removedAt?: string };
  given: GivenLicense;
  keys?: string;
  days?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  'there is none without a reference, and that is fine': { given: NOTHING },
  'it is the one given': { given: token(GOOD) },
  'it stays the one before when the new one is rubbish': { kept, given: token('rubbish') },
  'it stays the one before when a stranger has signed the new one': {
    kept,
    given: token(await mint(500, 100, stranger)),
  },
  'it stays the one before when the new one has expired': { kept, given: token(await mint(500, -1)) },
  'nothing broken is put where the pods read': { given: token('rubbish') },
  'it has 30 days of grace from when its Secret went': { kept, given: NO_SECRET },
  'it has 30 days of grace from when the reference went': { kept, given: NOTHING },
  'it has 30 days of grace from when its key went': { kept, given: NO_KEY },
  'it has 20 days after 10 without its Secret': { kept: keptSince(-10), given: NO_SECRET },
  'it has 20 days after 10 without a reference': { kept: keptSince(-10), given: NOTHING },
  'after 31 days it is gone, where nobody asks for one': { kept: keptSince(-31), given: NOTHING },
  'after 31 days it has expired, where somebody asks for one': { kept: keptSince(-31), given: NO_SECRET },
  'it is whole again when the Secret comes back': { kept: keptSince(-1), given: token(GOOD) },
  'it is left as it is by a key set that is of no use': { kept, given: token(GOOD), keys: 'rubbish' },
  'it is ended by an empty key set': { kept, given: token(GOOD), keys: '{"keys":[]}' },
  'it is ended by a key set without its key': { kept, given: token(GOOD), keys: STRANGERS },
  'it waits for its key beside a new one that has expired': {
    ...{ kept: { token: KEYLESS }, given: token(await mint(500, -31)) },
  },
  'it makes room for a new one where it has no key': { kept: { token: KEYLESS }, given: token(GOOD) },
  'it waits for its key without its Secret, and its grace has begun': { kept, given: NO_SECRET, keys: STRANGERS },
  'it waits for its key without a reference, and its grace has begun': { kept, given: NOTHING, keys: STRANGERS },
  'its grace goes on while the key set has not its key, without a reference': {
    ...{ kept: keptSince(-10), given: NOTHING, keys: STRANGERS },
  },
  'its grace goes on while the key set has not its key, without its Secret': {
    ...{ kept: keptSince(-10), given: NO_SECRET, keys: STRANGERS },
  },
  'after 31 days it is gone, with or without its key, where nobody asks for one': {
    ...{ kept: keptSince(-31), given: NOTHING, keys: STRANGERS },
  },
  'one that is altered waits for no key': { kept: { token: `${GOOD.slice(0, -4)}AAAA` }, given: NOTHING },
  'its grace goes on while the key set is of no use, without a reference': {
    ...{ kept: keptSince(-10), given: NOTHING, keys: 'rubbish' },
  },
  'its grace goes on while the key set is of no use, without its Secret': {
    ...{ kept: keptSince(-10), given: NO_SECRET, keys: 'rubbish' },
  },
  'a key set that is of no use matters to nobody without a licence': { given: NOTHING, keys: 'rubbish' },
  'it is not lost to a clock that was set back': { kept, given: token(GOOD), days: -9 },
  'it has its grace where the clock of who saw the reference go was ahead': { kept: keptSince(0.0001), given: NOTHING },
  'it has its grace where the clock of who saw its Secret go was ahead': { kept: keptSince(0.0001), given: NO_SECRET },
};

describe('which licence of an instance is in force', () => {
  it(`is as golden/license.yaml says, in ${Object.keys(CASES).length} cases (UPDATE_GOLDEN=1 writes it)`, async () => {
    const found = await Promise.all(
      Object.entries(CASES).map(async ([rule, { kept: before = {}, given, keys = KEYS, days = 0 }]) => {
        const now = NOW + days * DAY;
        const { files, license, condition, nextChange } = await decideLicense({ kept: before, given, keys, now });
        const { state, graceDaysLeft, claims } = license;
        return {
          rule,
          ...{ state, graceDaysLeft, connections: claims?.conns, condition },
          files: { ...files, ...(files.token && { token: NAMES.get(files.token) ?? 'another' }) },
          daysUntilChange: nextChange === undefined ? 'never' : (nextChange - now) / DAY,
        };
      }),
    );
    expectGolden(new URL('golden/license.yaml', import.meta.url), found);
  });

  for (const [what, given, before, state, daysLeft] of [
    ['its Secret', token(GOOD), kept, 'valid', null],
    ['a broken new one', token('rubbish'), kept, 'valid', null],
    ['no Secret any more', NO_SECRET, keptSince(-10), 'grace', 20],
    ['no reference any more', NOTHING, keptSince(-10), 'grace', 20],
    ['a reference that went while the key was away', NOTHING, kept, 'grace', 30],
  ] as const) {
    it(`is Community while its key is away, and what it was when that is back: with ${what}`, async () => {
      const lost = await decideLicense({ kept: before, given, keys: NO_KEYS, now: NOW });
      expect(lost.license.state).to.be.oneOf(['none', 'invalid']);
      const back = await decideLicense({ kept: lost.files, given, keys: KEYS, now: NOW });
      expect(back.license).to.include({ state, graceDaysLeft: daysLeft });
    });
  }

  for (const [claim, claims, seconds] of [
    ['"iat"', { iat: 400 }, [100]],
    ['"nbf", and now and then before', { iat: 0, nbf: 1500.5 }, [600, 1200, 1501]],
    ['"nbf" of the next moment', { iat: 0, nbf: 0.5 }, [5]],
  ] as const) {
    it(`is looked at again when one given too early has its time, by its ${claim}`, async () => {
      const begin = NOW / 1000;
      const times = Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, begin + value]));
      const order = { sub: 'Company', conns: 500, features: [], exp: begin + 100 * 86_400 };
      const early = token(await signEdDsa({ ...order, ...times }, key));
      for (const before of [{}, kept]) {
        let now = NOW;
        for (const second of seconds) {
          const { condition, nextChange } = await decideLicense({ kept: before, given: early, keys: KEYS, now });
          expect(condition).to.include({ status: 'False', reason: 'TokenRejected' });
          expect(nextChange).to.equal(NOW + second * 1000);
          now = nextChange ?? 0;
        }
        const { license } = await decideLicense({ kept: before, given: early, keys: KEYS, now });
        expect(license.claims).to.include({ conns: 500 });
      }
    });
  }

  it('is warned of 30, 7 and 1 days before its end, and looked at again exactly then', async () => {
    let now = NOW;
    const seen: string[] = [];
    for (;;) {
      const { condition, nextChange } = await decideLicense({ kept: {}, given: token(GOOD), keys: KEYS, now });
      if (seen.at(-1) !== condition.reason) seen.push(condition.reason);
      if (nextChange === undefined || seen.includes('Expired')) break;
      expect(nextChange).to.be.greaterThan(now);
      now = nextChange;
    }
    expect(seen).to.deep.equal([
      ...['Valid', 'ExpiresWithin30Days', 'ExpiresWithin7Days', 'ExpiresWithin1Day', 'InGrace', 'Expired'],
    ]);
    expect(now).to.equal(NOW + 130 * DAY);
  });
});

describe("the controller's key set", () => {
  const folder = useFolder('test');

  it('may not be broken at the start: whoever still has a good one is not to be replaced', async () => {
    for (const text of ['', '{', '{"keys":[{"kty":"RSA"}]}']) {
      await writeFile(folder.at('keys.json'), text);
      const started = watchLicenseKeys(folder.at('keys.json'), { log: testLogger(), onChange: () => undefined });
      expect(await failure(started)).to.be.instanceOf(Error);
    }
  });
});
