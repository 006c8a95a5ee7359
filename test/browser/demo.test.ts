import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import express from 'express';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { createDemoInbox } from '../../cmd/gate/domain/demo-inbox.ts';
import { getApiJs, loadBrowserFiles } from '../../cmd/gate/http/api-js.ts';
import { demoRoutes } from '../../cmd/gate/http/demo.ts';
import { signCallback } from '../../src/common/crypto/signature.ts';
import { secret } from '../support/logs.ts';
import { until } from '../support/until.ts';
import { BROWSERS, shareBrowser } from './support/browsers.ts';
import { type FakeGate, startFakeGate } from './support/fake-gate.ts';

const KEY = secret(randomBytes(16).toString('hex'));

describe('the demo page in a browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let gate: FakeGate;
  let page: Page;
  let mistakes: string[];
  let product = 'Stand-in editor (trình soạn thảo thay thế)';

  before(async function () {
    const installed = BROWSERS.find(({ path }) => path !== undefined);
    if (!installed) return this.skip();
    browser = await shareBrowser(installed);
    const files = await loadBrowserFiles();
    const app = express();
    app.get('/svc/api.js', getApiJs(files));
    app.get('/hosting/capabilities', (_request, response) => void response.json({ productName: product }));
    app.get('/svc/status', (_request, response) => {
      response.json({ connections: { current: 1, pending: 1, limit: 50 } });
    });
    const inbox = createDemoInbox(KEY, Date.now);
    app.use(
      '/svc/demo',
      demoRoutes({ devMode: true, files, inbox, selfUrl: 'http://127.0.0.1:1', sign: undefined, clock: Date.now }),
    );
    gate = await startFakeGate((request, response) => {
      const mine = /^\/(svc\/(demo|status|api)|hosting)/.test(request.url ?? '');
      if (mine) app(request, response);
      return mine;
    });
  });
  after(() => gate?.close());
  beforeEach(async () => {
    page = await browser.newPage();
    mistakes = [];
    page.on('pageerror', (error) => void mistakes.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && mistakes.push(message.text())));
  });
  afterEach(() => page?.close());

  const readText = (id: string) => page.$eval(`#${id}`, (element) => element.textContent ?? '');
  const shows = (id: string, text: string) =>
    until(`${text} in #${id}`, async () => (await readText(id)).includes(text));
  const editor = async (): Promise<Frame> =>
    until('the editor', () => page.frames().find((frame) => frame.url().includes('cool.html')));

  it('edits, saves, shows the version, who is there, how full it is and the signed callback', async () => {
    await page.goto(`${gate.origin}/svc/demo`);
    await shows('events', 'onDocumentLoaded edit');
    await (await editor()).evaluate('type()');
    await page.click('#save');
    await shows('events', 'onSaved phiên bản 1');
    await shows('people', 'Lan');
    await shows('places', '2 trên 50');
    const body = JSON.stringify({ version: 1, savedBy: { id: '1', name: '<b>Lan</b>' } });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'X-SVC-Event': 'document.saved',
      'X-SVC-Timestamp': String(timestamp),
      'X-SVC-Signature': signCallback(KEY, timestamp, body),
    };
    expect((await fetch(`${gate.origin}/svc/demo/callback`, { method: 'POST', body, headers })).status).to.equal(204);
    await shows('callbacks', 'document.saved, phiên bản 1, <b>Lan</b>: chữ ký đúng');
    await page.click('#mode');
    await shows('events', 'onDocumentLoaded view');
    await page.click('#close');
    await shows('events', 'onClose method');
    expect(mistakes).to.deep.equal([]);
  });

  it('says when the editor behind it is not the real one, and only then', async () => {
    await page.goto(`${gate.origin}/svc/demo?lang=en`);
    await shows('notice', 'This is not the real editor');
    expect(await page.$eval('#notice', (notice) => (notice as HTMLElement).offsetHeight)).to.be.greaterThan(10);
    product = 'Collabora Online Development Edition';
    await page.goto(`${gate.origin}/svc/demo?lang=en`);
    await shows('product', product);
    expect(await page.$eval('#notice', (notice) => (notice as HTMLElement).offsetHeight)).to.equal(0);
  });

  it('says so when all places are taken', async () => {
    gate.orders.full = true;
    await page.goto(`${gate.origin}/svc/demo`);
    await shows('notice', 'Hết chỗ.');
    await shows('events', 'onDocumentLoaded view');
  });
});
