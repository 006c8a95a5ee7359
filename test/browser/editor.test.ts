import { expect } from 'chai';
import type { Browser, Frame, Page } from 'puppeteer-core';
import { until } from '../support/until.ts';
import { BROWSERS, shareBrowser } from './support/browsers.ts';
import { type FakeGate, startFakeGate } from './support/fake-gate.ts';
import {
  editorFrame,
  event,
  inEditor,
  openEditor,
  openPortal,
  type Portal,
  received,
  startPortal,
  toldBy,
} from './support/portal.ts';

/** The library in real browsers, against a gate and an editor's page that speak as the real ones do. */
for (const installed of BROWSERS) {
  describe(`SVC.Editor in ${installed.path ? installed.name : `${installed.name}, which scripts/setup.sh did not find`}`, function () {
    this.timeout(60_000);
    let browser: Browser;
    let gate: FakeGate;
    let portal: Portal;
    let page: Page;
    let warnings: string[];
    let thrown: unknown[];

    before(async function () {
      if (installed.path === undefined) return this.skip();
      [browser, gate] = await Promise.all([shareBrowser(installed), startFakeGate()]);
      portal = await startPortal(gate.origin);
    });
    after(async () => {
      await portal?.close();
      await gate?.close();
    });
    beforeEach(async () => {
      gate.reset();
      page = await browser.newPage();
      warnings = [];
      page.on('console', (message) => void warnings.push(message.text()));
      thrown = [];
      page.on('pageerror', (error) => void thrown.push(error));
      await openPortal(page, portal);
    });
    afterEach(async () => {
      await page?.close();
      // Firefox tells what a policy or the network keeps from a page in the same way.
      expect((thrown ?? []).map(String).filter((text) => /(Reference|Type|Range)Error/.test(text))).to.deep.equal([]);
    });

    const call = <Result>(code: string): Promise<Result> => page.evaluate(code) as Promise<Result>;
    /** Begins a call and notes how it ends in `window.ends`. */
    const begin = (code: string, name = 'call') =>
      call(`void (window.ends ??= {}, ${code}.then(
        (value) => { ends.${name} = { value }; }, ({ code, detail }) => { ends.${name} = { code, detail }; }))`);
    const ends = (name = 'call') =>
      call<{ value?: unknown; code?: string; detail?: unknown } | undefined>(`(window.ends ?? {}).${name}`);
    const ended = (name = 'call') => until(`${name} ends`, () => ends(name));
    /** Returns how a call ends. */
    const run = async (code: string) => {
      await call('void delete (window.ends ?? {}).call');
      await begin(code);
      return ended();
    };
    const openAndType = async (): Promise<Frame> => {
      const frame = await openEditor(page);
      await inEditor(frame, 'type()');
      return frame;
    };
    const asks = (frame: Frame) => received(frame, 'Action_Save');
    const posts = () => gate.requests.filter((request) => request.startsWith('POST /browser/'));
    const removals = () => gate.requests.filter((request) => request.startsWith('DELETE '));
    const modeChanges = () => gate.requests.filter((request) => request.endsWith('/mode'));
    /** The editor saves what its page has left behind. */
    const saveAtExit = (id = 'editor') => {
      const document = gate.documents.get(`key-${id}`);
      if (document) document.version += 1;
    };
    const hearsOfLoss = () =>
      until('it is told of the loss', () =>
        call<boolean>('told.some(({ event, data }) => event === "onError" && data.detail.reason === "changes_lost")'),
      );
    /** Resolves once the page has noticed it. */
    const hide = (hidden: boolean) =>
      call(`document.querySelector('#editor').hidden = ${hidden},
        new Promise((done) => requestAnimationFrame(() => setTimeout(done)))`);
    const pauseInPage = () => call('new Promise((resolve) => setTimeout(resolve, 100))');
    const countTold = async (name: string) => (await toldBy(page)).filter((told) => told === name).length;
    const state = (id = 'editor') => call<string>(`editors.${id}.getInfo().state`);
    const isGone = () => until('no session is left', () => gate.sessions.size === 0);
    /** Answers of the gate wait until the function that this returns is called. */
    const slowDown = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate.orders.slow = promise;
      return resolve;
    };

    it('opens a document: token in the form only, events in their order, nothing kept in the browser', async () => {
      const frame = await openEditor(page, { width: 700, height: '500px' });
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded']);
      expect(frame.url()).to.equal(`${gate.origin}/browser/1/cool.html?WOPISrc=x&lang=vi`);
      const [session] = gate.sessions.values();
      expect(Object.fromEntries(gate.forms[0] ?? [])).to.include({ access_token: session?.token });
      expect(await call('document.forms.length')).to.equal(0);
      expect(await call('[document.cookie, localStorage.length, sessionStorage.length]')).to.deep.equal(['', 0, 0]);
      expect(gate.cookies).to.deep.equal([]);
      const sizes = await call('[...document.querySelectorAll("iframe")].map((f) => [f.offsetWidth, f.offsetHeight])');
      expect(sizes).to.deep.equal([[700, 500]]);
      expect(gate.configs).to.deep.equal([
        {
          document: { url: 'https://portal.example/a.docx', title: 'a.docx', fileType: 'docx', key: 'key-editor' },
          editor: { mode: 'edit', user: { id: 'u1', name: 'Lan' } },
        },
      ]);
      expect(warnings).to.deep.equal([]);
    });

    it('is as high as its element, 600 pixels in one without a height, and waits for one that is not shown', async () => {
      await call(`document.querySelector('#second').setAttribute('hidden', ''),
        document.querySelector('#second').style.height = '700px'`);
      const height = (id: string) =>
        call<number>(`new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
          done(document.querySelector('#${id} iframe').offsetHeight))))`);
      await openEditor(page);
      await call('make("second")');
      expect(await height('editor')).to.equal(600);
      await call(`document.querySelector('#second').removeAttribute('hidden')`);
      expect(await height('second')).to.equal(700);
      await run('editors.editor.setReadOnly(true)');
      expect(await height('editor')).to.equal(600);
      await call(`document.querySelector('#second').style.display = 'flex', editors.second.destroy(), make('second')`);
      expect(await height('second')).to.equal(700);
      await until('its session is there', async () => (await state('second')) === 'loaded');
    });

    it('opens, and comes back after a loss, as soon as it is displayed where a page cannot work before', async () => {
      await hide(true);
      await call('make("editor")');
      if (installed.name === 'chrome') await event(page, 'onDocumentLoaded');
      else await call('new Promise((resolve) => setTimeout(resolve, 500))');
      const opened = installed.name === 'chrome' ? 1 : 0;
      expect(posts()).to.have.lengthOf(opened);
      expect(gate.sessions.size).to.equal(opened);
      await hide(false);
      await event(page, 'onDocumentLoaded');
      await hide(true);
      await inEditor(await editorFrame(page), 'lose()');
      await event(page, 'onError');
      await hide(false);
      await until('it is back', async () => (await state()) === 'loaded');
      expect(posts()).to.have.lengthOf(2);
      expect(await run('editors.editor.save()')).to.have.nested.property('value.unmodified', true);
    });

    it('opens also when it is hidden meanwhile, and the time until it is shown does not count', async () => {
      const longerThanAnOpening = () => call('new Promise((resolve) => setTimeout(resolve, 5_000))');
      await call('void (window.hurry = 30)');
      gate.orders.locked = true;
      const goOn = slowDown();
      await call('make("editor")');
      await until('a session is asked for', () => gate.configs.length > 0);
      await hide(true);
      goOn();
      if (installed.name === 'firefox') await longerThanAnOpening();
      await hide(false);
      await event(page, 'onReady');
      await hide(true);
      await inEditor(await editorFrame(page), 'unlock()').catch(() => {});
      await longerThanAnOpening();
      gate.orders.locked = false;
      await hide(false);
      await event(page, 'onDocumentLoaded');
      const opened = installed.name === 'chrome' ? 1 : 2;
      expect(await toldBy(page)).to.deep.equal([...Array(opened).fill('onReady'), 'onDocumentLoaded']);
      expect(posts()).to.have.lengthOf(opened);
    });

    it('gives clipboard and full screen to the service although it is on another origin', async function () {
      if (installed.name !== 'chrome') return this.skip();
      const frame = await openEditor(page);
      const allowed = ['clipboard-read', 'clipboard-write', 'fullscreen'];
      expect(await inEditor(frame, 'permissions()')).to.have.members(allowed);
    });

    it('opens in a page isolated by its policies, in browsers that have frames without credentials', async function () {
      if (installed.name !== 'chrome') return this.skip();
      await openPortal(page, portal, '/isolated');
      expect(await call('crossOriginIsolated')).to.equal(true);
      await openEditor(page);
      expect(await run('editors.editor.setReadOnly(true)')).to.deep.equal({ value: 'view' });
    });

    it('says in which language its sentences are, also where the server writes in another one', async () => {
      const said = () =>
        call('(({ lang, textContent }) => [lang, textContent])(document.querySelector("[role=status]"))');
      await openEditor(page, { editor: { lang: 'en' } });
      expect(await said()).to.deep.equal(['en', 'The document is open.']);
      await call('editors.editor.destroy()');
      gate.orders.refuse = { status: 422, code: 'download_failed' };
      await call(`make('editor', ${JSON.stringify({ editor: { lang: 'en' } })})`);
      await event(page, 'onError');
      expect(await said()).to.deep.include.members(['vi']);
    });

    it('tells screen readers what goes on, names the frame, and puts the keyboard into the document', async () => {
      const goOn = slowDown();
      const document = { url: 'x', title: '<b>"báo cáo"', fileType: 'docx', key: 'k' };
      await call(`make('editor', ${JSON.stringify({ document })})`);
      expect(await call('document.querySelector("[role=status]").textContent')).to.equal('Đang mở tài liệu…');
      goOn();
      await event(page, 'onDocumentLoaded');
      expect(await call('document.querySelector("[role=status]").textContent')).to.equal('Tài liệu đã mở.');
      expect(await call('document.querySelector("iframe").title')).to.equal('Trình soạn thảo tài liệu: <b>"báo cáo"');
      expect(await call('document.querySelectorAll("#editor b").length')).to.equal(0);
      const frame = await editorFrame(page);
      await until('the text has the focus', () => inEditor<boolean>(frame, 'document.activeElement.id === "text"'));
    });

    it('leaves the keyboard where it is when somebody is using it, or the configuration says so', async () => {
      for (const [selector, autofocus] of [
        ['#button', true],
        ['#button', false],
        ['body', false],
      ] as const) {
        await call('document.activeElement.blur()');
        await page.focus(selector);
        const frame = await openEditor(page, { autofocus });
        await until('its page has tried to take it', () => inEditor<boolean>(frame, 'window.takes === 2'));
        await pauseInPage();
        expect(await call(`document.activeElement.matches('${selector}')`), `${selector}, ${autofocus}`).to.equal(true);
        await call('editors.editor.destroy(), told.splice(0)');
      }
    });

    it('lets the user into a page that asks for something while it opens, by mouse or Tab', async () => {
      gate.orders.locked = true;
      await call('make("editor")');
      await event(page, 'onReady');
      const isInFrame = () => call<boolean>('document.activeElement.tagName === "IFRAME"');
      await page.focus('#button');
      await page.keyboard.press('Tab');
      await pauseInPage();
      expect(await isInFrame()).to.equal(true);
      await page.focus('#button');
      await page.hover('iframe');
      await pauseInPage();
      await page.click('iframe');
      await pauseInPage();
      expect(await isInFrame()).to.equal(true);
    });

    it('lets in whoever taps on a page that opens', async function () {
      // Firefox does not pretend to be a phone.
      if (installed.name === 'firefox') return this.skip();
      await page.setViewport({ width: 400, height: 800, hasTouch: true, isMobile: true });
      await openPortal(page, portal);
      gate.orders.locked = true;
      await call('make("editor", { autofocus: false })');
      await event(page, 'onReady');
      await page.touchscreen.tap(100, 100);
      await pauseInPage();
      expect(await call('document.activeElement.tagName')).to.equal('IFRAME');
    });

    it('opens inside of a shadow tree, given the element', async () => {
      await page.evaluate(() => {
        const root = document.querySelector('#editor')?.attachShadow({ mode: 'open' });
        const inner = document.createElement('div');
        root?.append(inner);
        window.make('shadow', {}, inner);
      });
      await event(page, 'onDocumentLoaded', 'shadow');
      expect(await state('shadow')).to.equal('loaded');
    });

    it('save() resolves when the version is stored, not when the editor says that it has saved', async () => {
      const frame = await openEditor(page);
      const hold = Promise.withResolvers<void>();
      gate.orders.hold = hold.promise;
      await inEditor(frame, 'type()');
      await begin('editors.editor.save()');
      await until('the upload', () => gate.requests.includes('POST /fake/put'));
      const polls = () => gate.requests.filter((request) => request.startsWith('GET /svc/embed/session/')).length;
      const before = polls();
      await until('two more questions', () => polls() > before + 1);
      expect(await ends()).to.equal(undefined);
      expect(await toldBy(page)).to.not.include('onSaved');
      hold.resolve();
      const { value } = (await ended()) as { value: SVC.SaveResult };
      expect(value).to.include({ version: 1, unmodified: false, size: 1001 });
      expect(value.url).to.match(/\?v=1$/);
      expect(await event(page, 'onSaved')).to.deep.equal({
        version: 1,
        url: value.url,
        size: 1001,
        sha256: value.sha256,
        savedAt: '2026-01-01T00:00:00.000Z',
      });
      expect(await countTold('onSaved')).to.equal(1);
    });

    it('save() and close() store also what is being typed into a cell, of which the editor says nothing', async () => {
      const frame = await openEditor(page);
      await inEditor(frame, 'typeInCell()');
      expect((await run('editors.editor.save()')).value).to.include({ version: 1, unmodified: false });
      expect((await run('editors.editor.save()')).value).to.include({ version: 1, unmodified: true });
      await inEditor(frame, 'typeInCell()');
      await run('editors.editor.close()');
      expect(gate.documents.get('key-editor')?.version).to.equal(2);
    });

    it('what could not be saved stays open, whatever was asked for, and it is told why', async () => {
      gate.orders.failSave = true;
      const frame = await openAndType();
      for (const name of ['save', 'setReadOnly', 'close'])
        expect(await run(`editors.editor.${name}(true)`), name).to.include({ code: 'save_failed' });
      expect(await event(page, 'onError')).to.deep.nested.include({
        code: 'save_failed',
        'detail.MessageId': 'Action_Save_Resp',
        'detail.Values.errorMsg': 'disk',
      });
      expect(await state()).to.equal('loaded');
      expect(posts()).to.have.length(1);
      expect(modeChanges()).to.deep.equal([]);
      expect(gate.sessions.size).to.equal(1);
      expect(await received(frame, 'Action_Close')).to.deep.equal([]);
    });

    it('calls of save() that come together share one save; one that comes while another is under way has its own', async () => {
      const frame = await openAndType();
      await begin(`Promise.all([1, 2, 3, 4].map(() => editors.editor.save()))
        .then((saves) => saves.map(({ version }) => version))`);
      expect(await ended()).to.deep.equal({ value: [1, 1, 1, 1] });
      expect(await asks(frame)).to.have.length(1);
      const hold = Promise.withResolvers<void>();
      gate.orders.hold = hold.promise;
      await inEditor(frame, 'type()');
      await begin('editors.editor.save()', 'first');
      await until('it is asked', async () => (await asks(frame)).length === 2);
      await inEditor(frame, 'type()');
      await begin('editors.editor.save()', 'second');
      hold.resolve();
      expect((await ended('first')).value).to.include({ version: 2 });
      expect((await ended('second')).value).to.include({ version: 3, unmodified: false });
    });

    it('tells of saves that the editor makes by itself', async () => {
      const frame = await openAndType();
      await inEditor(frame, 'autosave()');
      expect(await event(page, 'onSaved')).to.include({ version: 1 });
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded', 'onModified', 'onModified', 'onSaved']);
      expect(await call('editors.editor.getInfo().users')).to.deep.equal([{ id: 'u1', name: 'Lan' }]);
    });

    it('doubts a save without a version: asks the editor again, by force, and says so when that fails too', async () => {
      gate.orders.loseUploads = true;
      const frame = await openAndType();
      await inEditor(frame, 'autosave()');
      expect(await event(page, 'onError')).to.include({ code: 'save_timeout' });
      expect(await asks(frame)).to.have.length(1);
      expect((await asks(frame))[0]).to.include({ DontSaveIfUnmodified: false });
    });

    it('setReadOnly goes on where the connection is lost while the server is asked', async () => {
      const frame = await openEditor(page);
      const goOn = slowDown();
      await begin('editors.editor.setReadOnly(true)');
      await until('it is asked', () => modeChanges().length > 0);
      await inEditor(frame, 'lose()');
      expect(await event(page, 'onError')).to.include({ code: 'network_error' });
      goOn();
      expect((await ended()).value).to.equal('view');
    });

    it('setReadOnly saves, opens the document anew for reading, and for editing again', async () => {
      const frame = await openEditor(page);
      const steps = await call('history.length');
      await inEditor(frame, 'type()');
      expect(await run('editors.editor.setReadOnly(true)')).to.deep.equal({ value: 'view' });
      expect(gate.documents.get('key-editor')?.version).to.equal(1);
      expect(posts()).to.have.length(2);
      const [first, second] = gate.forms;
      expect(second?.get('access_token')).to.equal(first?.get('access_token'));
      expect((await editorFrame(page)).url()).to.match(/&permission=readonly$/);
      expect(await call('history.length')).to.equal(steps);
      expect(await call('document.querySelectorAll("iframe").length')).to.equal(1);
      expect(await call('editors.editor.getInfo()')).to.include({ mode: 'view', state: 'loaded', version: 1 });
      expect(await run('editors.editor.setReadOnly(false)')).to.deep.equal({ value: 'edit' });
      expect(gate.requests.findLastIndex((r) => r.endsWith('/mode'))).to.be.greaterThan(
        gate.requests.indexOf('POST /fake/put'),
      );
    });

    it('opens for reading when all places are taken, and setReadOnly(false) leaves it so; both say why', async () => {
      gate.orders.full = true;
      await openEditor(page);
      expect((await toldBy(page))[0]).to.equal('onLimitReached');
      expect(await event(page, 'onLimitReached')).to.deep.equal({
        message: 'Hết chỗ.',
        limit: { code: 'connection_limit_reached', limit: 2, current: 2, pending: 0 },
      });
      expect(await call('editors.editor.getInfo()')).to.include({ mode: 'view', requestedMode: 'edit', limited: true });
      expect(await run('editors.editor.setReadOnly(false)')).to.deep.equal({ value: 'view' });
      expect(await countTold('onLimitReached')).to.equal(2);
      expect(posts()).to.have.length(1);
    });

    it('close() saves, leaves and empties the element; onClose comes once', async () => {
      await openAndType();
      expect((await run('Promise.all([editors.editor.close(), editors.editor.close()])')).code).to.equal(undefined);
      expect(gate.documents.get('key-editor')?.version).to.equal(1);
      expect(gate.sessions.size).to.equal(0);
      expect(await call('document.querySelector("#editor").childNodes.length')).to.equal(0);
      expect(await countTold('onClose')).to.equal(1);
      expect(await state()).to.equal('closed');
      expect(await run('editors.editor.save()')).to.include({ code: 'closed' });
    });

    it('the close button of the editor saves first, too', async () => {
      const frame = await openEditor(page);
      expect((await received(frame, 'Disable_Default_UIAction'))[0]).to.deep.equal({
        action: 'UI_Close',
        disable: true,
      });
      await inEditor(frame, 'type()');
      await inEditor(frame, 'closeButton()');
      expect(await event(page, 'onClose')).to.deep.equal({ reason: 'user' });
      expect(gate.documents.get('key-editor')?.version).to.equal(1);
    });

    it('close() of a view needs no answer of the server', async () => {
      await openEditor(page, { editor: { mode: 'view' } });
      gate.sessions.clear();
      expect((await run('editors.editor.close()')).code).to.equal(undefined);
      expect(await state()).to.equal('closed');
    });

    it('close() ends a change of mode that is waiting for its page', async () => {
      const frame = await openEditor(page);
      gate.orders.silent = true;
      await begin('editors.editor.setReadOnly(true)', 'mode');
      await until('it opens anew', () => posts().length === 2);
      expect((await run('editors.editor.close()')).code).to.equal(undefined);
      expect(await ended('mode')).to.include({ code: 'closed' });
      expect(frame.detached).to.equal(true);
    });

    it('destroy() takes all away at once: frame, listeners, timers, session, open promises', async () => {
      gate.orders.deaf = true;
      const listeners = await call<number>('listeners');
      await openEditor(page, { warnBeforeUnload: true });
      await begin('editors.editor.save()');
      await call('editors.editor.destroy()');
      expect(await call('document.querySelector("#editor").childNodes.length')).to.equal(0);
      await call('editors.editor.destroy()');
      expect(await ended()).to.include({ code: 'closed' });
      expect(await call('listeners')).to.equal(listeners);
      await isGone();
      const asked = gate.requests.length;
      await call('new Promise((resolve) => setTimeout(resolve, 1000))');
      expect(gate.requests.length).to.equal(asked);
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded']);
      await openEditor(page);
    });

    it('what is asked for just before destroy(), or after close(), rejects with closed', async () => {
      const code = (work: string) => `${work}.catch(({ code }) => code)`;
      const [save, read] = ['save()', 'setReadOnly(true)'].map((method) => code(`editors.editor.${method}`));
      await openEditor(page);
      const asked = await call(
        `(() => { const ends = [${save}, ${read}]; editors.editor.destroy(); return Promise.all(ends); })()`,
      );
      expect(asked).to.deep.equal(['closed', 'closed']);
      await openEditor(page);
      expect(await call(`(() => { editors.editor.close(); return ${read}; })()`)).to.equal('closed');
    });

    it('destroy() while it closes ends that: no onClose, and the element is free for another one', async () => {
      const slow = Promise.withResolvers<void>();
      for (const mode of ['edit', 'view']) {
        gate.orders = {};
        await openEditor(page, { editor: { mode } });
        gate.orders.slow = slow.promise;
        const before = removals().length;
        await begin('editors.editor.close()', mode);
        if (mode === 'edit') await until('it says goodbye', () => removals().length > before);
        await call('editors.editor.destroy()');
        expect(await ended(mode), mode).to.include({ code: 'closed' });
        await call('told.splice(0)');
      }
      gate.orders = {};
      await call('void (window.first = editors.editor)');
      await openEditor(page);
      slow.resolve();
      await until('the sessions are gone', () => gate.sessions.size === 1);
      expect(await call('first.getInfo().state')).to.equal('destroyed');
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded']);
      await call('try { make("editor") } catch ({ code }) { window.refused = code }');
      expect(await call('refused')).to.equal('invalid_config');
    });

    it('destroy() while close() waits for a lost connection: the editor stays destroyed', async () => {
      const frame = await openEditor(page);
      gate.orders.down = true;
      await inEditor(frame, 'lose()');
      await event(page, 'onError');
      await begin('editors.editor.close()');
      await call('editors.editor.destroy()');
      expect(await ended()).to.include({ code: 'closed' });
      expect(await state()).to.equal('destroyed');
    });

    it('destroy() before the server has answered leaves no session behind', async () => {
      const goOn = slowDown();
      await call('make("editor")');
      await until('it was asked', () => gate.configs.length === 1);
      await call('editors.editor.destroy()');
      goOn();
      await until('it was asked to remove it', () => removals().length > 0);
      await isGone();
      expect(posts()).to.deep.equal([]);
      expect(await toldBy(page)).to.deep.equal([]);
    });

    it('asks for no session when it is destroyed at once, as a framework does, and gives its place back before the next asks', async () => {
      await call('make("editor"), editors.editor.destroy(), make("editor")');
      await event(page, 'onDocumentLoaded');
      expect(gate.configs).to.have.length(1);
      const id = await call('editors.editor.getInfo().sessionId');
      await call('editors.editor.destroy(), told.splice(0), make("editor")');
      await event(page, 'onDocumentLoaded');
      const given = gate.requests.indexOf(`DELETE /svc/embed/session/${id}`);
      expect(given).to.be.within(0, gate.requests.lastIndexOf('POST /svc/embed/session'));
    });

    it('is over when the page has removed its element, and opens no window', async () => {
      const goOn = slowDown();
      await call('make("editor")');
      await until('it was asked', () => gate.configs.length === 1);
      const tabs = (await browser.pages()).length;
      await call('document.querySelector("#editor").replaceChildren()');
      goOn();
      await until('it is over', async () => (await state()) === 'destroyed');
      await isGone();
      await openEditor(page, { warnBeforeUnload: true }, 'second');
      await call('document.querySelector("#second").remove()');
      expect(await run('editors.second.setReadOnly(true)')).to.include({ code: 'closed' });
      await isGone();
      expect((await browser.pages()).length).to.equal(tabs);
      expect(posts()).to.have.length(1);
      expect(warnings.filter((text) => text.startsWith('SVC.Editor: destroyed'))).to.have.length(2);
      // Without a call it notices by itself.
      await openEditor(page);
      await call('document.querySelector("#editor").remove()');
      await until('it is over', async () => (await state()) === 'destroyed');
      await isGone();
    });

    it('is over when the page has removed its element although nothing was opened in it', async () => {
      const listeners = await call<number>('listeners');
      gate.orders.refuse = { status: 400, code: 'invalid_config' };
      await call('make("editor")');
      await event(page, 'onError');
      await call('document.querySelector("#editor").remove()');
      await until('it is over', async () => (await state()) === 'destroyed');
      expect(await call('listeners')).to.equal(listeners);
    });

    it('opens its document anew when the page has moved its element, whose frame is blank then', async () => {
      await openAndType();
      await event(page, 'onModified');
      await call(`told.splice(0);
        document.querySelector("#second").append(document.querySelector("#editor"));
        document.body.append(document.querySelector("#editor"))`);
      saveAtExit();
      await event(page, 'onDocumentLoaded');
      expect((await toldBy(page)).slice(0, 3)).to.deep.equal(['onModified', 'onReady', 'onDocumentLoaded']);
      await event(page, 'onSaved');
      expect(gate.configs).to.have.length(1);
      expect(new Set(gate.forms.map((form) => form.get('access_token'))).size).to.equal(1);
      await inEditor(await editorFrame(page), 'type()');
      expect((await run('editors.editor.save()')).value).to.include({ unmodified: false });
      expect(warnings).to.deep.equal([]);
    });

    it('opens in its new place when it is moved while the service is away, and tells what is lost', async () => {
      await openAndType();
      await until('its document is known', () => call<boolean>('editors.editor.getInfo().users.length === 1'));
      gate.orders = { down: true };
      await call('document.querySelector("#second").append(document.querySelector("#editor"))');
      expect(await event(page, 'onError')).to.include({ code: 'network_error' });
      // Also while it is being opened again.
      gate.orders = { silent: true, loadedAt: 'later' };
      await until('it opens anew', () => posts().length === 2);
      await call('document.body.append(document.querySelector("#editor"))');
      gate.orders.silent = false;
      await until('it is back', async () => (await countTold('onDocumentLoaded')) === 2);
      await hearsOfLoss();
      expect(await state()).to.equal('loaded');
    });

    it('opens in its new place when it is moved while it changes its mode', async () => {
      await openEditor(page);
      gate.orders.silent = true;
      await begin('editors.editor.setReadOnly(true)');
      await until('it opens anew', () => posts().length === 2);
      const frame = await editorFrame(page);
      await until('its page is there', () => inEditor<boolean>(frame, '"say" in window').catch(() => false));
      await inEditor(frame, 'say("App_LoadingStatus", { Status: "Frame_Ready" })');
      gate.orders = {};
      await call('document.querySelector("#second").append(document.querySelector("#editor"))');
      expect(await ended()).to.deep.equal({ value: 'view' });
    });

    it('greets a page that was loaded anew by the editor', async () => {
      const frame = await openEditor(page);
      for (const step of ['Initialized', 'Frame_Ready', 'Document_Loaded']) {
        await inEditor(frame, `say("App_LoadingStatus", { Status: "${step}" })`);
      }
      await until('it is greeted', async () => (await received(frame, 'Disable_Default_UIAction')).length === 2);
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded', 'onReady']);
    });

    for (const [deaf, title] of [
      [true, 'and it says nothing any more: opens the document anew'],
      [false, 'and it answers after all: leaves the page alone'],
    ] as const) {
      it(`looks for its connection when the editor's server no longer lists anybody, ${title}`, async () => {
        gate.orders.deaf = deaf;
        const frame = await openEditor(page);
        await until('people are known', () => call<boolean>('editors.editor.getInfo().users.length === 1'));
        gate.orders = { nobody: true };
        // Makes the library ask the server at once.
        await inEditor(frame, 'say("UI_Save", {})');
        await until('the editor is asked', async () => (await asks(frame)).length > 0);
        if (deaf) await until('it is open again', async () => (await countTold('onDocumentLoaded')) === 2);
        expect(posts()).to.have.length(deaf ? 2 : 1);
        const told = ['onReady', 'onDocumentLoaded'];
        expect(await toldBy(page)).to.deep.equal(deaf ? [...told, 'onError', ...told] : told);
      });
    }

    it('looks for its connection also after a close() to which the editor has said nothing', async () => {
      gate.orders.deaf = true;
      await openAndType();
      expect(await run('editors.editor.close()')).to.include({ code: 'save_timeout' });
      gate.orders.deaf = false;
      await until('it is open again', async () => (await countTold('onDocumentLoaded')) === 2);
      expect(await state()).to.equal('loaded');
    });

    it('is not asked to save by a hidden page, which its browser wakes once a minute only, and looked at when it has slept', async () => {
      const frame = await openEditor(page);
      const skip = (seconds: number) => call(`Date.now = ((now) => () => now() + ${seconds * 1_000})(Date.now)`);
      const ticked = () => call('new Promise((resolve) => setTimeout(resolve, 7_000))');
      await call(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`);
      await skip(60);
      await ticked();
      expect(await asks(frame)).to.have.lengthOf(0);
      await skip(600);
      await until('it is looked at', async () => (await asks(frame)).length > 0);
      await call('void delete document.visibilityState');
      await ticked();
      expect(await asks(frame)).to.have.lengthOf(1);
      await skip(60);
      await until('it is looked at again', async () => (await asks(frame)).length > 1);
    });

    it('gives its session back when the page is left, so that nobody waits for its place', async () => {
      await openEditor(page);
      await page.reload();
      await isGone();
    });

    describe('in a page that the browser keeps while another is shown', () => {
      const leave = () => call('void dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))');
      const comeBack = () => call('void dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))');
      const modes = () => [...gate.sessions.values()].map(({ mode }) => mode);

      it('ends the editing, and its place, until the page is shown again', async () => {
        const frame = await openAndType();
        await event(page, 'onModified');
        await call('told.splice(0)');
        await leave();
        await until('the place is free', () => modes().join() === 'view');
        await until('its page is gone', () => frame.detached);
        expect(await state()).to.equal('loading');
        expect(posts()).to.have.length(1);
        saveAtExit();
        await comeBack();
        await event(page, 'onDocumentLoaded');
        expect((await toldBy(page)).filter((name) => name !== 'onSaved')).to.deep.equal([
          ...['onModified', 'onReady', 'onDocumentLoaded'],
        ]);
        expect(modes()).to.deep.equal(['edit']);
        expect(new Set(gate.forms.map((form) => form.get('access_token'))).size).to.equal(1);
        await event(page, 'onSaved');
        await inEditor(await editorFrame(page), 'type()');
        expect((await run('editors.editor.save()')).value).to.include({ version: 2, unmodified: false });
      });

      it('tries again until it has its place and its document, and tells what is lost', async () => {
        await openAndType();
        await until('its document is known', () => call<boolean>('editors.editor.getInfo().users.length === 1'));
        await leave();
        await until('the place is free', () => modes().join() === 'view');
        gate.orders = { down: true, loadedAt: 'later' };
        await comeBack();
        expect(await event(page, 'onError')).to.include({ code: 'network_error' });
        await begin('editors.editor.save()');
        gate.orders.down = false;
        await until('it is back', async () => (await countTold('onDocumentLoaded')) === 2);
        expect(modes()).to.deep.equal(['edit']);
        await hearsOfLoss();
        expect(await ended()).to.deep.include({ code: 'save_failed', detail: { reason: 'changes_lost', version: 0 } });
      });

      it('tells when all places are taken by then', async () => {
        await openEditor(page);
        gate.orders.full = true;
        await leave();
        await comeBack();
        expect(await event(page, 'onLimitReached')).to.include({ message: 'Hết chỗ.' });
        await until('it is open', async () => (await state()) === 'loaded');
        expect(await call('editors.editor.getInfo()')).to.include({ mode: 'view', limited: true });
      });

      it('is a view again where it was one, and gone where it was closing', async () => {
        await openEditor(page, { editor: { mode: 'view' } });
        await leave();
        await comeBack();
        await until('it is open', async () => (await state()) === 'loaded');
        expect(modeChanges()).to.deep.equal([]);
        gate.orders.deaf = true;
        await openEditor(page, {}, 'second');
        await begin('editors.second.close()');
        await leave();
        expect(await ended()).to.include({ code: 'closed' });
        await until('its session is gone', () => gate.sessions.size === 1);
      });
    });

    it('destroy() may be called by a handler', async () => {
      gate.orders.full = true;
      for (const name of ['onLimitReached', 'onReady', 'onDocumentLoaded']) {
        await call(`make('second', { events: { ${name}() { window.done = '${name}'; editors.second.destroy(); } } })`);
        await until(name, () => call<boolean>(`window.done === '${name}'`));
        await call('new Promise((resolve) => setTimeout(resolve, 100))');
        expect(await state('second'), name).to.equal('destroyed');
        expect(await call('document.querySelector("#second").childNodes.length'), name).to.equal(0);
        await isGone();
      }
      expect(posts()).to.have.length(2);
    });

    it('keeps several editors apart', async () => {
      const first = await openEditor(page);
      await openEditor(page, {}, 'second');
      await inEditor(first, 'type()');
      await run('editors.editor.save()');
      expect(await toldBy(page, 'second')).to.deep.equal(['onReady', 'onDocumentLoaded']);
      expect(gate.documents.get('key-second')?.version).to.equal(0);
      await call('editors.editor.destroy()');
      expect(await state('second')).to.equal('loaded');
    });

    it('says what is wrong with a call: no such element, one that has an editor, an event that there is none of', async () => {
      const getRefusal = (code: string) =>
        call<string>(`(() => { try { ${code} } catch (e) { return e.code + ' ' + e.message; } })()`);
      for (const [code, says] of [
        ['make("nowhere")', /^invalid_config .*"nowhere"/],
        ['make("editor", { events: { onsaved() {} } })', /onsaved.*onSaved/],
        ['make("editor", { document: undefined })', /^invalid_config /],
        ['make("editor", { serverUrl: "javascript:1" })', /serverUrl/],
        ['make("editor"), make("editor")', /already/],
      ] as const)
        expect(await getRefusal(code), code).to.match(says);
      expect(await getRefusal('SVC.Editor("second", { token: "x" }).destroy()')).to.equal(undefined);
    });

    it('passes on what the server refused, word for word', async () => {
      gate.orders.refuse = { status: 400, code: 'invalid_config' };
      await call('make("editor")');
      expect(await event(page, 'onError')).to.deep.equal({
        code: 'invalid_config',
        message: 'Không được.',
        detail: { errors: [{ path: '/document/key', message: 'is wrong' }] },
      });
      expect(await state()).to.equal('failed');
      expect(await run('editors.editor.save()')).to.include({ code: 'not_loaded' });
      // A page without an onError finds it in the console.
      await call('make("second", { events: {} })');
      const line = 'SVC.Editor: invalid_config: Không được.';
      await until('it is told', () => warnings.some((text) => text.startsWith(line)));
    });

    it('a server that can not be reached is a network_error, at the start and later', async () => {
      gate.orders.down = true;
      await call('make("editor")');
      const error = await event<{ code: string; detail: { hint: string } }>(page, 'onError');
      expect(error).to.include({ code: 'network_error' });
      // Browsers tell a page whose origin is not allowed no more.
      expect(error.detail.hint).to.contain(portal.origin).and.contain('SVC_EMBED_ALLOWED_ORIGINS');
      gate.orders.down = false;
      const frame = await openEditor(page, {}, 'second');
      gate.orders.down = true;
      await inEditor(frame, 'type()');
      await inEditor(frame, 'undo()');
      expect(await event(page, 'onError', 'second')).to.include({ code: 'network_error' });
    });

    it('a document that did not open is load_failed, with what the editor said', async () => {
      gate.orders.failLoad = true;
      await call('make("editor")');
      expect(await event(page, 'onError')).to.deep.nested.include({
        code: 'load_failed',
        'detail.Values.errorType': 'websocketproxyfailure',
      });
      expect(await toldBy(page)).to.deep.equal(['onError']);
      // For those who look, as well.
      const text = await page.$eval('[role=status]', (status) => [
        status.textContent,
        status.getBoundingClientRect().height > 20,
        getComputedStyle(status).clipPath,
      ]);
      expect(text).to.deep.equal(['Không mở được tài liệu.', true, 'none']);
    });

    it('a document whose connection the editor closes before it is open, as one that it is just unloading, is opened again', async () => {
      gate.orders.failLoad = true;
      await call('make("editor")');
      await until('it was tried', () => posts().length > 0);
      gate.orders.failLoad = false;
      await until('it is open', async () => (await state()) === 'loaded');
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded']);
    });

    it('gives its token to no page of another origin', async () => {
      gate.orders.address = '@evil.example/';
      await call('make("editor")');
      const detail = { reason: 'editor_url' };
      expect(await event(page, 'onError')).to.deep.include({ code: 'load_failed', detail });
      expect(posts()).to.deep.equal([]);
    });

    it('a document whose password is not given is load_failed at once', async () => {
      gate.orders.locked = true;
      await call('make("editor")');
      const frame = await until('the frame', () => page.frames().find((each) => each.url().includes('cool.html')));
      await until('its script', () => inEditor(frame, `typeof say === 'function'`).catch(() => undefined));
      await inEditor(frame, `say('UI_Cancel_Password', {})`);
      expect(await event(page, 'onError')).to.deep.nested.include({
        code: 'load_failed',
        'detail.MessageId': 'UI_Cancel_Password',
      });
    });

    it('a connection that ended is told once, the document opened anew, and the next one told again', async () => {
      const frame = await openEditor(page);
      await inEditor(frame, 'lose(), lose()');
      expect(await event(page, 'onError')).to.deep.nested.include({
        code: 'network_error',
        'detail.Values.errorType': 'websocketproxyfailure',
      });
      await until('it is back', async () => (await countTold('onDocumentLoaded')) === 2);
      await inEditor(await editorFrame(page), 'lose()');
      await until('it is back again', async () => (await countTold('onDocumentLoaded')) === 3);
      const told = (await toldBy(page)).filter((name) => name !== 'onReady').map((name) => name.slice(2));
      expect(told.join()).to.equal('DocumentLoaded,Error,DocumentLoaded,Error,DocumentLoaded');
    });

    it('comes back read-only where all places are taken after a minute, and tells so once, and of what is lost', async () => {
      const frame = await openAndType();
      await until('its document is known', () => call<boolean>('editors.editor.getInfo().users.length === 1'));
      gate.orders = { down: true };
      await inEditor(frame, 'lose()');
      await event(page, 'onError');
      await call('void (Date.now = ((plain) => () => plain() + 70_000)(Date.now))');
      gate.orders = { full: true, failLoad: true, loadedAt: 'later' };
      await until('it was tried twice', () => posts().length >= 3);
      gate.orders.failLoad = false;
      await until('it is back', async () => (await countTold('onDocumentLoaded')) === 2);
      expect(await call('editors.editor.getInfo()')).to.include({ mode: 'view', requestedMode: 'edit', limited: true });
      expect(await countTold('onLimitReached')).to.equal(1);
      await hearsOfLoss();
      expect(await run('editors.editor.save()')).to.deep.nested.include({ 'value.unmodified': true });
    });

    it('tells what is lost also where the first answer about the document, asked for at once, comes after the loss', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate.orders = { late: promise, loadedAt: 'later' };
      // Neither the next question comes, nor what is waited for that the editor might still store.
      await call(`void (window.setTimeout = ((plain) => (work, ms) =>
        ms === 1_000 ? 0 : plain(work, ms === 10_000 ? 0 : ms))(setTimeout))`);
      const frame = await openAndType();
      await until('it is asked', () => gate.requests.some((one) => one.startsWith('GET /svc/embed/session/')));
      await inEditor(frame, `say('App_LoadingStatus', { Status: 'Frame_Ready' })`);
      resolve();
      await hearsOfLoss();
    });

    it('a page that sleeps is woken before it is asked to save', async () => {
      const frame = await openEditor(page);
      await inEditor(frame, 'sleep(), type()');
      await event(page, 'onModified');
      expect(await run('editors.editor.save()')).to.deep.nested.include({ 'value.version': 1 });
    });

    it('a document that was closed because nobody used it opens anew when somebody is back, and for a save', async () => {
      const frame = await openEditor(page);
      const idle = `type(), say('Session_Closed', { Reason: 'DocumentIdle' }), autosave(), forget()`;
      await inEditor(frame, idle);
      await event(page, 'onSaved');
      expect(await countTold('onModified')).to.equal(2);
      expect(await run('editors.editor.save()')).to.deep.nested.include({ 'value.unmodified': true });
      const again = await editorFrame(page);
      await inEditor(again, idle);
      await inEditor(again, `say('User_Active', {})`);
      await until('it is back', async () => (await countTold('onDocumentLoaded')) === 3);
      expect(await toldBy(page)).to.not.include('onError');
    });

    it('a document that was closed because nobody used it is not taken for lost: the server lists nobody, the network is back', async () => {
      const frame = await openEditor(page);
      const people = (count: number) => () => call<boolean>(`editors.editor.getInfo().users.length === ${count}`);
      await until('people are known', people(1));
      await inEditor(frame, `say('Session_Closed', { Reason: 'DocumentIdle' }), forget()`);
      gate.orders.nobody = true;
      await inEditor(frame, 'say("UI_Save", {})');
      await until('it is known that nobody is there', people(0));
      await call('void dispatchEvent(new Event("online"))');
      await inEditor(frame, 'new Promise((resolve) => setTimeout(resolve, 100))');
      expect(await asks(frame)).to.deep.equal([]);
      expect(await state()).to.equal('loaded');
    });

    it('a document that the server takes too long to fetch is load_failed, and its session taken back', async () => {
      await call('void (window.hurry = 60)');
      const goOn = slowDown();
      await call('make("editor")');
      expect(await event(page, 'onError')).to.deep.include({ code: 'load_failed', detail: { reason: 'timeout' } });
      goOn();
      await until('it was removed', () => removals().length > 0);
      expect(posts()).to.deep.equal([]);
      expect(await toldBy(page)).to.deep.equal(['onError']);
    });

    for (const [what, order] of [
      ['says nothing', { silent: true }],
      ['is refused by frame-ancestors', { frameAncestors: "'none'" }],
    ] as const) {
      it(`a page that ${what} gets a hint at the policies that may be why`, async () => {
        Object.assign(gate.orders, order);
        await call('void (window.hurry = 30), make("editor")');
        const error = await event<{ code: string; detail: { hint: string; reason: string } }>(page, 'onError');
        expect(error).to.deep.nested.include({ code: 'load_failed', 'detail.reason': 'timeout' });
        for (const word of [portal.origin, 'frame-ancestors', 'Cross-Origin-Embedder-Policy'])
          expect(error.detail.hint).to.contain(word);
        expect(warnings.some((text) => text.includes('frame-ancestors') && text.startsWith('SVC.Editor'))).to.equal(
          true,
        );
      });
    }

    it('takes messages from its own frame only', async () => {
      await openEditor(page);
      const forged = JSON.stringify(JSON.stringify({ MessageId: 'Doc_ModifiedStatus', Values: { Modified: true } }));
      // The page itself; a frame of another origin; another frame of the service's origin.
      await call(`postMessage(${forged}, '*')`);
      for (const address of [`${portal.origin}/`, `${gate.origin}/frame`]) {
        await call(`new Promise((done) => {
          const other = document.createElement('iframe');
          other.src = ${JSON.stringify(address)};
          other.className = 'other';
          other.onload = done;
          document.body.append(other);
        })`);
        const other = page.frames().find((frame) => frame.url() === address && frame !== page.mainFrame());
        expect(other, address).to.not.equal(undefined);
        await other?.evaluate(`parent.postMessage(${forged}, '*'); parent.postMessage(JSON.parse(${forged}), '*')`);
      }
      const frame = await editorFrame(page);
      // These come from the right frame, but are no text, or no message.
      await inEditor(
        frame,
        `parent.postMessage(JSON.parse(${forged}), '*'); parent.postMessage('{', '*');
        parent.postMessage('null', '*'); parent.postMessage('{"MessageId":{}}', '*');
        parent.postMessage('{"MessageId":"Doc_ModifiedStatus","Values":null}', '*')`,
      );
      await inEditor(frame, 'say("UI_Save", {})');
      await call('new Promise((resolve) => setTimeout(resolve, 200))');
      expect(await toldBy(page)).to.deep.equal(['onReady', 'onDocumentLoaded']);
      await inEditor(frame, 'type()');
      expect(await event(page, 'onModified')).to.deep.equal({ modified: true });
    });

    it('asks before the page is left only where that is wanted and something may be lost', async () => {
      const asked = () => call<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
      const frame = await openEditor(page, { warnBeforeUnload: true });
      expect(await asked()).to.equal(false);
      await inEditor(frame, 'type()');
      await event(page, 'onModified');
      expect(await asked()).to.equal(true);
      await run('editors.editor.save()');
      expect(await asked()).to.equal(false);
    });

    it('lives through handlers that throw', async () => {
      await call(
        'make("editor", { events: { onReady() { throw new Error("theirs"); }, onDocumentLoaded() { window.there = true; } } })',
      );
      await until('it is there', () => call<boolean>('window.there === true'));
      await until('it is shown', () => thrown.splice(0).length > 0);
    });
  });
}
