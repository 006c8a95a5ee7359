import { expect } from 'chai';
import { signEdDsa } from '../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../src/common/crypto/key-set.ts';
import type { SmallFile } from '../../../src/common/fs/read-small.ts';
import { type LicenseMemory, NOTHING_KEPT, readKeySet, recall, remember } from '../../../src/common/license-memory.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const key = generateEd25519('2026');
const stranger = generateEd25519('stranger');

const file = (text: string | null): SmallFile => ({ ok: true, text });
const unreadable: SmallFile = { ok: false, problem: 'cannot be read (EACCES)' };
const keySet = (...keys: { kid: string }[]) => readKeySet(file(JSON.stringify({ keys })));
const KEYS = keySet(toPublic(key));

async function mint(conns: number, days: number, by = key): Promise<SmallFile> {
  const iat = NOW / 1000 - 3600;
  return file(await signEdDsa({ sub: 'Company', conns, features: [], iat, exp: NOW / 1000 + days * 86_400 }, by));
}

describe('what is remembered of a licence', () => {
  let good: SmallFile;
  let memory: LicenseMemory;

  beforeEach(async () => {
    good = await mint(120, 10);
    memory = await remember(NOTHING_KEPT, { token: good, keys: KEYS }, NOW);
  });

  /** The state that a look at other files leads to, from a good licence of 10 days. */
  async function then(token: SmallFile, keys = KEYS, at = NOW, seenAt = at) {
    const { state, graceDaysLeft, claims, problem } = recall(await remember(memory, { token, keys }, at), seenAt);
    return { state, graceDaysLeft, conns: claims?.conns, problem };
  }
  const valid = { state: 'valid', graceDaysLeft: null, conns: 120, problem: null };

  it('gives way to a new licence, also to a smaller one', async () => {
    expect(await then(await mint(500, 20))).to.deep.equal({ ...valid, conns: 500 });
    expect(await then(await mint(20, 5))).to.deep.equal({ ...valid, conns: 20 });
  });

  it('outlives a broken new token, which is told as the problem', async () => {
    for (const [token, problem] of [
      [file('rubbish'), 'not a JWT'],
      [await mint(500, 20, stranger), 'names no key'],
      [unreadable, 'EACCES'],
    ] as const) {
      const seen = await then(token);
      expect(seen).to.deep.equal({ ...valid, problem: seen.problem });
      expect(seen.problem).to.include(problem);
    }
  });

  it('outlives a new token that is worse: expired while this one is not', async () => {
    const seen = await then(await mint(500, -1));
    expect(seen).to.deep.equal({ ...valid, problem: 'the licence in the file expired on 2026-11-20' });
  });

  it('gives way to an expired token when it has expired as well', async () => {
    expect(await then(await mint(500, 11), KEYS, NOW + 12 * DAY)).to.include({ state: 'grace', conns: 500 });
  });

  it('counts its grace from the time in removed-at, also when that is all that is known', async () => {
    const removedAt = file('2026-11-11T12:00:00Z');
    for (const before of [memory, NOTHING_KEPT]) {
      const seen = recall(await remember(before, { token: good, keys: KEYS, removedAt }, NOW), NOW);
      expect(seen).to.include({ state: 'grace', graceDaysLeft: 20, problem: null });
    }
    memory = await remember(memory, { token: good, keys: KEYS, removedAt }, NOW);
    expect(await then(good)).to.deep.equal(valid);
  });

  it('loses nothing to a removed-at that contains no time', async () => {
    const seen = recall(await remember(memory, { token: good, keys: KEYS, removedAt: file('soon') }, NOW), NOW);
    expect(seen).to.include({ state: 'valid', problem: 'the file removed-at contains no time' });
  });

  it('has a grace of 30 days from when its file was found gone or empty', async () => {
    for (const token of [file(null), file('')]) {
      expect(await then(token)).to.include({ state: 'grace', graceDaysLeft: 30, conns: 120 });
      expect(await then(token, KEYS, NOW, NOW + 29 * DAY)).to.include({ state: 'grace', graceDaysLeft: 1 });
      expect(await then(token, KEYS, NOW, NOW + 30 * DAY)).to.include({ state: 'expired' });
    }
  });

  it('counts that grace from the first look that missed the file', async () => {
    memory = await remember(memory, { token: file(null), keys: KEYS }, NOW);
    expect(await then(file(null), KEYS, NOW + 10 * DAY)).to.include({ graceDaysLeft: 20 });
  });

  it('is whole again when its file comes back', async () => {
    memory = await remember(memory, { token: file(null), keys: KEYS }, NOW);
    expect(await then(good, KEYS, NOW + DAY)).to.deep.equal(valid);
  });

  it('outlives a key set that is missing, unreadable or broken', async () => {
    for (const keys of [...[file(null), unreadable, file('{')].map(readKeySet), keySet(key)]) {
      const seen = await then(good, keys);
      expect(seen).to.deep.equal({ ...valid, problem: seen.problem });
      expect(seen.problem).to.include('key set');
    }
  });

  it('is lost at once when its key is taken out of the key set, or is another one under its name', async () => {
    for (const keys of [keySet(toPublic(stranger)), keySet({ ...toPublic(stranger), kid: '2026' })]) {
      expect(await then(good, keys)).to.include({ state: 'invalid', conns: undefined });
    }
  });

  it('is lost at once when the last key is taken out, whatever has become of its file', async () => {
    expect(await then(good, keySet())).to.include({ state: 'invalid', conns: undefined });
    expect(await then(unreadable, keySet())).to.include({ state: 'invalid', conns: undefined });
    for (const token of [file(null), file('')]) {
      memory = await remember(memory, { token, keys: KEYS }, NOW);
      expect(await then(token, keySet())).to.include({ state: 'none', conns: undefined });
    }
  });

  it('survives the rotation of keys in the order of the manual', async () => {
    const both = keySet(toPublic(key), toPublic(stranger));
    memory = await remember(memory, { token: good, keys: both }, NOW);
    const token = await mint(500, 20, stranger);
    memory = await remember(memory, { token, keys: both }, NOW);
    expect(await then(token, keySet(toPublic(stranger)))).to.deep.equal({ ...valid, conns: 500 });
  });

  it('is not lost to a clock that is set back before its iat', async () => {
    expect(await then(good, KEYS, NOW - DAY)).to.deep.equal(valid);
  });
});

describe('without a good licence', () => {
  const first = async (token: SmallFile, keys: typeof KEYS) =>
    recall(await remember(NOTHING_KEPT, { token, keys }, NOW), NOW);

  it('no file and an empty file are none, whatever the key set is', async () => {
    for (const token of [file(null), file('')]) {
      for (const keys of [KEYS, readKeySet(file(null)), readKeySet(unreadable)]) {
        expect(await first(token, keys)).to.include({ state: 'none', problem: null });
      }
    }
  });

  it('a key set that is missing, unreadable or broken makes the licence invalid', async () => {
    for (const keys of [file(null), unreadable, file('{')].map(readKeySet)) {
      const { state, problem } = await first(await mint(120, 10), keys);
      expect(state).to.equal('invalid');
      expect(problem).to.include('key set');
    }
  });

  it('a token from a clock ahead of ours counts as soon as ours has caught up', async () => {
    const token = await mint(120, 10);
    const memory = await remember(NOTHING_KEPT, { token, keys: KEYS }, NOW - DAY);
    expect(recall(memory, NOW - DAY).state).to.equal('invalid');
    expect(recall(await remember(memory, { token, keys: KEYS }, NOW), NOW).state).to.equal('valid');
  });
});
