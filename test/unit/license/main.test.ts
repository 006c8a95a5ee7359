import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseKeySet } from '../../../src/common/crypto/key-set.ts';
import { readLicense } from '../../../src/common/crypto/license.ts';

const MAIN = new URL('../../../cmd/license/main.ts', import.meta.url).pathname;

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function license(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('the license command', () => {
  let folder: string;
  let privatePath: string;
  let publicPath: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'license-command-'));
    privatePath = join(folder, 'license-2026.private.jwk');
    publicPath = join(folder, 'license-keys.json');
    expect((await license('keys', '--out', folder, '--kid', '2026')).code).to.equal(0);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const order = () => ['--key', privatePath, '--conns', '120', '--features', 'api_full,callback', '--days', '365'];
  const mint = (...args: string[]) => license('mint', ...order(), '--sub', 'Công ty Một', ...args);

  async function read(token: string) {
    const keys = parseKeySet(await readFile(publicPath, 'utf8'));
    if (!keys.ok) throw new Error(keys.problem);
    return readLicense(token, keys.value, Date.now());
  }

  describe('keys', () => {
    it('keeps the private key from others and the public one free of it', async () => {
      expect((await stat(privatePath)).mode & 0o777).to.equal(0o600);
      const { d } = JSON.parse(await readFile(privatePath, 'utf8'));
      expect(d).to.have.lengthOf(43);
      expect(await readFile(publicPath, 'utf8')).not.to.include(d);
    });

    it('adds to the key set that is there and loses nothing of it', async () => {
      const other = join(folder, 'second');
      await license('keys', '--out', other, '--kid', 'a');
      const path = join(other, 'license-keys.json');
      const before = JSON.parse(await readFile(path, 'utf8')).keys;
      const rsa = { kty: 'RSA', n: 'x', e: 'AQAB', kid: 'r' };
      await writeFile(path, JSON.stringify({ keys: [...before, rsa] }));
      const { code, stdout } = await license('keys', '--out', other);
      expect(code).to.equal(0);
      const { keys } = JSON.parse(await readFile(path, 'utf8'));
      expect(keys.slice(0, 2)).to.deep.equal([...before, rsa]);
      expect(stdout).to.include(keys[2].kid);
      expect(await readdir(other)).to.have.lengthOf(3);
    });

    it('never writes over a private key, with or without the key set', async () => {
      const before = await readFile(privatePath, 'utf8');
      expect(await license('keys', '--out', folder, '--kid', '2026')).to.include({ code: 2, stdout: '' });
      const kept = await readFile(publicPath, 'utf8');
      await rm(publicPath);
      const again = await license('keys', '--out', folder, '--kid', '2026');
      await writeFile(publicPath, kept);
      expect(again.code).to.equal(2);
      expect(again.stderr).to.include('never overwritten');
      expect(await readFile(privatePath, 'utf8')).to.equal(before);
    });

    it('makes nothing beside a key set that it cannot read, nor with a kid that is a path', async () => {
      const other = await mkdtemp(join(folder, 'broken-'));
      await writeFile(join(other, 'license-keys.json'), '{"keys":');
      expect((await license('keys', '--out', other)).code).to.equal(2);
      expect((await license('keys', '--out', other, '--kid', '../x')).code).to.equal(2);
      expect(await readdir(other)).to.deep.equal(['license-keys.json']);
    });
  });

  describe('mint', () => {
    it('prints a token, and nothing else, that the public keys verify', async () => {
      const { code, stdout, stderr } = await mint();
      expect(code).to.equal(0);
      const { state, claims } = await read(stdout.trim());
      expect(state).to.equal('valid');
      expect(claims).to.deep.include({ sub: 'Công ty Một', conns: 120, features: ['api_full', 'callback'] });
      expect((claims?.expiresAt ?? 0) - (claims?.issuedAt ?? 0)).to.equal(365 * 86_400_000);
      expect(stderr).to.include('enterprise, 180 requests a minute, with callbacks');
    });

    it('writes a file that only its owner reads', async () => {
      const path = join(folder, 'license.jwt');
      expect(await mint('--out', path)).to.include({ code: 0, stdout: '' });
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      expect((await read((await readFile(path, 'utf8')).trim())).state).to.equal('valid');
    });

    it('makes a licence without features, and notes one below the least order', async () => {
      const args = ['--key', privatePath, '--conns', '10', '--days', '1', '--sub', 'x'];
      const { code, stdout, stderr } = await license('mint', ...args);
      expect(code).to.equal(0);
      expect((await read(stdout.trim())).claims?.features).to.deep.equal([]);
      expect(stderr).to.include('at least 50').and.include('community');
    });

    it('notes features that mean nothing, which may be misspelled', async () => {
      const args = [
        '--key',
        privatePath,
        '--conns',
        '50',
        '--days',
        '1',
        '--sub',
        'x',
        '--features',
        'api_ful,callback',
      ];
      const { code, stderr } = await license('mint', ...args);
      expect(code).to.equal(0);
      expect(stderr).to.include(
        'note: api_ful has no effect in this service; known features are api_full, callback, whitelabel',
      );
      expect((await mint()).stderr).not.to.include('note');
    });

    it('reports every mistake at once and prints no token', async () => {
      for (const [conns, features, days] of [
        ['1.5', 'API', '365.5'],
        ['0', 'a,,b', '-1'],
      ]) {
        const run = await license(
          ...[
            'mint',
            '--key',
            privatePath,
            `--conns=${conns}`,
            `--features=${features}`,
            `--days=${days}`,
            '--sub',
            ' ',
          ],
        );
        expect(run).to.include({ code: 2, stdout: '' });
        for (const name of ['--conns', '--days', '--features', '--sub']) expect(run.stderr).to.include(name);
      }
    });

    it('names each option that is missing', async () => {
      const { code, stderr } = await license('mint');
      expect(code).to.equal(2);
      for (const name of ['--key', '--conns', '--days', '--sub']) expect(stderr).to.include(`${name} is required`);
    });

    it('refuses a key that is public, broken, or of two halves that do not belong together', async () => {
      const key = JSON.parse(await readFile(privatePath, 'utf8'));
      const { keys } = JSON.parse(await readFile(publicPath, 'utf8'));
      await license('keys', '--out', join(folder, 'stranger'), '--kid', 'stranger');
      const path = join(folder, 'stranger', 'license-stranger.private.jwk');
      const stranger = JSON.parse(await readFile(path, 'utf8'));
      for (const content of [keys[0], {}, { ...key, d: stranger.d }]) {
        await writeFile(path, JSON.stringify(content));
        const run = await license('mint', '--key', path, '--conns', '50', '--days', '1', '--sub', 'x');
        expect(run).to.include({ code: 2, stdout: '' });
        expect(run.stderr).to.include('cannot sign').and.not.include(key.d);
      }
    });
  });

  describe('show', () => {
    const path = () => join(folder, 'shown.jwt');
    const show = () => license('show', '--token', path(), '--keys', publicPath);

    it('prints what a licence grants', async () => {
      await mint('--out', path());
      const { code, stdout } = await show();
      expect(code).to.equal(0);
      for (const text of ['valid', 'Công ty Một', '120', 'api_full, callback', 'enterprise']) {
        expect(stdout).to.include(text);
      }
    });

    it('exits with 1 for a licence that does not count', async () => {
      await writeFile(path(), 'x.y.z');
      const { code, stdout } = await show();
      expect(code).to.equal(1);
      expect(stdout).to.include('invalid').and.include('community');
    });

    it('exits with 2 for files that are not there or not a key set', async () => {
      expect((await license('show', '--token', join(folder, 'nothing'), '--keys', publicPath)).code).to.equal(2);
      expect((await license('show', '--token', publicPath, '--keys', privatePath)).code).to.equal(2);
    });
  });

  it('prints its usage when asked, and for a command that it does not know', async () => {
    const [help, option, unknown, nothing] = await Promise.all([
      license('help'),
      license('mint', '--help'),
      license('toString'),
      license(),
    ]);
    expect(help).to.include({ code: 0, stderr: '' });
    expect(help.stdout).to.include('Usage:');
    expect(option).to.deep.equal(help);
    expect(unknown.code).to.equal(2);
    expect(unknown.stderr).to.include('unknown command toString').and.include('Usage:');
    expect(nothing.code).to.equal(2);
  });

  it('says plainly that a folder cannot be written to', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    const { code, stderr } = await license('keys', '--out', join(file, 'below'));
    expect(code).to.equal(2);
    expect(stderr).to.include('ENOTDIR').and.not.include('    at ');
  });
});
