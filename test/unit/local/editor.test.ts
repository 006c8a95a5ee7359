import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { chooseEditor } from '../../../cmd/local/editor.ts';
import { NotPossible } from '../../../cmd/local/not-possible.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const URL = 'http://localhost:9980';

describe('the editor that is asked for', () => {
  for (const [asked, url, choice] of [
    [undefined, undefined, { kind: 'stand-in', isDefault: true }],
    ['', '', { kind: 'stand-in', isDefault: true }],
    ['stand-in', URL, { kind: 'stand-in', isDefault: false }],
    ['docker', undefined, { kind: 'docker', url: undefined }],
    ['docker', URL, { kind: 'docker', url: URL }],
    ['url', URL, { kind: 'url', url: URL }],
    [undefined, `${URL}/`, { kind: 'url', url: URL }],
  ] as const) {
    it(`is ${choice.kind} by EDITOR=${asked} and EDITOR_URL=${url}`, () => {
      expect(chooseEditor({ SVC_LOCAL_EDITOR: asked, SVC_ONLINE_URL: url })).to.deep.equal(choice);
    });
  }

  it('is named on the command line of make, where the environment may name a text editor', () => {
    const words = ['EDITOR=url', `EDITOR_URL=${URL}`, 'EDITOR_PASSWORD_FILE=password'];
    expect(readVariables(words)).to.deep.equal({
      SVC_LOCAL_EDITOR: 'url',
      SVC_ONLINE_URL: URL,
      SVC_ONLINE_ADMIN_PASSWORD_FILE: 'password',
    });
    expect(readVariables([], { EDITOR: 'vim' })).to.deep.equal({});
  });

  it('is told to be none', () => {
    expect(() => chooseEditor({ SVC_LOCAL_EDITOR: 'url' })).to.throw(NotPossible, /^EDITOR=url needs an address/);
    expect(() => chooseEditor({ SVC_LOCAL_EDITOR: 'vim' })).to.throw(NotPossible, /^EDITOR=vim must be docker, url/);
  });
});

/** Variables of the service that a command of the Makefile gets. */
function readVariables(words: readonly string[], more: Record<string, string> = {}): Record<string, string> {
  const env = { PATH: process.env['PATH'], ...more };
  const text = execFileSync('make', ['--eval', 'show: ; @env', 'show', ...words], { cwd: ROOT, env, encoding: 'utf8' });
  return Object.fromEntries([...text.matchAll(/^(SVC_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}
