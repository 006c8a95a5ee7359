import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parseKeySet } from '../../../src/common/crypto/key-set.ts';
import { readLicense } from '../../../src/common/crypto/license.ts';
import { useFolder } from '../../support/folder.ts';

const MAIN = new URL('../../../cmd/license/main.ts', import.meta.url).pathname;
const KEY_SET = 'license-keys.json';

function license(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('the license command', () => {
  const folder = useFolder();
  const privatePath = () => folder.at('license-2026.private.jwk');
  const publicPath = () => folder.at(KEY_SET);
  before(async () => {
    expect((await license('keys', '--out', folder.path, '--kid', '2026')).code).to.equal(0);
  });

  const ORDER = { conns: '120', days: '365', sub: 'Công ty Một', features: 'api_full,callback' };
  /** Runs `mint` for an order; of a change, an empty option is left out. */
  const mint = (change: Record<string, string> = {}) => {
    const options = Object.entries({ key: privatePath(), ...ORDER, ...change }).filter(([, value]) => value !== '');
    return license('mint', ...options.map(([name, value]) => `--${name}=${value}`));
  };

  async function read(token: string) {
    const keys = parseKeySet(await readFile(publicPath(), 'utf8'));
    if (!keys.ok) throw new Error(keys.problem);
    return readLicense(token.trim(), keys.value, Date.now());
  }

  describe('keys', () => {
    it('keeps the private key from others and the public one free of it', async () => {
      expect((await stat(privatePath())).mode & 0o777).to.equal(0o600);
      const { d } = JSON.parse(await readFile(privatePath(), 'utf8'));
      expect(d).to.have.lengthOf(43);
      expect(await readFile(publicPath(), 'utf8')).not.to.include(d);
    });

    it('adds to the key set that is there and loses nothing of it', async () => {
      const other = folder.at('second');
      await license('keys', '--out', other, '--kid', 'a');
      const path = folder.at('second', KEY_SET);
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
      const before = await readFile(privatePath(), 'utf8');
      expect(await license('keys', '--out', folder.path, '--kid', '2026')).to.include({ code: 2, stdout: '' });
      await mkdir(folder.at('alone'), { recursive: true });
      await writeFile(folder.at('alone', 'license-2026.private.jwk'), before);
      const again = await license('keys', '--out', folder.at('alone'), '--kid', '2026');
      expect(again.code).to.equal(2);
      expect(again.stderr).to.include('never overwritten');
      for (const path of [privatePath(), folder.at('alone', 'license-2026.private.jwk')]) {
        expect(await readFile(path, 'utf8')).to.equal(before);
      }
    });

    it('makes nothing beside a key set that it cannot read, with a kid that is a path, nor in a file', async () => {
      await mkdir(folder.at('broken'), { recursive: true });
      await writeFile(folder.at('broken', KEY_SET), '{"keys":');
      expect((await license('keys', '--out', folder.at('broken'))).code).to.equal(2);
      expect((await license('keys', '--out', folder.at('broken'), '--kid', '../x')).code).to.equal(2);
      expect(await readdir(folder.at('broken'))).to.deep.equal([KEY_SET]);
      const { code, stderr } = await license('keys', '--out', folder.at('broken', KEY_SET, 'below'));
      expect(code).to.equal(2);
      expect(stderr).to.include('ENOTDIR').and.not.include('    at ');
    });
  });

  describe('mint', () => {
    it('prints a token, and nothing else, that the public keys verify', async () => {
      const { code, stdout, stderr } = await mint();
      expect(code).to.equal(0);
      const { state, claims } = await read(stdout);
      expect(state).to.equal('valid');
      expect(claims).to.deep.include({ sub: 'Công ty Một', conns: 120, features: ['api_full', 'callback'] });
      expect((claims?.expiresAt ?? 0) - (claims?.issuedAt ?? 0)).to.equal(365 * 86_400_000);
      expect(stderr).to.include('enterprise, 180 requests a minute, with callbacks').and.not.include('note');
    });

    it('writes a file that only its owner reads', async () => {
      const out = folder.at('license.jwt');
      expect(await mint({ out })).to.include({ code: 0, stdout: '' });
      expect((await stat(out)).mode & 0o777).to.equal(0o600);
      expect((await read(await readFile(out, 'utf8'))).state).to.equal('valid');
    });

    it('notes an order below the least, one without features, and features that may be misspelled', async () => {
      const small = await mint({ conns: '10', features: '' });
      expect((await read(small.stdout)).claims?.features).to.deep.equal([]);
      expect(small.stderr).to.include('at least 50').and.include('community');
      const { code, stderr } = await mint({ features: 'api_ful,callback' });
      expect(code).to.equal(0);
      expect(stderr).to.include('note: api_ful has no effect in this service; known features are api_full, callback,');
    });

    it('reports every mistake at once, each option that is missing too, and prints no token', async () => {
      for (const change of [
        { conns: '1.5', features: 'API', days: '365.5', sub: ' ' },
        { conns: '0', features: 'a,,b', days: '-1', sub: ' ' },
      ]) {
        const run = await mint(change);
        expect(run).to.include({ code: 2, stdout: '' });
        for (const name of Object.keys(change)) expect(run.stderr).to.include(`--${name}`);
      }
      const { code, stderr } = await license('mint');
      expect(code).to.equal(2);
      for (const name of ['key', 'conns', 'days', 'sub']) expect(stderr).to.include(`--${name} is required`);
    });

    it('refuses a key that is public, broken, or of two halves that do not belong together', async () => {
      const key = JSON.parse(await readFile(privatePath(), 'utf8'));
      const { keys } = JSON.parse(await readFile(publicPath(), 'utf8'));
      await license('keys', '--out', folder.at('stranger'), '--kid', 'stranger');
      const path = folder.at('stranger', 'license-stranger.private.jwk');
      const stranger = JSON.parse(await readFile(path, 'utf8'));
      for (const content of [keys[0], {}, { ...key, d: stranger.d }]) {
        await writeFile(path, JSON.stringify(content));
        const run = await mint({ key: path });
        expect(run).to.include({ code: 2, stdout: '' });
        expect(run.stderr).to.include('cannot sign').and.not.include(key.d);
      }
    });
  });

  it('show prints what a licence grants, and exits with 1 where it does not count, with 2 without files', async () => {
    const token = folder.at('shown.jwt');
    const show = (path = token, keys = publicPath()) => license('show', '--token', path, '--keys', keys);
    await mint({ out: token });
    const { code, stdout } = await show();
    expect(code).to.equal(0);
    for (const text of ['valid', 'Công ty Một', '120', 'api_full, callback', 'enterprise']) {
      expect(stdout).to.include(text);
    }
    await writeFile(token, 'x.y.z');
    const refused = await show();
    expect(refused.code).to.equal(1);
    expect(refused.stdout).to.include('invalid').and.include('community');
    expect((await show(folder.at('nothing'))).code).to.equal(2);
    expect((await show(publicPath(), privatePath())).code).to.equal(2);
  });

  it('prints its usage when asked, and for a command that it does not know', async () => {
    const asked = [['help'], ['mint', '--help'], ['toString'], []];
    const [help, option, unknown, nothing] = await Promise.all(asked.map((args) => license(...args)));
    expect(help).to.include({ code: 0, stderr: '' });
    expect(help?.stdout).to.include('Usage:');
    expect(option).to.deep.equal(help);
    expect(unknown?.code).to.equal(2);
    expect(unknown?.stderr).to.include('unknown command toString').and.include('Usage:');
    expect(nothing?.code).to.equal(2);
  });
});
