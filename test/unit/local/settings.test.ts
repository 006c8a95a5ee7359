import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { isAllowedAncestor } from '../../../cmd/local/editor-check.ts';
import { NotPossible, readSettings } from '../../../cmd/local/settings.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const URL = 'http://localhost:9980';

describe('the settings of make run', () => {
  it('are named on the command line of make, where the environment may name a text editor', () => {
    const read = (words: readonly string[], more: Record<string, string> = {}) => {
      const env = { PATH: process.env['PATH'], ...more };
      const shown = ['--eval', 'show: ; @env', 'show', ...words];
      const text = execFileSync('make', shown, { cwd: ROOT, env, encoding: 'utf8' });
      return Object.fromEntries([...text.matchAll(/^(SVC_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
    };
    expect(read(['EDITOR=url', `EDITOR_URL=${URL}`, 'EDITOR_PASSWORD_FILE=password'])).to.deep.equal({
      SVC_LOCAL_EDITOR: 'url',
      SVC_ONLINE_URL: URL,
      SVC_ONLINE_ADMIN_PASSWORD_FILE: 'password',
    });
    expect(read([], { EDITOR: 'vim' })).to.deep.equal({});
  });

  it('say what is wrong with them', () => {
    const address = /^EDITOR_URL .* must be an address such as http:\/\/localhost:9980: /;
    for (const [name, value, says] of [
      ['SVC_LOCAL_STORE', 'floppy', /^STORE=floppy must be embedded or shared, such as make run STORE=shared$/],
      ['SVC_LOCAL_PORTS', 'all', /^SVC_LOCAL_PORTS=all must list ports of your own pages/],
      ['PORT', '80808', /^PORT=80808 is not a port number from 1 to 65535, such as make run PORT=8081$/],
      ['SVC_ONLINE_URL', 'localhost:9980', address],
      ['SVC_ONLINE_URL', 'https://localhost:9980', address],
      ['SVC_ONLINE_URL', 'http://localhost:9980/office', address],
      ['SVC_ONLINE_ADMIN_PASSWORD_FILE', '/nowhere', /^EDITOR_PASSWORD_FILE .*: ENOENT/],
    ] as const)
      expect(() => readSettings({ [name]: value }), value).to.throw(NotPossible, says);
  });

  it('are held against the frame-ancestors of an editor as browsers do', () => {
    for (const [source, origin, allowed] of [
      ['localhost:*', 'http://localhost:8000', true],
      ['localhost:*', 'http://127.0.0.1:8000', false],
      ['localhost', 'http://localhost', true],
      ['localhost', 'http://localhost:8000', false],
      ['LOCALHOST:8000', 'http://localhost:8000', true],
      ['localhost:8000', 'https://localhost:8000', true],
      ['https://portal.example', 'http://portal.example', false],
      ['https://portal.example', 'https://portal.example', true],
      ['https://portal.example/', 'https://portal.example:443', true],
      ['*.example', 'https://portal.example', true],
      ['*.example', 'https://example', false],
      ['*', 'https://portal.example:8443', true],
      ['*:*', 'https://portal.example:8443', true],
      ["'self'", 'http://localhost:8080', true],
      ["'self'", 'http://localhost:8000', false],
      ["'none'", 'http://localhost:8080', false],
      ['[::1]:*', 'http://[::1]:8000', true],
    ] as const) {
      const found = isAllowedAncestor(origin, ['other.example', source], 'http://localhost:8080');
      expect(found, `${source} ${origin}`).to.equal(allowed);
    }
  });
});
