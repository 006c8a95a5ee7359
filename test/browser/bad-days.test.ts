import { expect } from 'chai';
import type { Frame, HTTPRequest, Page } from 'puppeteer-core';
import { type Canary, startCanary } from '../support/canary.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { download, readLines } from '../support/stack-steps.ts';
import { PORTAL_ORIGIN } from '../support/surroundings.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { BROWSERS, shareBrowser } from './support/browsers.ts';

interface Told {
  event: string;
  code?: string;
  reason?: string;
}

const STATUS = `document.querySelector('#editor [role=status]')`;

const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Each day happens to all browsers at once; each has a document of its own, in which text was typed. */
describe('SVC.Editor on bad days', function () {
  this.timeout(90_000);
  let stack: Stack;
  let network: TcpProxy;
  let portal: Canary;
  let tabs: Tab[];
  let day = 0;

  before(async function () {
    if (BROWSERS.every(({ path }) => path === undefined)) return this.skip();
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
  });
  beforeEach(async () => {
    day += 1;
    const installed = BROWSERS.filter(({ path }) => path !== undefined);
    const pages = await Promise.all(installed.map(async (each) => (await shareBrowser(each)).newPage()));
    tabs = pages.map((page, index) => new Tab(page, `day-${day}-${installed[index]?.name}`));
    await each((tab) => tab.open());
  });
  afterEach(async () => {
    await Promise.all((tabs ?? []).map(({ page }) => page.close()));
  });
  after(async () => {
    await network?.close();
    await stack?.stop();
    await portal?.close();
  });

  const each = async (act: (tab: Tab) => Promise<unknown>): Promise<void> => {
    await Promise.all(tabs.map(act));
  };

  class Tab {
    readonly page: Page;
    readonly key: string;

    constructor(page: Page, key: string) {
      [this.page, this.key] = [page, key];
    }

    async open(): Promise<void> {
      await this.page.goto(`http://127.0.0.1:${portal.port}`);
      const config = JSON.stringify({ token: await stack.token({ key: this.key }) });
      await this.call(`(window.told = [], window.editor = new SVC.Editor('editor', { ...${config}, events: {
        onError: ({ code, detail }) => told.push({ event: 'onError', code, reason: detail.reason }),
        onDocumentLoaded: () => told.push({ event: 'onDocumentLoaded' }),
      } }), undefined)`);
      await until('the document', () => this.loads());
      await this.type('trước ');
      await until('it is modified', () => this.call<boolean>('editor.getInfo().modified'));
      const frame = await this.frame();
      await until('the editor has all of it', async () => (await frame.$('textarea.pending')) === null);
    }

    call<Result>(code: string): Promise<Result> {
      return this.page.evaluate(code) as Promise<Result>;
    }

    told(): Promise<Told[]> {
      return this.call('told');
    }

    hears(wanted: Partial<Told>): Promise<unknown> {
      const isIt = (one: Told) => Object.entries(wanted).every(([name, value]) => one[name as keyof Told] === value);
      return until(`it is told ${JSON.stringify(wanted)}`, async () => (await this.told()).some(isIt));
    }

    async loads(): Promise<number> {
      return (await this.told()).filter(({ event }) => event === 'onDocumentLoaded').length;
    }

    isBack(): Promise<boolean> {
      return until('it is back', async () => (await this.loads()) >= 2, 60_000);
    }

    frame(): Promise<Frame> {
      return until('the frame', async () => {
        const shown = this.page.frames().findLast((one) => one.url().includes('cool.html'));
        return (await shown?.$('textarea').catch(() => null)) ? shown : undefined;
      });
    }

    async type(text: string): Promise<void> {
      await (await this.frame()).type('textarea', text);
    }

    /** Saves; the text that is stored then. */
    async save(): Promise<string> {
      return read((await this.call<{ url: string }>('editor.save()')).url);
    }

    isCovered(): Promise<boolean> {
      return this.call(`getComputedStyle(${STATUS}).display === 'flex'`);
    }

    /** Counts openings of the editor's page from now on. */
    countOpenings(): () => number {
      let count = 0;
      this.page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes('cool.html')) count += 1;
      });
      return () => count;
    }
  }

  const read = async (url: string): Promise<string> =>
    readLines(await download(url.replace(`:${network.port}`, `:${new URL(stack.url).port}`))).join('\n');
  const loseNetwork = (): void => {
    network.blackHole();
    network.drop();
  };

  /** Each ends with the service in its place again. */
  const DAYS: [day: string, happen: () => unknown, within?: number][] = [
    ['the socket is cut', () => stack.editor.dropSockets()],
    ['all connections are reset', () => network.drop()],
    [
      'the network swallows everything for 8 s, and connections stay dead',
      async () => {
        network.blackHole();
        await pass(8_000);
        network.recover();
        await each((tab) => tab.call('void dispatchEvent(new Event("online"))'));
      },
      // A browser has to find out of each connection in its pool that it is dead.
      60_000,
    ],
    [
      'the editor stops, which saves, and starts',
      async () => {
        await stack.editor.stop();
        await pass(1_000);
        await stack.restartEditor();
      },
    ],
  ];
  for (const [name, happen, within = 5_000] of DAYS) {
    it(`${name}: it is told, the document is back with what was typed, and obeys`, async () => {
      await happen();
      const there = Date.now();
      await each(async (tab) => {
        await tab.isBack();
        expect(Date.now() - there).to.be.below(within);
        await tab.type('sau ');
        const text = await tab.save();
        expect(text).to.contain('trước ').and.contain('sau ');
        const errors = (await tab.told()).filter(({ event }) => event === 'onError');
        expect(errors.map(({ code }) => code)).to.deep.equal(['network_error']);
        expect(await tab.call('editor.setReadOnly(true)')).to.equal('view');
        await tab.call('editor.close()');
      });
    });
  }

  it('a document whose process crashes comes back, and what it took with it is told', async () => {
    stack.editor.crashDocuments();
    await each(async (tab) => {
      await tab.isBack();
      await tab.hears({ reason: 'changes_lost' });
      await tab.type('sau ');
      expect(await tab.save()).to.contain('sau ');
    });
  });

  it('a network without a sound is noticed while somebody types, and the page goes on where it was', async () => {
    const openings = tabs.map((tab) => tab.countOpenings());
    network.hold();
    await each(async (tab) => {
      await tab.type('trong ');
      await until('it is covered', () => tab.isCovered(), 10_000);
      expect((await tab.told()).at(-1)).to.deep.equal({
        event: 'onError',
        code: 'network_error',
        reason: 'unreachable',
      });
    });
    network.release();
    await each(async (tab) => {
      await tab.isBack();
      await until('it is uncovered', async () => !(await tab.isCovered()));
      await tab.type('sau ');
      expect(await tab.save()).to.contain('trước trong sau ');
    });
    expect(openings.map((count) => count())).to.deep.equal(tabs.map(() => 0));
  });

  it('a session’s state is asked for without a question before each question', async () => {
    await each(async ({ page }) => {
      let questions = 0;
      page.on('request', (request) => {
        if (request.method() === 'OPTIONS') questions += 1;
      });
      for (let times = 0; times < 4; times++) {
        const answered = page.waitForResponse((response) => response.request().method() === 'GET');
        await page.evaluate(() => void dispatchEvent(new Event('offline')));
        await answered;
      }
      expect(questions).to.be.at.most(1);
    });
  });

  it('a gate that is away while somebody types is not asked to save, which would show a dialog', async () => {
    await stack.gate.kill();
    try {
      await each(async (tab) => {
        // The front's own answer has no CORS header: some browsers report it as a failure.
        const noticed = new Promise<void>((resolve) => {
          const notice = (request: HTTPRequest) => request.url().includes('/svc/embed/session/') && resolve();
          tab.page.on('requestfailed', notice);
          tab.page.on('response', (response) => response.status() >= 500 && notice(response.request()));
        });
        await tab.call('void dispatchEvent(new Event("offline"))');
        await noticed;
      });
    } finally {
      await stack.restart();
    }
    await each(async (tab) => {
      expect(await tab.call('editor.getInfo()')).to.include({ state: 'loaded', modified: true });
      expect(await tab.save()).to.contain('trước ');
    });
  });

  it('a mode is changed while the editor keeps the document open', async () => {
    await each(async (tab) => {
      const session = await stack.create({ key: tab.key, mode: 'view' });
      const { loaded_at: before } = await stack.state(session);
      expect(await tab.call('editor.setReadOnly(true)')).to.equal('view');
      expect(await tab.call('editor.setReadOnly(false)')).to.equal('edit');
      expect((await stack.state(session)).loaded_at)
        .to.equal(before)
        .and.not.equal(null);
    });
  });

  it('a page that is slow to answer is waited for', async () => {
    const openings = tabs.map((tab) => tab.countOpenings());
    stack.editor.faults.pageDelayMs = 4_500;
    network.drop();
    await each((tab) => tab.isBack());
    stack.editor.faults.pageDelayMs = 0;
    expect(openings.map((count) => count())).to.deep.equal(tabs.map(() => 1));
  });

  it('an editor that was killed loses what was not saved, which is told where nobody can type meanwhile', async () => {
    await each(async (tab) => (await tab.frame()).focus('textarea'));
    await stack.editor.kill();
    await each(async (tab) => {
      await tab.hears({ code: 'network_error' });
      await until('it is covered', () => tab.isCovered());
      const [text, ...is] = await tab.call<unknown[]>(`(() => {
        const [cover, shown] = [${STATUS}, document.querySelector('#editor iframe')];
        const box = shown.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return [cover.textContent, top === cover, document.activeElement === shown, editor.getInfo().state];
      })()`);
      expect(text).to.contain('Kết nối đã bị ngắt.');
      expect(is).to.deep.equal([true, false, 'loading']);
    });
    // While it is tried in vain, what is in its place is not seen.
    await pass(2_000);
    await each(async (tab) => {
      const box = `(({ width, height }) => [width, height])(${STATUS}.getBoundingClientRect())`;
      expect(await tab.call(box)).to.deep.equal([await tab.call('document.querySelector("#editor").offsetWidth'), 500]);
      const last = `getComputedStyle(document.querySelector('#editor iframe:last-of-type')).visibility`;
      expect(await tab.call(last)).to.equal('hidden');
    });
    await stack.restartEditor();
    await each(async (tab) => {
      await tab.isBack();
      await tab.hears({ reason: 'changes_lost' });
      expect(await tab.call(`${STATUS}.textContent`)).to.contain('có thể đã mất');
      expect(await tab.call(`${STATUS}.offsetHeight`)).to.be.above(20);
      await tab.call(`${STATUS}.click()`);
      expect(await tab.call(`${STATUS}.offsetHeight`)).to.be.below(20);
    });
  });

  it('a save that is waited for, and one that is asked for meanwhile, end when the document is back', async () => {
    await each((tab) => tab.call(`void (window.saves = [editor.save()])`));
    stack.editor.dropSockets();
    loseNetwork();
    await each(async (tab) => {
      await tab.hears({ code: 'network_error' });
      await tab.call(`void saves.push(editor.save())`);
    });
    network.recover();
    await each(async (tab) => {
      for (const { url } of await tab.call<{ url: string }[]>('Promise.all(saves)')) {
        expect(await read(url)).to.contain('trước ');
      }
    });
  });

  it('a reader leaves a service that is away, and nobody waits for it', async () => {
    await each((tab) => tab.call(`editor.setReadOnly(true)`));
    loseNetwork();
    await each(async (tab) => {
      await tab.hears({ code: 'network_error' });
      await tab.call('Promise.race([editor.close(), new Promise((_, late) => setTimeout(late, 8_000))])');
    });
    network.recover();
  });

  it('a service that stays away is asked less than once in a second', async () => {
    loseNetwork();
    await each(async (tab) => {
      await tab.hears({ code: 'network_error' });
      let requests = 0;
      tab.page.on('request', () => {
        requests += 1;
      });
      await pass(6_000);
      expect(requests).to.be.within(1, 8);
    });
    network.recover();
    await each((tab) => tab.isBack());
  });
});
