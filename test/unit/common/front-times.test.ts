import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';

const FRONT = resolve(import.meta.dirname, '../../../ingress/front');
const template = readFileSync(resolve(FRONT, 'nginx.conf.template'), 'utf8');
const ask = readFileSync(resolve(FRONT, 'ask.conf'), 'utf8');

/** The directives of a location, up to the first brace behind its own. */
function location(text: string, name: string): Record<string, string> {
  const block = text.split(`location ${name} {`)[1] ?? '';
  const directives = block.replace(/if \([^)]*\) \{[^}]*\}/g, '').split('}')[0] ?? '';
  return Object.fromEntries(
    [...directives.matchAll(/^\s+(\w+) ([^;]+);$/gm)].map(([, directive = '', value = '']) => [directive, value]),
  );
}

/** Times of the contract that no other test waits for. */
describe('the front waits', () => {
  it('36000 s for an editing socket', () => {
    expect(location(template, '~ ^/cool/(?:.+/)?ws(?:/|$)')).to.include({
      proxy_read_timeout: '36000s',
      proxy_send_timeout: '36000s',
    });
  });

  it('660 s for DocBuilder', () => {
    expect(location(template, '~ ^/v1/')).to.include({ proxy_read_timeout: '660s', proxy_send_timeout: '660s' });
  });

  it('10 s for the head of a request, 15 s for the next bytes of a small body', () => {
    expect(template).to.match(/^ {4}client_header_timeout 10s;$/m);
    for (const name of ['~ ^/svc/', '~ ^/browser/[^/]+/cool\\.html$']) {
      expect(location(template, name), name).to.include({ client_body_timeout: '15s' });
    }
  });

  it('2 s for a gate to take a question, 5 s for an answer, and asks one other gate in that time', () => {
    expect(location(ask, '= /.ask')).to.include({
      proxy_connect_timeout: '2s',
      proxy_read_timeout: '5s',
      proxy_next_upstream: 'error timeout',
      proxy_next_upstream_tries: '2',
      proxy_next_upstream_timeout: '5s',
    });
  });
});
