import { readdir, readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { type Canary, useServers } from '../support/canary.ts';
import { useFolder } from '../support/folder.ts';
import { openDoor, refusal, SECRET } from '../support/outbound.ts';
import { SPECIAL_PURPOSE } from '../support/special-purpose.ts';
import { trustTestCertificate } from '../support/tls.ts';

type Spell = (octets: readonly [number, number, number, number], port: string) => string;

const dec = (octets: readonly number[]): number => octets.reduce((value, octet) => value * 256 + octet, 0);
const hex = (value: number, width = 0): string => value.toString(16).padStart(width, '0');
const dotted = (octets: readonly number[]): string => octets.join('.');
const pair = ([a, b, c, d]: readonly [number, number, number, number]): string =>
  `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
const wide = (text: string): string => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Ways to write an IPv4 address in a URL, each of which some parser or checker has fallen for. */
const SPELLINGS: Readonly<Record<string, Spell>> = {
  plain: (a, port) => `http://${dotted(a)}${port}/`,
  backslashes: (a, port) => `http:\\\\${dotted(a)}${port}\\`,
  'trailing dot': (a, port) => `http://${dotted(a)}.${port}/`,
  blanks: (a, port) => ` \thttp://${dotted(a)}${port}/\n`,
  'tab and newline inside': (a, port) => `ht\ntp://${dotted(a).replace('.', '.\t')}${port}/`,
  decimal: (a, port) => `http://${dec(a)}${port}/`,
  hexadecimal: (a, port) => `http://0x${hex(dec(a))}${port}/`,
  octal: (a, port) => `http://0${dec(a).toString(8)}${port}/`,
  'hexadecimal parts': (a, port) => `http://${a.map((octet) => `0x${hex(octet)}`).join('.')}${port}/`,
  'octal parts': (a, port) => `http://${a.map((octet) => `0${octet.toString(8)}`).join('.')}${port}/`,
  'mixed parts': ([a, b, c, d], port) => `http://0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}${port}/`,
  'full-width digits': (a, port) => `http://${wide(dotted(a))}${port}/`,
  'ideographic full stops': (a, port) => `http://${a.join('\u3002')}${port}/`,
  'soft hyphen': (a, port) => `http://${dotted(a).replace('.', '\u00ad.')}${port}/`,
  'percent-encoded': (a, port) => `http://${dotted(a).replace(/./g, (c) => `%${hex(c.charCodeAt(0))}`)}${port}/`,
  'before a backslash': (a, port) => `http://${dotted(a)}${port}\\@public.test/`,
  'after a user': (a, port) => `http://public.test@${dotted(a)}${port}/`,
  'after an escaped slash': (a, port) => `http://public.test%2f@${dotted(a)}${port}/`,
  'IPv4-mapped': (a, port) => `http://[::ffff:${pair(a)}]${port}/`,
  'IPv4-compatible': (a, port) => `http://[::${dotted(a)}]${port}/`,
  'IPv4-translated': (a, port) => `http://[::ffff:0:${dotted(a)}]${port}/`,
  NAT64: (a, port) => `http://[64:ff9b::${dotted(a)}]${port}/`,
  'local NAT64': (a, port) => `http://[64:ff9b:1::${dotted(a)}]${port}/`,
  '6to4': (a, port) => `http://[2002:${pair(a)}::1]${port}/`,
  Teredo: (a, port) => `http://[2001:0:4136:e378:8000:63bf:${pair(a)}]${port}/`,
  'https, mapped': (a, port) => `https://[::ffff:${dotted(a)}]${port}/`,
};

/** URLs that are refused without a look at any address. */
const NO_HTTP_URLS: readonly string[] = [
  ...['', ' ', 'http://exa mple.com/', `http://${'a.'.repeat(130)}test/`],
  ...`/etc/passwd //example.com/ example.com http:// http:/// http://. http://./ http://a..b/ http://example.com../
    http://example.com:65536/ http://example.com:0/ http://256.1.1.1/ http://1.2.3.4.5/ http://0x1.2.3.4.5/ http://[::1/
    http://[fe80::1%25eth0]/ http://[example.com]/ http://example.com%00.internal/ http://user@example.com/
    http://user:pass@example.com/ http://:pass@example.com/ file:///etc/passwd file://127.0.0.1/etc/passwd
    ftp://example.com/ gopher://127.0.0.1:6379/_INFO dict://127.0.0.1:11211/ ldap://127.0.0.1/ ws://example.com/
    wss://example.com/ data:text/plain,x javascript:1 blob:http://example.com/x about:blank unix:/var/run/docker.sock
    http+unix://%2Fvar%2Frun%2Fdocker.sock/info jar:http://example.com!/ view-source:http://example.com/`.split(/\s+/),
];

