import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ERRORS } from '../../../src/common/error-catalogue.ts';
import { type FrontSettings, frontConfig, frontVariables } from '../../../src/common/front.ts';
import { useFolder } from '../../support/folder.ts';

const FRONT = resolve(import.meta.dirname, '../../../ingress/front');
const template = readFileSync(join(FRONT, 'nginx.conf.template'), 'utf8');
const settings: FrontSettings = {
  ...{ prefix: '/tmp/front', directory: '/etc/nginx/front', address: '0.0.0.0' },
  ...{ port: 8080, openPort: 8082, askPort: 8083 },
  ...{ gate: 'svc-gate:8080', gateInternal: 'svc-gate-internal:8081', docbuilder: '10.0.0.7:8080' },
  editor: 'svc-editor.office.svc:9980 resolve',
};

const PAGE = '~ ^/browser/[^/]+/cool\\.html$';

/** The directives of a location, up to the first brace behind its own. */
function readLocation(text: string, name: string): Record<string, string> {
  const block = text.split(`location ${name} {`)[1] ?? '';
  const directives = block.replace(/if \([^)]*\) \{[^}]*\}/g, '').split('}')[0] ?? '';
  return Object.fromEntries(
    [...directives.matchAll(/^\s+(\w+) ([^;]+);$/gm)].map(([, directive = '', value = '']) => [directive, value]),
  );
}

describe('front configuration', () => {
  const folder = useFolder();

  it('takes every variable of the template, by its long form alone, and leaves none', () => {
    const names = Object.keys(frontVariables(settings));
    const asked = new Set([...template.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name));
    expect([...asked]).to.have.members(names);
    expect(template).not.to.match(new RegExp(`\\$(?:${names.join('|')})\\b`));
    expect(frontConfig(template, settings)).not.to.match(/\$\{/);
    expect(frontConfig(template, settings)).to.include('server svc-editor.office.svc:9980 resolve;');
  });

  it('refuses what nginx could take for something else than an address', () => {
    const odd = ['gate:80; return 2', 'gate:80\n}', 'gate:80"', "gate:80'", 'gate:80 backup', '$host', '', 'a#b', '{'];
    for (const gate of odd)
      expect(() => frontConfig(template, { ...settings, gate }), gate).to.throw(TypeError, 'SVC_FRONT_GATE');
    for (const edge of ['10.0.0.0/8; return 200', '10.0.0.0/8 ', '', '$host']) {
      const trustedEdges = ['192.0.2.1', edge, '192.0.2.2'];
      expect(() => frontConfig(template, { ...settings, trustedEdges })).to.throw(TypeError, 'SVC_FRONT_TRUSTED_EDGES');
    }
  });

  it('is the same from the entry point of the image, with edges and without', async () => {
    await writeFile(folder.at('nginx'), '#!/bin/sh\n', { mode: 0o755 });
    for (const edges of [
      { trustedEdges: [] },
      { trustedEdges: ['10.0.0.0/8'], trustedChain: false },
      { trustedEdges: ['10.0.0.0/8', 'fc00::/7', '192.0.2.1'] },
    ]) {
      const given = { ...settings, prefix: folder.path, directory: FRONT, ...edges };
      const env = { ...frontVariables(given), PATH: `${folder.path}:${process.env['PATH']}` };
      await promisify(execFile)('sh', [join(FRONT, 'start.sh')], { env });
      expect(await readFile(folder.at('nginx.conf'), 'utf8')).to.equal(frontConfig(template, given));
    }
  });

  it('asks the name server of where it runs, the first, where the image is told of none', async () => {
    await writeFile(folder.at('nginx'), '#!/bin/sh\n', { mode: 0o755 });
    const script = await readFile(join(FRONT, 'start.sh'), 'utf8');
    await writeFile(folder.at('start.sh'), script.replaceAll('/etc/resolv.conf', folder.at('resolv.conf')));
    const given = { ...settings, prefix: folder.path, directory: FRONT };
    const { SVC_FRONT_RESOLVER: _, ...others } = frontVariables(given);
    const usual =
      /\bSVC_FRONT_RESOLVER=(\S*)/.exec(await readFile(resolve(FRONT, '../../Dockerfile'), 'utf8'))?.[1] ?? '-';
    for (const [text, resolver] of [
      ['search office.svc svc.cluster.local\nnameserver 169.254.20.10\nnameserver 10.96.0.10\n', '169.254.20.10'],
      ['# nameserver 192.0.2.1\n nameserver\t10.96.0.10 # of the cluster\noptions ndots:5\n', '10.96.0.10'],
      ['nameserver fd00:10:96::a', '[fd00:10:96::a]'],
      ['search example\n', '127.0.0.1'],
    ] as const) {
      await writeFile(folder.at('resolv.conf'), text);
      for (const told of [{}, { SVC_FRONT_RESOLVER: usual }]) {
        const env = { ...others, ...told, PATH: `${folder.path}:${process.env['PATH']}` };
        await promisify(execFile)('sh', [folder.at('start.sh')], { env });
        expect(await readFile(folder.at('nginx.conf'), 'utf8')).to.equal(frontConfig(template, { ...given, resolver }));
      }
    }
  });

  it('says in its own errors what the services say, and has its kernel ask an upstream that is silent', () => {
    for (const code of ['not_found', 'bad_request', 'file_too_large', 'rate_limited', 'internal'] as const) {
      expect(template).to.include(`{"error":{"code":"${code}","message":"${ERRORS[code][1]}","detail":{`);
    }
    expect(template).to.match(/^ {4}proxy_socket_keepalive on;$/m);
  });

  it('asks a name server again 2 s after one that failed, and not after the 30 s that are usual', () => {
    expect(template).to.match(/^ {4}resolver_timeout 2s;$/m);
  });

  it('keeps the form of the editor’s page in memory, all of the largest one', () => {
    const { client_body_buffer_size: kept, client_max_body_size: largest } = readLocation(template, PAGE);
    expect([kept, largest]).to.deep.equal(['64k', '64k']);
  });

  // Times that no other test waits for.
  for (const [what, name, times, text] of [
    ['an editing socket', '~ ^/cool/(?:.+/)?ws(?:/|$)', { proxy_read_timeout: '36000s', proxy_send_timeout: '36000s' }],
    ['DocBuilder', '~ ^/v1/', { proxy_read_timeout: '660s', proxy_send_timeout: '660s' }],
    ['the next bytes for the gate', '~ ^/svc/', { client_body_timeout: '15s' }],
    ['a gate on a node that may be lost', '~ ^/svc/', { proxy_connect_timeout: '2s' }],
    ['a DocBuilder on a node that may be lost', '~ ^/v1/', { proxy_connect_timeout: '2s' }],
    ['the next bytes of a token', PAGE, { client_body_timeout: '15s' }],
    [
      'a gate to answer, another one included',
      '= /.ask',
      { proxy_connect_timeout: '2s', proxy_read_timeout: '5s', proxy_next_upstream_timeout: '5s' },
      readFileSync(join(FRONT, 'ask.conf'), 'utf8'),
    ],
  ] as const) {
    it(`waits for ${what} as long as it should`, () => {
      expect(readLocation(text ?? template, name)).to.include(times);
    });
  }
});
