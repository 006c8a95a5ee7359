import { expect } from 'chai';
import type { Frame, Page } from 'puppeteer-core';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { UriForm } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { BROWSERS, shareBrowser } from '../browser/support/browsers.ts';
import { startCanary } from '../support/canary.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';
import { openEditor } from './client.ts';
import { startWopiHost } from './wopi-host.ts';

interface Message {
  MessageId: string;
  Values: Record<string, unknown>;
}

/** A portal that embeds the page that `show` is given, and keeps what the editor says. */
const PORTAL = `<!doctype html><title>portal</title><iframe name="editor"></iframe><script>
const messages = [];
addEventListener('message', ({ data }) => messages.push(JSON.parse(data)));
function show(action, fields) {
  const form = Object.assign(document.createElement('form'), { method: 'post', target: 'editor', action });
  for (const [name, value] of Object.entries(fields)) form.append(Object.assign(document.createElement('input'), { name, value }));
  document.body.append(form);
  form.submit();
}
</script>`;

describe('stand-in editor: its page', function () {
  this.timeout(60_000);
  const installed = BROWSERS.find(({ path }) => path !== undefined);
  const host = useStarted(
    (context) => (installed ? startWopiHost() : context.skip()),
    ({ stop }) => stop(),
  );
  const portal = useStarted(
    () => startCanary((_, response) => response.setHeader('Content-Type', 'text/html').end(PORTAL)),
    ({ close }) => close(),
  );
  let page: Page;
  let editor: StandInEditor;
  const errors: unknown[] = [];
  afterEach(async () => {
    await page.close();
    await editor.kill();
    // A browser may report sockets that found no server.
    const own = errors.splice(0).filter((error) => !/target origin|establish a connection/.test(String(error)));
    expect(own, 'errors in the page').to.deep.equal([]);
  });

  /** Opens a document of two paragraphs in the page, over the WebSocket of a release. */
  async function open(uri: UriForm): Promise<Frame> {
    const origin = `http://127.0.0.1:${portal.port}`;
    host.files.set('doc_1', { name: 'a.docx', bytes: ooxml('docx', { paragraphs: 2 }), stamp: 'first' });
    host.people.set('an', { PostMessageOrigin: origin });
    const timings = { uploadGap: 50, giveUp: 40 };
    editor = await startEditor({ port: 0, host: '127.0.0.1', admin: null, uri, timings });
    page = await (await shareBrowser(installed ?? expect.fail('no browser'))).newPage();
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(origin);
    const { editor_url, form } = host.session('doc_1', 'an');
    await page.evaluate(`show(${JSON.stringify(editor.url + editor_url)}, ${JSON.stringify(form)})`);
    return until('the frame', () => page.frames().find((one) => one.url().includes('cool.html')));
  }
  const messages = (): Promise<Message[]> => page.evaluate('messages') as Promise<Message[]>;
  const heard = (id: string): Promise<Message> =>
    until(id, async () => (await messages()).find(({ MessageId }) => MessageId === id));

  for (const uri of ['25.04', '26.04'] as const)
    it(`opens over the ${uri} WebSocket, says so in the order of the real one, is edited by keyboard, and others see it at once`, async () => {
      const frame = await open(uri);
      await heard('Doc_ModifiedStatus');
      const told = (await messages()).map(({ MessageId, Values }) => [MessageId, Values['Status']].join(' ').trim());
      expect(told).to.deep.equal([
        ...['Initialized', 'Frame_Ready'].map((status) => `App_LoadingStatus ${status}`),
        ...['Action_Load_Resp', 'App_LoadingStatus Document_Loaded', 'View_Added', 'Views_List', 'Doc_ModifiedStatus'],
      ]);
      expect((await heard('Action_Load_Resp')).Values).to.include({ success: true });
      expect((await heard('Views_List')).Values).to.have.nested.property('[0].UserId', 'an');

      await frame.waitForSelector('textarea');
      const other = await openEditor({ server: editor.url, session: host.session('doc_1', 'binh') });
      const [first = '', second = ''] = other.lines();
      await frame.focus('textarea');
      await page.keyboard.press('End');
      await page.keyboard.type('!');
      await page.keyboard.press('Enter');
      await page.keyboard.type('mới');
      await until('the other sees it', () => other.lines()[1] === 'mới');
      expect(other.lines()).to.deep.equal([`${first}!`, 'mới', second]);
      await page.keyboard.press('Home');
      await page.keyboard.press('Backspace');
      await until('joined', () => other.lines().join() === [`${first}!mới`, second].join());
      await other.setLine(1, 'Bình viết');
      await other.addLine('và thêm');
      const shown = () => frame.$$eval('textarea', (lines) => lines.map(({ value }) => value));
      await until('the page sees it', async () => (await shown()).length === 3);
      expect(await shown()).to.deep.equal([`${first}!mới`, 'Bình viết', 'và thêm']);
      await other.leave();
      await heard('View_Removed');
    });
});
