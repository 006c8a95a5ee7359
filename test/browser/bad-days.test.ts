import { expect } from 'chai';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { type Canary, startCanary } from '../support/canary.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { download, linesOf } from '../support/stack-steps.ts';
import { PORTAL_ORIGIN } from '../support/surroundings.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { BROWSERS, launch } from './support/browsers.ts';

interface Told {
  event: string;
  code?: string;
  reason?: string;
}

/** Everything between the browser and the service that can fail. */
interface Day {
  stack: Stack;
  network: TcpProxy;
  page: Page;
}

/** Bad days of an open document in which something was typed; each ends with the service in its place again. */
const DAYS: Record<string, (day: Day) => Promise<void>> = {
  async 'the socket is cut'({ stack }) {
    stack.editor.dropSockets();
  },
  async 'all connections are reset'({ network }) {
    network.drop();
  },
  async 'the network is dead for 3 s, and so are its connections'({ network }) {
    network.blackHole();
    network.drop();
    await pass(3_000);
    network.recover();
  },
  async 'the network swallows everything for 8 s, and connections stay dead'({ network, page }) {
    network.blackHole();
    await pass(8_000);
    network.recover();
    await page.evaluate(() => dispatchEvent(new Event('online')));
  },
  async 'the editor stops, which saves, and starts'({ stack }) {
    await stack.editor.stop();
    await pass(1_000);
    await stack.restartEditor();
  },
};

