import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Audit } from '../../../src/common/audit.ts';
import { signEdDsa } from '../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../src/common/crypto/key-set.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { writeAtomic } from '../../../src/common/fs/atomic.ts';
import type { SmallFile } from '../../../src/common/fs/read-small.ts';
import {
  type LicenseFile,
  type LicenseMemory,
  NOTHING_KEPT,
  readKeySet,
  recall,
  remember,
  watchLicense,
} from '../../../src/common/license-file.ts';
import { useFolder } from '../../support/folder.ts';
import { loggedLines, secret, testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400_000;
const key = generateEd25519('2026');
const KEYS = JSON.stringify({ keys: [toPublic(key)] });

/** A token for so many days from now, in seconds, which was issued an hour ago. */
const sign = (conns: number, now: number, days = 10, by = key) => {
  const times = { iat: now - 3600, exp: now + days * 86_400 };
  return signEdDsa({ sub: 'Company', conns, features: ['api_full'], ...times }, by);
};

describe('watchLicense', () => {
  const folder = useFolder('test');
  let tokenPath: string;
  let keysPath: string;
  let now: number;
  let license: LicenseFile | undefined;
  let changes: unknown[];

  beforeEach(async () => {
    tokenPath = folder.at('license.jwt');
    keysPath = folder.at('license-keys.json');
    now = Date.now();
    changes = [];
    await writeFile(keysPath, KEYS);
  });

  afterEach(() => {
    license?.stop();
    license = undefined;
  });

  const mint = async (conns: number) => secret(await sign(conns, Math.floor(now / 1000)));

  async function start(clock = () => now): Promise<LicenseFile> {
    const audit: Pick<Audit, 'record'> = { record: (_event, facts) => void changes.push(facts?.['state']) };
    license = await watchLicense({ tokenPath, keysPath, clock, log: testLogger(), audit, pollMs: 5 });
    return license;
  }

  const untilState = (condition: (state: LicenseState) => boolean) =>
    until('the state that is waited for', () => license !== undefined && condition(license.current()));
  const conns = (count: number) => untilState(({ state, claims }) => state === 'valid' && claims?.conns === count);

  it('sees a token whose folder comes later, that is written over, renamed into place, removed, and written again', async () => {
    tokenPath = folder.at('secret', 'license.jwt');
    expect((await start()).current().state).to.equal('none');
    await mkdir(folder.at('secret'));
    for (const count of [120, 200]) {
      await writeFile(tokenPath, await mint(count));
      await conns(count);
    }
    await writeAtomic(tokenPath, await mint(300));
    await conns(300);
    await rm(tokenPath);
    await untilState(({ state }) => state === 'grace');
    await writeFile(tokenPath, await mint(400));
    await conns(400);
  });

  it('sees the swap of the ..data link of a Kubernetes Secret', async () => {
    const version = async (name: string, count: number) => {
      await mkdir(folder.at(name));
      await writeFile(folder.at(name, 'license.jwt'), await mint(count));
      await symlink(name, folder.at('..data_tmp'));
      await rename(folder.at('..data_tmp'), folder.at('..data'));
    };
    await version('..2026_11_21_1', 120);
    await symlink('..data/license.jwt', tokenPath);
    await start();
    expect(license?.current().claims?.conns).to.equal(120);
    await version('..2026_11_21_2', 200);
    await rm(folder.at('..2026_11_21_1'), { recursive: true });
    await conns(200);
  });

  it('is in grace from the time in a file removed-at beside the token, also after a restart', async () => {
    await writeFile(tokenPath, await mint(120));
    await start();
    await writeAtomic(folder.at('removed-at'), new Date(now - 5 * DAY).toISOString());
    await untilState(({ state, graceDaysLeft }) => state === 'grace' && graceDaysLeft === 25);
    license?.stop();
    expect((await start()).current()).to.include({ state: 'grace', graceDaysLeft: 25, problem: null });
    await rm(folder.at('removed-at'));
    await conns(120);
  });

  it('tells of a change that time alone has made, once, however often it looks', async () => {
    await writeAtomic(tokenPath, await mint(120));
    let looks = 0;
    await start(() => {
      looks += 1;
      return now;
    });
    const first = looks;
    now += 11 * DAY;
    expect(license?.current()).to.include({ state: 'grace', graceDaysLeft: 29 });
    await until('the second state is told', () => changes.length > 1 && looks >= 4 * first);
    expect(changes).to.deep.equal(['valid', 'grace']);
  });

  it('knows the licence when it resolves, logs whom and what it is for, and never the token', async () => {
    const before = loggedLines().length;
    const token = await mint(120);
    await writeFile(tokenPath, `${token}\n`);
    expect((await start()).current()).to.deep.include({ state: 'valid', problem: null });
    expect(changes).to.deep.equal(['valid']);
    const [line = '', ...others] = loggedLines().slice(before);
    expect(others).to.deep.equal([]);
    const facts = { state: 'valid', kid: '2026', sub: 'Company', conns: 120, features: ['api_full'] };
    expect(JSON.parse(line).license).to.deep.include(facts);
    expect(line).not.to.include(token.split('.')[2]);
  });
});

const NOW = Date.parse('2026-11-21T12:00:00Z');
const stranger = generateEd25519('stranger');

const file = (text: string | null): SmallFile => ({ ok: true, text });
const unreadable: SmallFile = { ok: false, problem: 'cannot be read (EACCES)' };
const GONE = [file(null), file('')];
const keySet = (...keys: { kid: string }[]) => readKeySet(file(JSON.stringify({ keys })));
const OWN = keySet(toPublic(key));
const NO_KEYS = [file(null), unreadable, file('{')].map(readKeySet);
const STRANGE = keySet(toPublic(stranger));
const BOTH = keySet(toPublic(key), toPublic(stranger));

const mint = async (conns: number, days: number, by = key) => file(await sign(conns, NOW / 1000, days, by));
const good = mint(120, 10);
const valid = { state: 'valid', graceDaysLeft: null, conns: 120, problem: null };
const none = { state: 'none', graceDaysLeft: null, problem: null };
const invalid = { state: 'invalid', graceDaysLeft: null };

/** The files at a time, and what a licence is seen to be then. */
interface Look {
  token?: SmallFile | Promise<SmallFile>;
  keys?: typeof OWN;
  removedAt?: SmallFile;
  at?: number;
  /** When it is asked; otherwise at once. */
  seenAt?: number;
}

/** Looks at files one time after the other; returns what is seen at the last one. */
async function look(looks: Look[]) {
  let memory: LicenseMemory = NOTHING_KEPT;
  let seen: { problem: string | null } = { problem: null };
  for (const { token = good, keys = OWN, removedAt, at = NOW, seenAt = at } of looks) {
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
      { ...valid, problem: 'the new licence expired on 2026-11-20' },
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

  for (const [what, expected, change] of [
    ['a new token that is none', 'not a JWT', { token: file('rubbish') }],
    ['a new token of another key', 'names no key', { token: mint(500, 20, stranger) }],
    ['a token that cannot be read', 'EACCES', { token: unreadable }],
    ...[...NO_KEYS, keySet(key)].map((keys) => ['a key set that is none', 'key set', { keys }] as const),
  ] as const) {
    it(`one that was good outlives ${what}, which is told`, async () => {
      const seen = await look([{}, change]);
      expect(seen).to.include({ ...valid, problem: seen.problem });
      expect(seen.problem).to.include(expected);
    });
  }

  it('is told right at the first look as well', async () => {
    const early = { at: NOW - DAY };
    for (const [expected, ...looks] of [
      ...GONE.flatMap((token) => [OWN, ...NO_KEYS.slice(0, 2)].map((keys): [object, Look] => [none, { token, keys }])),
      ...NO_KEYS.map((keys): [object, Look] => [invalid, { keys }]),
      [{ state: 'grace', graceDaysLeft: 20, problem: null }, { removedAt: removed }],
      // Its clock is ahead of ours, until ours has caught up.
      [{ state: 'invalid' }, early],
      [{ state: 'valid' }, early, {}],
    ] as [object, ...Look[]][]) {
      expect(await look(looks)).to.include(expected);
    }
    for (const keys of NO_KEYS) expect((await look([{ keys }])).problem).to.include('key set');
  });
});
