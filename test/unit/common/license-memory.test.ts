import { expect } from 'chai';
import { signEdDsa } from '../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../src/common/crypto/key-set.ts';
import type { SmallFile } from '../../../src/common/fs/read-small.ts';
import { type LicenseMemory, NOTHING_KEPT, readKeySet, recall, remember } from '../../../src/common/license-file.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const key = generateEd25519('2026');
const stranger = generateEd25519('stranger');

const file = (text: string | null): SmallFile => ({ ok: true, text });
const unreadable: SmallFile = { ok: false, problem: 'cannot be read (EACCES)' };
const GONE = [file(null), file('')];
const keySet = (...keys: { kid: string }[]) => readKeySet(file(JSON.stringify({ keys })));
const KEYS = keySet(toPublic(key));
const NO_KEYS = [file(null), unreadable, file('{')].map(readKeySet);
const STRANGE = keySet(toPublic(stranger));
const BOTH = keySet(toPublic(key), toPublic(stranger));

async function mint(conns: number, days: number, by = key): Promise<SmallFile> {
  const iat = NOW / 1000 - 3600;
  return file(await signEdDsa({ sub: 'Company', conns, features: [], iat, exp: NOW / 1000 + days * 86_400 }, by));
}

const good = mint(120, 10);
const valid = { state: 'valid', graceDaysLeft: null, conns: 120, problem: null };
const none = { state: 'none', graceDaysLeft: null, problem: null };
const invalid = { state: 'invalid', graceDaysLeft: null };

/** The files at a time, and what a licence is seen to be then. */
interface Look {
  token?: SmallFile | Promise<SmallFile>;
  keys?: typeof KEYS;
  removedAt?: SmallFile;
  at?: number;
  /** When it is asked; otherwise at once. */
  seenAt?: number;
}

/** Looks at files one time after the other; returns what is seen at the last one. */
async function look(looks: Look[]) {
  let memory: LicenseMemory = NOTHING_KEPT;
  let seen: { problem: string | null } = { problem: null };
  for (const { token = good, keys = KEYS, removedAt, at = NOW, seenAt = at } of looks) {
    memory = await remember(memory, { token: await token, keys, ...(removedAt && { removedAt }) }, at);
    const { claims, ...others } = recall(memory, seenAt);
    seen = { ...others, ...(claims && { conns: claims.conns }) };
  }
  return seen;
}

describe('what a licence is', () => {
  const removed = file('2026-11-11T12:00:00Z');
  /** After a look at files in which it was good. */
  const LATER: [what: string, expected: object, ...looks: Look[]][] = [
    ['gives way to a new one', { ...valid, conns: 500 }, { token: mint(500, 20) }],
    ['gives way to a smaller one', { ...valid, conns: 20 }, { token: mint(20, 5) }],
    [
      'outlives a new one that has expired while it has not',
      { ...valid, problem: 'the licence in the file expired on 2026-11-20' },
      { token: mint(500, -1) },
    ],
    [
      'gives way to an expired one when it has expired as well',
      { state: 'grace', conns: 500 },
      { token: mint(500, 11), at: NOW + 12 * DAY },
    ],
    ['has its grace from removed-at', { state: 'grace', graceDaysLeft: 20, problem: null }, { removedAt: removed }],
    ['is whole again without removed-at', valid, { removedAt: removed }, {}],
    [
      'loses nothing to a removed-at that contains no time',
      { state: 'valid', problem: 'the file removed-at contains no time' },
      { removedAt: file('soon') },
    ],
    ...GONE.flatMap((token): typeof LATER => {
      const without = token.ok && token.text === null ? 'whose file is gone' : 'whose file is empty';
      return [
        [`${without} has a grace of 30 days`, { state: 'grace', graceDaysLeft: 30, conns: 120 }, { token }],
        [`${without} has one on its last day`, { graceDaysLeft: 1 }, { token, seenAt: NOW + 29 * DAY }],
        [`${without} expires after that`, { state: 'expired' }, { token, seenAt: NOW + 30 * DAY }],
        [`${without} counts from the first look`, { graceDaysLeft: 20 }, { token }, { token, at: NOW + 10 * DAY }],
        [`${without} is whole when it comes back`, valid, { token }, { at: NOW + DAY }],
        [`${without} is none without its key`, none, { token }, { token, keys: keySet() }],
      ];
    }),
    ['is lost when its key is taken out', invalid, { keys: STRANGE }],
    ['is lost when its key is another', invalid, { keys: keySet({ ...toPublic(stranger), kid: '2026' }) }],
    ['is lost when the last key is taken out', invalid, { keys: keySet() }],
    ['is lost with it though its file is unreadable', invalid, { token: unreadable, keys: keySet() }],
    [
      'survives the rotation of keys in the order of the manual',
      { ...valid, conns: 500 },
      { keys: BOTH },
      ...[BOTH, STRANGE].map((keys) => ({ token: mint(500, 20, stranger), keys })),
    ],
    ['is not lost to a clock that is set back before its iat', valid, { at: NOW - DAY }],
  ];
  for (const [what, expected, ...looks] of LATER) {
    it(`one that was good ${what}`, async () => expect(await look([{}, ...looks])).to.include(expected));
  }

  for (const [what, told, change] of [
    ['a new token that is none', 'not a JWT', { token: file('rubbish') }],
    ['a new token of another key', 'names no key', { token: mint(500, 20, stranger) }],
    ['a token that cannot be read', 'EACCES', { token: unreadable }],
    ...[...NO_KEYS, keySet(key)].map((keys) => ['a key set that is none', 'key set', { keys }] as const),
  ] as const) {
    it(`one that was good outlives ${what}, which is told`, async () => {
      const seen = await look([{}, change]);
      expect(seen).to.include({ ...valid, problem: seen.problem });
      expect(seen.problem).to.include(told);
    });
  }

  it('none, where there is no file or an empty one, whatever the key set is', async () => {
    for (const token of GONE) {
      for (const keys of [KEYS, ...NO_KEYS.slice(0, 2)]) expect(await look([{ token, keys }])).to.include(none);
    }
  });

  it('invalid, where the key set is missing, unreadable or broken', async () => {
    for (const keys of NO_KEYS) {
      const seen = await look([{ keys }]);
      expect(seen).to.include(invalid);
      expect(seen.problem).to.include('key set');
    }
  });

  it('in grace by removed-at also when that is all that is known', async () => {
    expect(await look([{ removedAt: removed }])).to.include({ state: 'grace', graceDaysLeft: 20, problem: null });
  });

  it('valid, where its clock is ahead of ours, as soon as ours has caught up', async () => {
    expect(await look([{ at: NOW - DAY }])).to.include({ state: 'invalid' });
    expect(await look([{ at: NOW - DAY }, {}])).to.include({ state: 'valid' });
  });
});
