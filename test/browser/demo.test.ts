import { expect } from 'chai';
import type { Frame, Page } from 'puppeteer-core';
import { signCallback } from '../../src/common/crypto/signature.ts';
import { startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';
import { BROWSERS, shareBrowser } from './support/browsers.ts';

const installed = BROWSERS.find(({ path }) => path !== undefined);

describe('the demo page in a browser', function () {
  this.timeout(60_000);
  const environment = { SVC_DEV_MODE: '1', SVC_GATE_CONNECTION_CAP: '1', SVC_EMBED_ALLOWED_ORIGINS: '*' };
  const stack = useStarted(
    (context) => (installed ? startStack({ environment }) : context.skip()),
    ({ stop }) => stop(),
  );
  const pages: Page[] = [];
  const mistakes: string[] = [];
  afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

  /** Opens the demo. @param product name of the editor that is told in the place of its own */
  async function open(query: string, product?: string) {
    if (!installed) throw new Error('no browser');
    const page = await (await shareBrowser(installed)).newPage();
    pages.push(page);
    page.on('pageerror', (error) => void mistakes.push(String(error)));
    page.on('console', (message) => void (message.type() === 'error' && mistakes.push(message.text())));
    await page.setRequestInterception(product !== undefined);
    page.on('request', (request) => {
      if (product === undefined) return;
      if (!request.url().endsWith('/capabilities')) void request.continue();
      else void request.respond({ contentType: 'application/json', body: JSON.stringify({ productName: product }) });
    });
    await page.goto(`${stack.url}/svc/demo?${query}`);
    const read = (id: string) => page.$eval(`#${id}`, (element) => element.textContent ?? '');
    const shows = (id: string, text: string) =>
      until(`${text} in #${id}`, async () => (await read(id)).includes(text)).catch(async (cause) => {
        throw new Error(`#${id} has no ${text}: ${await read(id)}`, { cause });
      });
    const noticeHeight = () => page.$eval('#notice', (notice) => (notice as HTMLElement).offsetHeight);
    return { page, shows, noticeHeight };
  }

  it('edits, saves, shows the version, who is there, how full it is and the signed callback, and says when it is full', async () => {
    const { page, shows } = await open('name=Lan');
    await shows('events', 'onDocumentLoaded edit');
    const frame = (await until('the editor', () =>
      page.frames().find((one) => one.url().includes('cool.html')),
    )) as Frame;
    await (await frame.waitForSelector('textarea'))?.type('mới');
    await shows('events', 'onModified');
    await page.click('#save');
    await shows('events', 'onSaved phiên bản 1');
    await shows('people', 'Lan');
    await shows('places', '1 trên 1');
    await shows('callbacks', 'document.saved, phiên bản 1, Lan: chữ ký đúng');
    const body = JSON.stringify({ version: 2, savedBy: { id: '1', name: '<b>Lan</b>' } });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'X-SVC-Event': 'document.saved',
      'X-SVC-Timestamp': String(timestamp),
      'X-SVC-Signature': signCallback(stack.callbackSecret, timestamp, body),
    };
    expect((await fetch(`${stack.url}/svc/demo/callback`, { method: 'POST', body, headers })).status).to.equal(204);
    await shows('callbacks', 'phiên bản 2, <b>Lan</b>: chữ ký đúng');
    const other = await open('name=Minh');
    await other.shows('notice', 'giới hạn 1 kết nối');
    await other.shows('events', 'onDocumentLoaded view');
    await page.bringToFront();
    await page.click('#mode');
    await shows('events', 'onDocumentLoaded view');
    await page.click('#close');
    await shows('events', 'onClose method');
    expect(mistakes).to.deep.equal([]);
  });

  it('says when the editor behind it is not the real one, and only then', async () => {
    const standIn = await open('lang=en');
    await standIn.shows('notice', 'This is not the real editor');
    expect(await standIn.noticeHeight()).to.be.greaterThan(10);
    const product = 'Collabora Online Development Edition';
    const real = await open('lang=en&mode=view', product);
    await real.shows('product', product);
    expect(await real.noticeHeight()).to.equal(0);
  });
});
