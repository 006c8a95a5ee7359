import { expect } from 'chai';
import express from 'express';
import { fitsFileType } from '../../../../cmd/gate/domain/content.ts';
import { createDemoInbox } from '../../../../cmd/gate/domain/demo-inbox.ts';
import { sampleDocx } from '../../../../cmd/gate/domain/sample-docx.ts';
import { type DemoHandlers, demoRoutes } from '../../../../cmd/gate/http/demo.ts';
import { detectContent } from '../../../../cmd/gate/outbound/content.ts';
import { createHs256Verifier, signHs256 } from '../../../../src/common/crypto/jwt.ts';
import { signCallback } from '../../../../src/common/crypto/signature.ts';
import { errorHandler, notFound } from '../../../../src/common/http/errors.ts';
import { type Canary, startCanary } from '../../../support/canary.ts';
import { useFolder } from '../../../support/folder.ts';
import { secret, testLogger } from '../../../support/logs.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const KEY: string = secret('callback-secret-of-the-demo');
const JWT_SECRET = secret('embed-secret-of-the-demo-with-thirty-two-characters');

describe('the demo', () => {
  const folder = useFolder();
  const servers: Canary[] = [];
  const clock = () => NOW;

  async function start(options: Partial<DemoHandlers> = {}, key = KEY): Promise<string> {
    const app = express();
    app.use(
      '/svc/demo',
      demoRoutes({
        devMode: true,
        files: { demo: '"</script>"' },
        inbox: createDemoInbox(key, clock),
        selfUrl: 'http://127.0.0.1:1',
        sign: undefined,
        clock,
        ...options,
      }),
    );
    app.use(notFound, errorHandler(testLogger()));
    const server = await startCanary(app);
    servers.push(server);
    return `http://127.0.0.1:${server.port}/svc/demo`;
  }
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

  const readSettings = (page: string) =>
    JSON.parse(/<script type="application\/json" id="settings">(.*?)<\/script>/.exec(page)?.[1] ?? '{}');
  const post = (url: string, body: string, headers: Record<string, string>) =>
    fetch(`${url}/callback`, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });
  const signed = (body: string, key = KEY, at = NOW) => {
    const timestamp = Math.floor(at / 1000);
    return {
      'X-SVC-Event': 'document.saved',
      'X-SVC-Timestamp': String(timestamp),
      'X-SVC-Signature': signCallback(key, timestamp, body),
    };
  };
  const results = async (url: string) => {
    const callbacks = (await (await fetch(`${url}/callbacks`)).json()) as { signature: string }[];
    return callbacks.map(({ signature }) => signature);
  };

  it('does not exist outside of development', async () => {
    const url = await start({ devMode: false });
    for (const path of ['', '/sample.docx', '/callbacks']) expect((await fetch(url + path)).status, path).to.equal(404);
    expect((await post(url, '{}', {})).status).to.equal(404);
  });

  it('is a page that embeds the sample, in Vietnamese and English, under a strict policy', async () => {
    const url = await start();
    const response = await fetch(url);
    const page = await response.text();
    expect(response.headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'self' 'nonce-/);
    expect(page).to.contain('<html lang="vi">').and.contain('"<\\/script>"');
    expect(readSettings(page).config.document).to.deep.include({
      url: 'http://127.0.0.1:1/svc/demo/sample.docx',
      fileType: 'docx',
    });
    expect(await (await fetch(`${url}?lang=en`)).text())
      .to.contain('<html lang="en">')
      .and.contain('>Save<');
  });

  it('gives two people the same document, and no two documents the same key', async () => {
    const url = await start();
    const keys = await Promise.all(
      ['', '', '?doc=2', '?doc=../x'].map(
        async (query) => readSettings(await (await fetch(url + query)).text()).config,
      ),
    );
    const [first, again, other, odd] = keys.map(({ document }) => document.key);
    expect(first)
      .to.match(/^[A-Za-z0-9._-]{1,128}$/)
      .and.equal(again)
      .and.equal(odd)
      .and.not.equal(other);
    expect(keys[0].editor.user.id).to.not.equal(keys[1].editor.user.id);
  });

  it('lets nothing of its query become markup', async () => {
    const url = await start();
    for (const text of ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<!--']) {
      const query = ['lang', 'mode', 'name', 'doc'].map((name) => `${name}=${encodeURIComponent(text)}`).join('&');
      const page = await (await fetch(`${url}?${query}`)).text();
      expect(page).to.not.contain('alert(1)').and.not.contain('<!--');
      expect(readSettings(page).config.editor.mode).to.equal('edit');
    }
    const viewing = readSettings(await (await fetch(`${url}?name=Ph%E1%BA%A1m%20Lan&mode=view`)).text());
    expect(viewing.config.editor.mode).to.equal('view');
  });

  it('signs its configuration as a portal does', async () => {
    const sign = (config: object, expiresAt: number) =>
      signHs256({ ...config, exp: Math.floor(expiresAt / 1000) }, JWT_SECRET);
    const url = await start({ sign });
    const { config } = readSettings(await (await fetch(url)).text());
    const verify = createHs256Verifier({ secrets: [JWT_SECRET] });
    const result = await verify(secret(config.token), NOW);
    expect(result).to.deep.nested.include({ status: 'ok', 'payload.document': config.document });
  });

  it('has a sample that is a docx', async () => {
    const url = await start();
    const bytes = Buffer.from(await (await fetch(`${url}/sample.docx`)).arrayBuffer());
    const found = await detectContent(await folder.file(bytes), { signal: AbortSignal.timeout(5000) });
    expect(fitsFileType('docx', found)).to.equal(true);
    expect(bytes.equals(sampleDocx())).to.equal(true);
  });

  it('keeps the last 20 callbacks, newest first, and says whether their signature is right', async () => {
    const url = await start();
    for (let number = 1; number <= 22; number += 1) {
      const body = JSON.stringify({ number });
      expect((await post(url, body, signed(body))).status).to.equal(204);
    }
    const callbacks = (await (await fetch(`${url}/callbacks`)).json()) as object[];
    expect(callbacks).to.have.length(20);
    expect(callbacks[0]).to.deep.include({ signature: 'valid', event: 'document.saved', body: { number: 22 } });
  });

  it('refuses what is not signed well, and shows it', async () => {
    const url = await start();
    const good = signed('{"a":1}');
    const forged = [
      { ...good, 'X-SVC-Signature': good['X-SVC-Signature'].slice(0, -1) },
      { ...good, 'X-SVC-Signature': good['X-SVC-Signature'].toUpperCase() },
      signed('{"a":1}', 'another key'),
      signed('{"a":1}', KEY, NOW - 301_000),
      signed('{"a":2}'),
      {},
    ];
    for (const headers of forged) expect((await post(url, '{"a":1}', headers)).status).to.equal(403);
    expect(await results(url)).to.deep.equal(forged.map(() => 'invalid'));
    expect((await post(url, 'no json', signed('no json'))).status).to.equal(204);
  });

  it('takes unsigned callbacks only from a service that has no key', async () => {
    const url = await start({}, '');
    expect((await post(url, '{}', {})).status).to.equal(204);
    expect((await post(url, '{}', signed('{}'))).status).to.equal(403);
    expect(await results(url)).to.deep.equal(['invalid', 'unsigned']);
  });
});