for (const installed of BROWSERS) {
  describe(`SVC.Editor on bad days, in ${installed.name}`, function () {
    this.timeout(90_000);
    let browser: Browser;
    let stack: Stack;
    let network: TcpProxy;
    let portal: Canary;
    let page: Page;
    let keys = 0;

    before(async function () {
      if (installed.path === undefined) return this.skip();
      portal = await startCanary((_request, response) => {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end(`<!doctype html><div id="editor" style="height: 500px"></div>
          <script src="http://127.0.0.1:${network.port}/svc/api.js"></script>`);
      });
      const origin = `http://127.0.0.1:${portal.port}`;
      stack = await startStack({
        process: true,
        environment: { SVC_EMBED_ALLOWED_ORIGINS: `${origin},${PORTAL_ORIGIN}`, SVC_LOG_LEVEL: 'error' },
      });
      network = await startTcpProxy(Number(new URL(stack.url).port));
      browser = await launch(installed);
    });
    beforeEach(async () => {
      page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${portal.port}`);
      keys += 1;
      await make({ token: await stack.token({ key: `day-${installed.name}-${keys}` }) });
      await until('the document', loads);
      await type('trước ');
      await until('it is modified', () => call<boolean>('editor.getInfo().modified'));
    });
    afterEach(() => page?.close());
    after(async () => {
      await browser?.close();
      await network?.close();
      await stack?.stop();
      await portal?.close();
    });

    const call = <Result>(code: string): Promise<Result> => page.evaluate(code) as Promise<Result>;
    const make = (config: object): Promise<void> =>
      call(`(window.told = [], window.editor = new SVC.Editor('editor', { ...${JSON.stringify(config)}, events: {
        onError: ({ code, detail }) => told.push({ event: 'onError', code, reason: detail.reason }),
        onDocumentLoaded: () => told.push({ event: 'onDocumentLoaded' }),
      } }), undefined)`);
    const told = (): Promise<Told[]> => call('told');
    const loads = async (): Promise<number> =>
      (await told()).filter(({ event }) => event === 'onDocumentLoaded').length;
    const isBack = (): Promise<boolean> => until('it is back', async () => (await loads()) >= 2, 60_000);
    const frame = (): Promise<Frame> =>
      until('the frame', async () => {
        const shown = page
          .frames()
          .filter((each) => each.url().includes('cool.html'))
          .at(-1);
        return (await shown?.$('textarea').catch(() => null)) ? shown : undefined;
      });
    const type = async (text: string): Promise<void> => (await frame()).type('textarea', text);
    const isCovered = (): Promise<boolean> =>
      call(`getComputedStyle(document.querySelector('#editor [role=status]')).display === 'flex'`);
    /** Counts openings of the editor's page from now on. */
    const countOpenings = (): (() => number) => {
      let count = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('cool.html')) count += 1;
      });
      return () => count;
    };
    const readText = async (url: string): Promise<string> =>
      linesOf(await download(url.replace(`:${network.port}`, `:${new URL(stack.url).port}`))).join('\n');

    for (const [day, happen] of Object.entries(DAYS)) {
      it(`${day}: it is told, the document is back with what was typed, and obeys`, async () => {
        await happen({ stack, network, page });
        const there = Date.now();
        // A browser has to find out of each connection in its pool that it is dead.
        const within = day.endsWith('stay dead') ? 60_000 : 5_000;
        await isBack();
        await type('sau ');
        const saved = await call<{ url: string }>('editor.save()');
        expect(Date.now() - there).to.be.below(within);
        expect(await readText(saved.url))
          .to.contain('trước ')
          .and.contain('sau ');
        const errors = (await told()).filter(({ event }) => event === 'onError');
        expect(errors.map(({ code }) => code)).to.deep.equal(['network_error']);
        expect(await call('editor.setReadOnly(true)')).to.equal('view');
        await call('editor.close()');
      });
    }

    it('a document whose process crashes comes back, and what it took with it is told', async () => {
      stack.editor.crashDocuments();
      await isBack();
      await until('the loss is told', async () => (await told()).some(({ reason }) => reason === 'changes_lost'));
      await type('sau ');
      expect(await readText((await call<{ url: string }>('editor.save()')).url)).to.contain('sau ');
    });

    it('a network without a sound is noticed while somebody types, and the page goes on where it was', async () => {
      const openings = countOpenings();
      network.hold();
      await type('trong ');
      await until('it is covered', isCovered, 10_000);
      expect((await told()).at(-1)).to.deep.equal({ event: 'onError', code: 'network_error', reason: 'unreachable' });
      network.release();
      await isBack();
      await until('it is uncovered', async () => !(await isCovered()));
      await type('sau ');
      expect(await readText((await call<{ url: string }>('editor.save()')).url)).to.contain('trước trong sau ');
      expect(openings()).to.equal(0);
    });

    it('a session’s state is asked for without a question before each question', async () => {
      let questions = 0;
      page.on('request', (request) => {
        if (request.method() === 'OPTIONS') questions += 1;
      });
      for (let times = 0; times < 4; times++) {
        const answered = page.waitForResponse((response) => response.request().method() === 'GET');
        await call('dispatchEvent(new Event("offline"))');
        await answered;
      }
      expect(questions).to.be.at.most(1);
    });

    it('a gate that is away while somebody types is not asked to save, which would show a dialog', async () => {
      await stack.gate.kill();
      const noticed = page.waitForResponse((response) => response.status() >= 500);
      await call('dispatchEvent(new Event("offline"))');
      await noticed;
      await stack.restart();
      expect(await call('editor.getInfo()')).to.include({ state: 'loaded', modified: true });
      expect(await readText((await call<{ url: string }>('editor.save()')).url)).to.contain('trước ');
    });

    it('a mode is changed while the editor keeps the document open', async () => {
      const session = await stack.create({ key: `day-${installed.name}-${keys}`, mode: 'view' });
      const { loaded_at: before } = await stack.state(session);
      expect(await call('editor.setReadOnly(true)')).to.equal('view');
      expect(await call('editor.setReadOnly(false)')).to.equal('edit');
      expect((await stack.state(session)).loaded_at)
        .to.equal(before)
        .and.not.equal(null);
    });

    it('a page that is slow to answer is waited for', async () => {
      const openings = countOpenings();
      stack.editor.faults.pageDelayMs = 4_500;
      network.drop();
      await isBack();
      stack.editor.faults.pageDelayMs = 0;
      expect(openings()).to.equal(1);
    });

    it('an editor that was killed loses what was not saved, which is told', async () => {
      await stack.editor.kill();
      await until('it is told', async () => (await told()).some(({ code }) => code === 'network_error'));
      expect(await call('editor.getInfo().state')).to.equal('loading');
      // While it is tried in vain, what is in its place is not seen.
      await pass(2_000);
      const box = `(({ width, height }) => [width, height])(document.querySelector('#editor [role=status]').getBoundingClientRect())`;
      expect(await call(box)).to.deep.equal([await call('document.querySelector("#editor").offsetWidth'), 500]);
      expect(await call(`getComputedStyle(document.querySelector('#editor iframe:last-of-type')).visibility`)).to.equal(
        'hidden',
      );
      await stack.restartEditor();
      await isBack();
      await until('the loss is told', async () => (await told()).some(({ reason }) => reason === 'changes_lost'));
      const text = `document.querySelector('#editor [role=status]')`;
      expect(await call(`${text}.textContent`)).to.contain('có thể đã mất');
      expect(await call(`${text}.offsetHeight`)).to.be.above(20);
      await call(`${text}.click()`);
      expect(await call(`${text}.offsetHeight`)).to.be.below(20);
    });

    it('nobody types into a page that has lost its document, and it is said in its place', async () => {
      await (await frame()).focus('textarea');
      await stack.editor.kill();
      await until('it is covered', isCovered);
      const covered = await call<[string, boolean, boolean]>(`(() => {
        const [cover, shown] = [document.querySelector('#editor [role=status]'), document.querySelector('#editor iframe')];
        const box = shown.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return [cover.textContent, top === cover, document.activeElement === shown];
      })()`);
      expect(covered[0]).to.contain('Kết nối đã bị ngắt.');
      expect(covered.slice(1)).to.deep.equal([true, false]);
      await stack.restartEditor();
      await isBack();
    });

    it('a save that is waited for, and one that is asked for meanwhile, end when the document is back', async () => {
      await call(`void (window.saves = [editor.save()])`);
      stack.editor.dropSockets();
      network.blackHole();
      network.drop();
      await until('it is lost', async () => (await told()).some(({ code }) => code === 'network_error'));
      await call(`void saves.push(editor.save())`);
      network.recover();
      const saves = await call<{ url: string }[]>('Promise.all(saves)');
      for (const { url } of saves) expect(await readText(url)).to.contain('trước ');
    });

    it('a reader leaves a service that is away, and nobody waits for it', async () => {
      await call(`editor.setReadOnly(true)`);
      network.blackHole();
      network.drop();
      await until('it is lost', async () => (await told()).some(({ code }) => code === 'network_error'));
      await call('Promise.race([editor.close(), new Promise((_, late) => setTimeout(late, 8_000))])');
      network.recover();
    });

    it('a service that stays away is asked less than once in a second', async () => {
      network.blackHole();
      network.drop();
      await until('it is lost', async () => (await told()).some(({ code }) => code === 'network_error'));
      let requests = 0;
      page.on('request', () => {
        requests += 1;
      });
      await pass(6_000);
      expect(requests).to.be.within(1, 8);
      network.recover();
      await isBack();
    });
  });
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
