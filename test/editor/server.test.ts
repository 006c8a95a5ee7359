import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { FILE_TYPES } from '../../cmd/gate/domain/model.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions } from '../../examples/editor/options.ts';
import { editPages } from '../../src/common/editor/discovery-xml.ts';
import { until } from '../support/until.ts';
import { openEditor } from './client.ts';
import { startWopiHost, type WopiHost } from './wopi-host.ts';

const ADMIN = { user: 'admin', password: 'mật khẩu' };
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const BASIC = basic(`${ADMIN.user}:${ADMIN.password}`);
const CONSOLE = '/browser/dist/admin/admin.html';

describe('stand-in editor: discovery, page and admin channel', () => {
  let editor: StandInEditor;
  let host: WopiHost;

  before(async () => {
    host = await startWopiHost();
    host.files.set('doc_1', { name: 'a.txt', bytes: Buffer.from('một'), stamp: 'first' });
  });
  beforeEach(async () => {
    editor = await start();
  });
  afterEach(() => editor.kill());
  after(() => host.stop());

  const start = (options: Partial<EditorOptions> = {}): Promise<StandInEditor> =>
    startEditor({ port: 0, host: '127.0.0.1', admin: ADMIN, timings: { uploadGap: 50, giveUp: 40 }, ...options });
  const restart = async (options: Partial<EditorOptions>): Promise<void> => {
    await editor.kill();
    editor = await start(options);
  };
  const get = (path: string, authorization = ''): Promise<Response> =>
    fetch(`${editor.url}${path}`, { headers: { authorization } });

  it('names a page to edit for each of the 12 extensions, and for their types', async () => {
    const response = await get('/hosting/discovery');
    expect(response.headers.get('content-type')).to.match(/^text\/xml/);
    const text = await response.text();
    const { pages } = editPages(text);
    expect([...pages.keys()]).to.include.members([...FILE_TYPES]);
    for (const page of pages.values()) expect(page).to.match(/^\/browser\/\w+\/cool\.html\?$/);
    expect(text.match(/ext="" name="edit"/g)).to.have.lengthOf(12);
  });

  it('has a page that says what it is, has the fields of the form, escaped, and no script but its own', async () => {
    const body = new URLSearchParams({ access_token: '"><script>alert(1)</script>', access_token_ttl: '17' });
    const response = await fetch(`${editor.url}${host.session('doc_1', 'an').editor_url}`, { method: 'POST', body });
    const text = await response.text();
    expect(text).to.contain('Trình soạn thảo thay thế').and.contain('Stand-in editor');
    expect(text).to.contain('data-access-token="&quot;&gt;&lt;script&gt;alert(1)');
    expect(text).to.contain('data-access-token-ttl="17"');
    expect(response.headers.get('content-security-policy')).to.contain("script-src 'self'");
    for (const [, path = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g))
      expect((await get(path)).status, path).to.equal(200);
  });

  it('answers what a front must not let through, also where a question mark stands for a slash', async () => {
    for (const rest of ['cool/convert-to', 'cool/convert-to/txt', 'lool/convert-to/txt', 'cool/?convert-to'])
      expect((await get(`/${rest}`)).status, rest).to.equal(200);
    for (const path of ['/cool/get-thumbnail', '//hosting//discovery'])
      expect((await get(path)).status, path).to.equal(200);
    for (const path of ['/cool/getMetrics', '/cool/?getMetrics', CONSOLE]) {
      expect((await get(path)).status, path).to.equal(401);
      expect((await get(path, BASIC)).status, path).to.equal(200);
    }
  });

  describe('the admin channel', () => {
    const login = async (): Promise<string> =>
      /window\.jwtToken = '([^']+)'/.exec(await (await get(CONSOLE, BASIC)).text())?.[1] ?? '';
    const channel = async () => {
      const socket = new WebSocket(`${editor.url}/cool/adminws`, { origin: editor.url });
      const received: string[] = [];
      socket.on('message', (data) => received.push(String(data)));
      await once(socket, 'open');
      return { socket, received };
    };
    const open = (token: string) => openEditor({ server: editor.url, session: host.session('doc_1', token) });

    it('wants the right password, and nobody has an empty one', async () => {
      const refused = await get(CONSOLE, basic('admin:wrong'));
      expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([401, 'Basic realm="online"']);
      await restart({ admin: { user: '', password: '' } });
      expect((await get(CONSOLE, basic(':'))).status).to.equal(401);
      await restart({ admin: null });
      expect((await get(CONSOLE, BASIC)).status).to.equal(403);
    });

    it('refuses commands before a login, and tokens that are wrong or of the process before', async () => {
      const old = await login();
      await restart({});
      for (const [command, answer] of [
        ['documents', 'NotAuthenticated'],
        ['auth jwt=wrong', 'InvalidAuthToken'],
        [`auth jwt=${old}`, 'InvalidAuthToken'],
      ] as const) {
        const { socket, received } = await channel();
        const closed = once(socket, 'close');
        socket.send(command);
        expect((await closed)[0]).to.equal(1000);
        expect(received).to.deep.equal([answer]);
      }
    });

    it('lists documents with their views', async () => {
      host.people.set('xem', { UserCanWrite: false });
      const { socket, received } = await channel();
      const ask = async (command: string): Promise<string> => {
        const from = received.length;
        socket.send(command);
        return until(command, () => received.slice(from).find((text) => text.startsWith(command)));
      };
      socket.send(`auth jwt=${await login()}`);
      const isEmpty = async () => (await ask('documents')) === 'documents {"documents":[]}';
      expect(await isEmpty()).to.equal(true);
      const [an, xem] = [await open('an'), await open('xem')];
      const { documents } = JSON.parse((await ask('documents')).slice('documents '.length));
      expect(documents).to.have.lengthOf(1);
      const [{ wopiSrc, views }] = documents;
      expect(documents[0]).to.include({ activeViews: 2, modified: 'No', uploaded: 'Yes', wopiHost: '127.0.0.1' });
      expect(wopiSrc).to.equal(`${host.url}/svc/wopi/files/doc_1`);
      expect(views[0]).to.include({ userId: 'an', userName: 'Tên an', readonly: '0' });
      expect(views[1]).to.include({ userId: 'xem', userName: 'Tên xem', readonly: '1' });
      await xem.leave();
      await an.leave();
      await until('gone', isEmpty);
    });
  });
});
