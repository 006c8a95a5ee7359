import { expect } from 'chai';
import express from 'express';
import { createDemoInbox } from '../../../../cmd/gate/domain/demo-inbox.ts';
import { demoRoutes } from '../../../../cmd/gate/http/demo.ts';
import { signCallback } from '../../../../src/common/crypto/signature.ts';
import { errorHandler, notFound } from '../../../../src/common/http/errors.ts';
import { useServers } from '../../../support/canary.ts';
import { secret, testLogger } from '../../../support/logs.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const KEY: string = secret('callback-secret-of-the-demo');

describe('the demo', () => {
  const serve = useServers();
  let url: string;

  async function start(key = KEY): Promise<void> {
    const clock = () => NOW;
    const given = {
      devMode: true,
      files: { demo: '"</script>"' },
      selfUrl: 'http://127.0.0.1:1',
      sign: undefined,
      clock,
    };
    const app = express();
    app.use('/svc/demo', demoRoutes({ ...given, inbox: createDemoInbox(key, clock) }));
    app.use(notFound, errorHandler(testLogger()));
    url = `http://127.0.0.1:${(await serve(app)).port}/svc/demo`;
  }
  beforeEach(() => start());

  const open = async (query = '') => {
    const page = await (await fetch(url + query)).text();
    const [, json = '{}'] = /<script type="application\/json" id="settings">(.*?)<\/script>/.exec(page) ?? [];
    return { page, ...JSON.parse(json).config };
  };
  const post = async (body: string, headers: Record<string, string>) => {
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
    return (await fetch(`${url}/callback`, init)).status;
  };
  const signed = (body: string, key = KEY, at = NOW) => {
    const timestamp = Math.floor(at / 1000);
    return {
      'X-SVC-Event': 'document.saved',
      'X-SVC-Timestamp': String(timestamp),
      'X-SVC-Signature': signCallback(key, timestamp, body),
    };
  };
  const callbacks = async () => (await (await fetch(`${url}/callbacks`)).json()) as { signature: string }[];

  it('is a page that embeds the sample, in Vietnamese and English, under a strict policy', async () => {
    const { headers } = await fetch(url);
    expect(headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'self' 'nonce-/);
    const { page, document } = await open();
    expect(page).to.contain('<html lang="vi">').and.contain('"<\\/script>"');
    expect(document).to.include({ url: 'http://127.0.0.1:1/svc/demo/sample.docx', fileType: 'docx' });
    expect((await open('?lang=en')).page)
      .to.contain('<html lang="en">')
      .and.contain('>Save<');
    expect((await open('?name=Ph%E1%BA%A1m%20Lan&mode=view')).editor).to.deep.nested.include({
      ...{ mode: 'view', 'user.name': 'Phạm Lan' },
    });
  });

  it('gives two people the same document, and no two documents the same key', async () => {
    const [first, again, other, odd] = await Promise.all(['', '', '?doc=2', '?doc=../x'].map(open));
    expect(first.document.key)
      .to.match(/^[A-Za-z0-9._-]{1,128}$/)
      .and.equal(again.document.key)
      .and.equal(odd.document.key)
      .and.not.equal(other.document.key);
    expect(first.editor.user.id).to.not.equal(again.editor.user.id);
  });

  it('lets nothing of its query become markup', async () => {
    for (const text of ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<!--']) {
      const query = ['lang', 'mode', 'name', 'doc'].map((name) => `${name}=${encodeURIComponent(text)}`).join('&');
      const { page, editor } = await open(`?${query}`);
      expect(page).to.not.contain('alert(1)').and.not.contain('<!--');
      expect(editor.mode).to.equal('edit');
    }
  });

  it('keeps the last 20 callbacks, newest first, and says whether their signature is right', async () => {
    for (let number = 1; number <= 22; number += 1) {
      const body = JSON.stringify({ number });
      expect(await post(body, signed(body))).to.equal(204);
    }
    const kept = await callbacks();
    expect(kept).to.have.length(20);
    expect(kept[0]).to.deep.include({ signature: 'valid', event: 'document.saved', body: { number: 22 } });
  });

  it('refuses what is not signed well, and shows it', async () => {
    const forged = [signed('{"a":1}', 'another key'), signed('{"a":1}', KEY, NOW - 301_000), signed('{"a":2}'), {}];
    for (const headers of forged) expect(await post('{"a":1}', headers)).to.equal(403);
    expect((await callbacks()).map(({ signature }) => signature)).to.deep.equal(forged.map(() => 'invalid'));
    expect(await post('no json', signed('no json'))).to.equal(204);
  });

  it('takes unsigned callbacks only from a service that has no key', async () => {
    await start('');
    expect([await post('{}', {}), await post('{}', signed('{}'))]).to.deep.equal([204, 403]);
    expect((await callbacks()).map(({ signature }) => signature)).to.deep.equal(['invalid', 'unsigned']);
  });
});
