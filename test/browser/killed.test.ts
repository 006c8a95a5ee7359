import { expect } from 'chai';
import type { Browser, Page } from 'puppeteer-core';
import { startCanary } from '../support/canary.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { download, linesOf } from '../support/stack-steps.ts';
import { PORTAL_ORIGIN } from '../support/surroundings.ts';
import { until } from '../support/until.ts';
import { BROWSERS, launch } from './support/browsers.ts';

/** Saves of each browser, each followed by a kill. */
const KILLS = Number(process.env['SVC_TEST_BROWSER_KILLS'] ?? 3);

for (const installed of BROWSERS) {
  describe(`save() in ${installed.name}, with the gate killed as soon as it resolves`, function () {
    this.timeout(60_000 + KILLS * 10_000);
    let browser: Browser;
    let stack: Stack;
    let portal: Awaited<ReturnType<typeof startCanary>>;
    let page: Page;

    before(async function () {
      if (installed.path === undefined) return this.skip();
      // The page is served before the address of its service is known.
      portal = await startCanary((_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(`<!doctype html><script src="${stack.url}/svc/api.js"></script><div id="editor"></div>`);
      });
      const origin = `http://127.0.0.1:${portal.port}`;
      stack = await startStack({
        process: true,
        environment: { SVC_EMBED_ALLOWED_ORIGINS: `${origin},${PORTAL_ORIGIN}`, SVC_LOG_LEVEL: 'error' },
      });
      browser = await launch(installed);
      page = await browser.newPage();
      await page.goto(origin);
    });
    after(async () => {
      await browser?.close();
      await stack?.stop();
      await portal?.close();
    });

    it(`what it told of is there afterwards, ${KILLS} of ${KILLS} times`, async () => {
      const config = JSON.stringify({ token: await stack.token() });
      await page.evaluate(`new Promise((resolve, reject) => {
        const events = { onDocumentLoaded: resolve, onError: (error) => reject(new Error(JSON.stringify(error))) };
        window.editor = new SVC.Editor('editor', { ...${config}, events });
      })`);
      const session = await stack.create({ mode: 'view' });
      const frame = await until('the editor', () => page.frames().find((each) => each.url().includes('cool.html')));
      for (let version = 1; version <= KILLS; version++) {
        await frame.type('textarea', `bản ${version}. `);
        const saved = (await page.evaluate('editor.save()')) as { version: number };
        await stack.gate.kill();
        expect(saved.version).to.equal(version);
        await stack.restart();
        const state = await stack.state(session);
        expect(state.version).to.equal(version);
        expect(linesOf(await download(state.download_url)).join('\n')).to.include(`bản ${version}. `);
      }
    });
  });
}
