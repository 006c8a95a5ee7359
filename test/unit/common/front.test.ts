import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ERRORS } from '../../../src/common/error-catalogue.ts';
import { type FrontSettings, frontVariables } from '../../../src/common/front.ts';
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

  /** Runs the entry point with settings. @param script another one than the front's own */
  async function render(variables: Record<string, string>, script = join(FRONT, 'start.sh')): Promise<string> {
    await writeFile(folder.at('nginx'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { ...variables, PATH: `${folder.path}:${process.env['PATH']}` };
    await promisify(execFile)('sh', [script], { env });
    return readFile(folder.at('nginx.conf'), 'utf8');
  }
  const variables = (more: Partial<FrontSettings> = {}) =>
    frontVariables({ ...settings, prefix: folder.path, directory: FRONT, ...more });

  it('takes every variable of the template, by its long form alone, and leaves none', async () => {
    const names = Object.keys(variables());
    const asked = new Set([...template.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name));
    expect([...asked]).to.have.members(names);
    expect(template).not.to.match(new RegExp(`\\$(?:${names.join('|')})\\b`));
    const config = await render(variables());
    expect(config).not.to.match(/\$\{/);
    expect(config).to.include('server svc-editor.office.svc:9980 resolve;');
  });

  it('has a directive for each edge', async () => {
    for (const [trustedEdges, expected] of [
      [[], ['unix:']],
      [['10.0.0.0/8'], ['10.0.0.0/8']],
      [
        ['10.0.0.0/8', 'fc00::/7', '192.0.2.1'],
        ['10.0.0.0/8', 'fc00::/7', '192.0.2.1'],
      ],
    ]) {
      const config = await render(variables({ trustedEdges }));
      expect(Array.from(config.matchAll(/set_real_ip_from (\S+);/g), ([, edge]) => edge)).to.deep.equal(expected);
    }
    expect(await render(variables({ trustedChain: false }))).to.include('real_ip_recursive off;');
  });

  it('asks the name server of where it runs, the first, where the image is told of none', async () => {
    const script = await readFile(join(FRONT, 'start.sh'), 'utf8');
    await writeFile(folder.at('start.sh'), script.replaceAll('/etc/resolv.conf', folder.at('resolv.conf')));
    const { SVC_FRONT_RESOLVER: _, ...others } = variables();
    const usual =
      /\bSVC_FRONT_RESOLVER=(\S*)/.exec(await readFile(resolve(FRONT, '../../Dockerfile'), 'utf8'))?.[1] ?? '-';
    for (const [text, resolver] of [
      [
        'search office.svc.cluster.local svc.cluster.local\nnameserver 169.254.20.10\nnameserver 10.96.0.10\n',
        '169.254.20.10',
      ],
      ['# nameserver 192.0.2.1\n nameserver\t10.96.0.10 # of the cluster\noptions ndots:5\n', '10.96.0.10'],
      ['nameserver fd00:10:96::a', '[fd00:10:96::a]'],
      ['search example\n', '127.0.0.1'],
    ] as const) {
      await writeFile(folder.at('resolv.conf'), text);
      for (const given of [{}, { SVC_FRONT_RESOLVER: usual }]) {
        expect(await render({ ...others, ...given }, folder.at('start.sh'))).to.include(
          `resolver ${resolver} valid=5s;`,
        );
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
