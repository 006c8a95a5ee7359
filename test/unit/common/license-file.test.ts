import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Audit } from '../../../src/common/audit.ts';
import { signEdDsa } from '../../../src/common/crypto/jwt.ts';
import { generateEd25519, toPublic } from '../../../src/common/crypto/key-set.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { writeAtomic } from '../../../src/common/fs/atomic.ts';
import { type LicenseFile, watchLicense } from '../../../src/common/license-file.ts';
import { useFolder } from '../../support/folder.ts';
import { loggedLines, secret, testLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400_000;
const key = generateEd25519('2026');
const KEYS = JSON.stringify({ keys: [toPublic(key)] });

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

  async function mint(conns: number, days = 10): Promise<string> {
    const iat = Math.floor(now / 1000);
    return secret(
      await signEdDsa({ sub: 'Company', conns, features: ['api_full'], iat, exp: iat + days * 86_400 }, key),
    );
  }

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
