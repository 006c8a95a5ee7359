import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parseProxy } from '../../../../src/common/net/proxy.ts';
import { type Canary, useServers } from '../../../support/canary.ts';
import { type ConnectProxy, startConnectProxy } from '../../../support/connect-proxy.ts';
import { useFolder } from '../../../support/folder.ts';
import { secret } from '../../../support/logs.ts';
import { openDoor, refusal } from '../../../support/outbound.ts';

const PUBLIC = '93.184.216.34';
const IPV6 = '2606:2800:220:1:248:1893:25c8:1946';
const NAMES = {
  'docs.example': [[PUBLIC]],
  'both.example': [['93.184.216.99', PUBLIC]],
  'six.example': [[IPV6]],
  'inside.example': [['10.0.0.7']],
  'portal.internal': [['127.0.0.1']],
  'mixed.example': [['127.0.0.1', PUBLIC]],
};

describe('the outbound door behind a proxy', () => {
  const serve = useServers();
  const folder = useFolder();
  let canary: Canary;
  let proxy: ConnectProxy;
  let files = 0;

  beforeEach(async () => {
    canary = await serve();
    const { port } = canary;
    proxy = await startConnectProxy({ [`${PUBLIC}:80`]: port, [`${PUBLIC}:443`]: port, [`[${IPV6}]:8080`]: port });
  });
  afterEach(() => proxy.close());

  const doorFor = (allow = '', url = proxy.url) => openDoor(allow, NAMES, '', url).door;
  function download(url: string, door = doorFor()) {
    files += 1;
    return door.download(url, { path: folder.at(String(files)), maxBytes: 1_000, timeoutMs: 5_000 });
  }

  it('tells the proxy the address that was checked, and never a name', async () => {
    await download('http://docs.example/a.docx');
    expect(await readFile(folder.at(String(files)), 'utf8')).to.not.equal('');
    await download('http://six.example:8080/a.docx');
    expect(proxy.asked).to.deep.equal([`${PUBLIC}:80`, `[${IPV6}]:8080`]);
    expect(canary.requests).to.have.length(2);
  });

  it('asks for the next address where the proxy does not reach the first', async () => {
    await download('http://both.example/a.docx');
    expect(proxy.asked).to.deep.equal(['93.184.216.99:80', `${PUBLIC}:80`]);
  });

  it('attack: asks the proxy for nothing internal, neither by name, nor by address, nor by a redirect', async () => {
    for (const url of ['http://inside.example/', 'http://10.0.0.7/', 'http://169.254.169.254/', 'http://127.0.0.1/']) {
      expect(await refusal(download(url), 'url_not_allowed')).to.include({ reason: 'address' });
    }
    expect(proxy.asked).to.deep.equal([]);
  });

  it('goes straight to what the operator has listed, by name or by address', async () => {
    const host = `portal.internal:${canary.port}`;
    await download(`http://${host}/a`, doorFor('portal.internal'));
    await download(`http://${host}/a`, doorFor('127.0.0.0/8'));
    expect(canary.requests).to.have.length(2);
    expect(proxy.asked).to.deep.equal([]);
  });

  it('attack: is not left out by a public host that has a listed address as well', async () => {
    await download('http://mixed.example/a', doorFor('127.0.0.1'));
    expect(proxy.asked).to.deep.equal(['127.0.0.1:80', `${PUBLIC}:80`]);
  });

  it('speaks TLS with whom the URL names, through the proxy: to it the certificate must belong', async () => {
    // Behind it is a server without TLS: what arrives there is the beginning of a handshake.
    await refusal(download('https://docs.example/a'), 'download_failed');
    expect(proxy.asked).to.deep.equal([`${PUBLIC}:443`]);
    expect(canary.requests).to.have.length(0);
  });

  it('fails as any download where the proxy refuses, is no proxy, or is away', async () => {
    expect(await refusal(download('http://docs.example:81/'), 'download_failed')).to.include({ reason: 'network' });
    const none = new URL(`http://127.0.0.1:${canary.port}`);
    await refusal(download('http://docs.example/', doorFor('', none)), 'download_failed');
    await refusal(download('http://docs.example/', doorFor('', new URL('http://127.0.0.1:1'))), 'download_failed');
  });

  it('gives the proxy its credentials, and nobody else', async () => {
    const given = `http://svc:100%%20of%the%2Fproxy@${proxy.url.host}`;
    await download('http://docs.example/a', doorFor('', parseProxy(given).proxy));
    const password = secret('100% of%the/proxy');
    expect(proxy.authorization()).to.equal(`Basic ${Buffer.from(`svc:${password}`).toString('base64')}`);
    expect(canary.requests.map(({ headers }) => headers['proxy-authorization'])).to.deep.equal([undefined]);
  });
});

describe('the address of a proxy', () => {
  it('is one of http or https, perhaps with credentials, and a wrong one is told without its text', () => {
    const bad = ['secret.example:3128', 'socks5://secret.example', 'http://', 'http://secret.example/path', 'secret'];
    for (const text of bad) {
      const { proxy, mistakes } = parseProxy(text);
      expect(proxy, text).to.equal(undefined);
      expect(mistakes.join())
        .to.match(/^must be the address of a proxy/)
        .and.not.include('secret');
    }
    expect(parseProxy('')).to.deep.equal({ proxy: undefined, mistakes: [] });
    expect(parseProxy('http://a:b@proxy.example:3128').proxy).to.include({ username: 'a', hostname: 'proxy.example' });
  });
});