const PUBLIC = '93.184.216.34';

const SPECIAL = SPECIAL_PURPOSE.flat();

type Octets = [number, number, number, number];

describe('where an outbound request may go', () => {
  const folder = useFolder('test');
  const serve = useServers();
  let path: string;
  let canary: Canary;

  beforeEach(async () => {
    path = folder.at('file');
    canary = await serve();
  });

  const options = (more = {}) => ({ path, maxBytes: 1_048_576, timeoutMs: 5000, ...more });
  const post = { headers: {}, body: Buffer.from('x'), timeoutMs: 5000 };

  /** Refused by all three, without a connection and without a file. */
  async function expectRefused(url: string, allow = '', names: Record<string, string[][]> = {}): Promise<unknown> {
    const detail = await refusal(openDoor(allow, names).door.check(url), 'url_not_allowed');
    await refusal(openDoor(allow, names).door.download(url, options()), 'url_not_allowed');
    await refusal(openDoor(allow, names).door.post(url, post), 'url_not_allowed');
    expect(canary.connections).to.equal(0);
    expect(await readdir(folder.path)).to.deep.equal([]);
    return detail['reason'];
  }

  describe('URLs', () => {
    for (const [name, spell] of Object.entries(SPELLINGS)) {
      it(`no special-purpose IPv4 address in a URL, ${name}`, async () => {
        const names = { 'public.test': [[PUBLIC]], '127.0.0.1': [[PUBLIC]] };
        await expectRefused(`${spell([127, 0, 0, 1], `:${canary.port}`)}?${SECRET}`, '', names);
        for (const address of SPECIAL.filter((one) => !one.includes(':'))) {
          const octets = address.split('.').map(Number) as Octets;
          await refusal(openDoor('', names).door.check(spell(octets, '')), 'url_not_allowed');
        }
      });
    }

    it('spellings are refused for the address they mean, not because nobody understands them', async () => {
      const { door } = openDoor('127.0.0.1');
      const url = (spell: (typeof SPELLINGS)[string]) => spell([127, 0, 0, 1], `:${canary.port}`);
      const understood = await Promise.all(
        Object.values(SPELLINGS).map((spell) =>
          door.check(url(spell)).then(
            () => true,
            () => false,
          ),
        ),
      );
      expect(understood.filter(Boolean)).to.have.length.above(17);
    });

    it('no special-purpose IPv6 address in a URL', async () => {
      for (const address of SPECIAL.filter((one) => one.includes(':')))
        await expectRefused(`http://[${address}]:${canary.port}/`);
    });

    for (const url of NO_HTTP_URLS) {
      it(`not ${JSON.stringify(url).slice(0, 70)}, not even with everything listed`, async () => {
        const everything = 'example.com,0.0.0.0/0,::/0';
        expect(await expectRefused(url, everything, { 'example.com': [['127.0.0.1']] })).not.to.equal('address');
      });
    }
  });

  describe('names', () => {
    const named = (answers: string[][], host = 'evil.test') =>
      expectRefused(`http://${host}:${canary.port}/?token=${SECRET}`, '', { 'evil.test': answers });

    it('no name with a special-purpose, embedded or scoped internal address', async () => {
      const hidden = ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', 'fe80::1%lo', ''];
      for (const address of [...SPECIAL, ...hidden]) expect(await named([[address]])).to.equal('address');
    });

    it('no name with one internal address among public ones, wherever it stands, by case or a trailing dot neither', async () => {
      for (const answers of [
        ['127.0.0.1', PUBLIC],
        [PUBLIC, '127.0.0.1'],
        ['2606:4700::1111', PUBLIC, '::1'],
      ])
        await named([answers]);
      await named([['127.0.0.1']], 'EVIL.test.');
    });
  });

  describe('rebinding', () => {
    const url = () => `http://rebind.test:${canary.port}/`;

    it('a name that was public when checked is checked again when fetched', async () => {
      const { door } = openDoor('', { 'rebind.test': [[PUBLIC], ['127.0.0.1']] });
      await door.check(url());
      await refusal(door.download(url(), options()), 'url_not_allowed');
      await refusal(door.post(url(), post), 'url_not_allowed');
      expect(canary.connections).to.equal(0);
    });

    // 127.0.0.2 is listed and plays the public address; the canary listens on the same port of 127.0.0.1.
    it('the connection goes to the address that was checked, though the name has moved on', async () => {
      await serve((_request, response) => void response.end('fine'), { host: '127.0.0.2', port: canary.port });
      const { door, asked } = openDoor('127.0.0.2', { 'rebind.test': [['127.0.0.2'], ['127.0.0.1']] });
      await door.download(url(), options());
      expect(await readFile(path, 'utf8')).to.equal('fine');
      expect(asked).to.deep.equal(['rebind.test']);
      expect(canary.connections).to.equal(0);
    });

    it('each redirect to the same name is resolved and checked afresh', async () => {
      const redirect: RequestListener = (_request, response) => response.writeHead(302, { Location: '/next' }).end();
      await serve(redirect, { host: '127.0.0.2', port: canary.port });
      const { door, asked } = openDoor('127.0.0.2', { 'rebind.test': [['127.0.0.2'], ['127.0.0.1']] });
      await refusal(door.download(url(), options()), 'url_not_allowed');
      expect(asked).to.deep.equal(['rebind.test', 'rebind.test']);
      expect(canary.connections).to.equal(0);
    });
  });

  describe('redirects', () => {
    /** A listed server that redirects to wherever its caller's URL says. */
    async function redirector(status = 302, tls = false): Promise<(to: string) => string> {
      const answer: RequestListener = (request, response) =>
        void response.writeHead(status, { Location: decodeURIComponent(request.url?.slice(1) ?? '') }).end('moved');
      const { port } = await serve(answer, { tls });
      return (to) => `http${tls ? 's' : ''}://start.secure.test:${port}/${encodeURIComponent(to)}`;
    }
    const start = (port: string) =>
      openDoor(`start.secure.test:${port}`, { 'start.secure.test': [['127.0.0.1']], 'evil.test': [['127.0.0.1']] })
        .door;

    for (const status of [301, 302, 303, 307, 308]) {
      it(`a ${status} leads nowhere that its target's own URL would not`, async () => {
        const via = await redirector(status);
        const hosts = ['127.0.0.1', 'evil.test', 'start.secure.test', '[::ffff:7f00:1]', `user:${SECRET}@evil.test`];
        for (const to of [
          ...[...hosts.map((host) => `http://${host}`), '//127.0.0.1'].map((start) => `${start}:${canary.port}/`),
          ...['http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', 'http://['],
        ]) {
          const url = via(to);
          await refusal(start(new URL(url).port).download(url, options()), 'url_not_allowed');
          // A callback does not follow it.
          expect(await start(new URL(url).port).post(url, post)).to.deep.equal({ status });
        }
        expect(canary.connections).to.equal(0);
        expect(await readdir(folder.path)).to.deep.equal([]);
      });
    }

    it('never leads from https to http, even to a target that is listed', async () => {
      const restore = trustTestCertificate();
      try {
        const url = (await redirector(302, true))(`http://plain.test:${canary.port}/`);
        const { door } = openDoor('start.secure.test,plain.test', {
          'start.secure.test': [['127.0.0.1']],
          'plain.test': [['127.0.0.1']],
        });
        expect(await refusal(door.download(url, options()), 'url_not_allowed')).to.deep.equal({ reason: 'downgrade' });
        expect(canary.connections).to.equal(0);
      } finally {
        restore();
      }
    });

    it('ends a loop after three', async () => {
      const loop = await serve((_request, response) => void response.writeHead(302, { Location: '/again' }).end());
      const { door } = openDoor('127.0.0.1');
      const detail = await refusal(door.download(`http://127.0.0.1:${loop.port}/`, options()), 'download_failed');
      expect(detail).to.deep.equal({ reason: 'redirects' });
      expect(loop.requests).to.have.length(4);
    });
  });
});
