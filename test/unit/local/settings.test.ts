import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { isAllowedAncestor } from '../../../cmd/local/editor-check.ts';
import { internalSide } from '../../../cmd/local/parts.ts';
import { chooseEditor, NotPossible, parseNeighbours, toAllowHosts, toOrigins } from '../../../cmd/local/settings.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const URL = 'http://localhost:9980';

describe('the settings of make run', () => {
  it('choose the editor', () => {
    for (const [asked, url, choice] of [
      [undefined, undefined, { kind: 'stand-in', isDefault: true }],
      ['', '', { kind: 'stand-in', isDefault: true }],
      ['stand-in', URL, { kind: 'stand-in', isDefault: false }],
      ['docker', undefined, { kind: 'docker', url: undefined }],
      ['docker', URL, { kind: 'docker', url: URL }],
      ['url', URL, { kind: 'url', url: URL }],
      [undefined, `${URL}/`, { kind: 'url', url: URL }],
      ['url', undefined, /^EDITOR=url needs an address/],
      ['vim', undefined, /^EDITOR=vim must be docker, url/],
    ] as const) {
      const choose = () => chooseEditor({ SVC_LOCAL_EDITOR: asked, SVC_ONLINE_URL: url });
      if (choice instanceof RegExp) expect(choose).to.throw(NotPossible, choice);
      else expect(choose(), `${asked} ${url}`).to.deep.equal(choice);
    }
  });

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

  it('open the gate’s internal side to loopback alone unless told', () => {
    const [ANY, DEV] = ['http://host.docker.internal:8081', 'http://dev.example:9001'];
    const own = ['127.0.0.1:12345', '127.0.0.1:12345', 'http://127.0.0.1:12345'];
    for (const [wopiUrl, internal, expected] of [
      [undefined, undefined, own],
      ['', '', own],
      [ANY, undefined, ['0.0.0.0:8081', '127.0.0.1:8081', ANY]],
      [undefined, '172.17.0.1:9001', ['172.17.0.1:9001', '172.17.0.1:9001', 'http://172.17.0.1:9001']],
      [DEV, '[::]:9001', ['[::]:9001', '127.0.0.1:9001', DEV]],
    ] as const) {
      const side = internalSide({ SVC_GATE_WOPI_URL: wopiUrl, SVC_GATE_INTERNAL_LISTEN: internal }, 12345);
      expect([side.listen, side.front, side.wopiUrl]).to.deep.equal(expected);
    }
  });

  it('let in the service itself, the ports that are named, and other origins and hosts', () => {
    const none = parseNeighbours();
    expect(toOrigins(none, 8080)).to.equal('http://localhost:8080,http://127.0.0.1:8080');
    expect(toAllowHosts(none, 8080)).to.equal('localhost:8080,127.0.0.1:8080');
    expect(toOrigins(none, 80), 'as browsers send it').to.equal('http://localhost,http://127.0.0.1');
    const named = parseNeighbours('8000, 8090,', 'https://portal.example', '10.0.0.7:80,portal.internal');
    expect(toOrigins(named, 8080).split(',').slice(2)).to.deep.equal([
      ...['http://localhost:8000', 'http://127.0.0.1:8000', 'http://localhost:8090', 'http://127.0.0.1:8090'],
      'https://portal.example',
    ]);
    expect(toAllowHosts(named, 8080).split(',').slice(2)).to.deep.equal([
      ...['localhost:8000', '127.0.0.1:8000', 'localhost:8090', '127.0.0.1:8090', '10.0.0.7:80', 'portal.internal'],
    ]);
    for (const ports of ['web', '0', '65536', '8000-8010', '8000;8090', '*']) {
      expect(() => parseNeighbours(ports)).to.throw(NotPossible, `SVC_LOCAL_PORTS=${ports} `);
    }
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
