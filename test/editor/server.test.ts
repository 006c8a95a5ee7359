import { once } from 'node:events';
import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import { WebSocket } from 'ws';
import { FILE_TYPES } from '../../cmd/gate/domain/model.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions, Timings } from '../../examples/editor/options.ts';
import { until } from '../support/until.ts';
import { openEditor } from './client.ts';
import { startWopiHost, type WopiHost } from './wopi-host.ts';

const ADMIN = { user: 'admin', password: 'mật khẩu' };
const BASIC = `Basic ${Buffer.from(`${ADMIN.user}:${ADMIN.password}`).toString('base64')}`;
const TIMINGS: Partial<Timings> = { uploadGap: 50, giveUp: 40 };

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
    startEditor({ port: 0, host: '127.0.0.1', admin: ADMIN, timings: TIMINGS, ...options });
  const restart = async (options: Partial<EditorOptions>): Promise<void> => {
    await editor.kill();
    editor = await start(options);
  };
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${editor.url}${path}`, { headers });

  describe('discovery', () => {
    it('names a page to edit and to view for each of the 12 extensions, and for their types', async () => {
      const response = await get('/hosting/discovery');
      expect(response.headers.get('content-type')).to.match(/^text\/xml/);
      const actions = actionsOf(await response.text());
      for (const ext of FILE_TYPES) {
        for (const name of ['edit', 'view']) {
          const action = actions.find((one) => one.ext === ext && one.name === name);
          expect(action?.urlsrc, `${name} ${ext}`).to.match(new RegExp(`^${editor.url}/browser/\\w+/cool\\.html\\?$`));
        }
      }
      expect(actions.filter(({ ext, name }) => ext === '' && name === 'edit')).to.have.lengthOf(12);
      expect(actions.filter(({ name }) => name === 'getinfo')).to.have.lengthOf(1);
    });

    it('breaks on demand', async () => {
      editor.faults.discovery = 'error';
      expect((await get('/hosting/discovery')).status).to.equal(500);
      editor.faults.discovery = 'broken';
      const text = await (await get('/hosting/discovery')).text();
      expect(() => actionsOf(text)).to.throw();
      editor.faults.discovery = 'hang';
      const hung = await fetch(`${editor.url}/hosting/discovery`, { signal: AbortSignal.timeout(100) }).catch(
        (e: Error) => e.name,
      );
      expect(hung).to.equal('TimeoutError');
    });
  });

  describe('the page', () => {
    const post = (form: Record<string, string>): Promise<Response> =>
      fetch(`${editor.url}${host.session('doc_1', 'an').editor_url}`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });

    it('says what it is, has the fields of the form, escaped, and no script but its own', async () => {
      const response = await post({ access_token: '"><script>alert(1)</script>', access_token_ttl: '17' });
      const text = await response.text();
      expect(text).to.contain('Trình soạn thảo thay thế').and.contain('Stand-in editor');
      expect(text)
        .to.contain('data-access-token="&quot;&gt;&lt;script&gt;alert(1)')
        .and.contain('data-access-token-ttl="17"');
      expect(response.headers.get('content-security-policy')).to.contain("script-src 'self'");
      for (const [, path = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g))
        expect((await get(path)).status, path).to.equal(200);
    });
  });

  it('answers what a front must not let through, also where a question mark stands for a slash', async () => {
    for (const path of [
      '/cool/convert-to',
      '/cool/convert-to/txt',
      '/lool/convert-to/txt',
      '/cool/?convert-to',
      '/cool/get-thumbnail',
      '//hosting//discovery',
    ]) {
      expect((await get(path)).status, path).to.equal(200);
    }
    for (const path of ['/cool/getMetrics', '/cool/?getMetrics', '/browser/dist/admin/admin.html']) {
      expect((await get(path)).status, path).to.equal(401);
      expect((await get(path, { Authorization: BASIC })).status, path).to.equal(200);
    }
  });

  describe('the admin channel', () => {
    const login = async (): Promise<string> => {
      const page = await get('/browser/dist/admin/admin.html', { Authorization: BASIC });
      return /window\.jwtToken = '([^']+)'/.exec(await page.text())?.[1] ?? '';
    };
    const channel = async () => {
      const socket = new WebSocket(`${editor.url}/cool/adminws`, { origin: editor.url });
      const received: string[] = [];
      socket.on('message', (data) => received.push(String(data)));
      await once(socket, 'open');
      return { socket, received, next: (from = received.length) => until('a message', async () => received[from]) };
    };
    const enter = async () => {
      const admin = await channel();
      admin.socket.send(`auth jwt=${await login()}`);
      return {
        ...admin,
        ask: (command: string): Promise<string> => {
          const answer = admin.next();
          admin.socket.send(command);
          return answer;
        },
      };
    };
    const open = (token: string) => openEditor({ server: editor.url, session: host.session('doc_1', token) });

    it('wants the right password, and nobody has an empty one', async () => {
      const wrong = `Basic ${Buffer.from('admin:wrong').toString('base64')}`;
      const refused = await get('/browser/dist/admin/admin.html', { Authorization: wrong });
      expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([401, 'Basic realm="online"']);
      await restart({ admin: { user: '', password: '' } });
      const empty = `Basic ${Buffer.from(':').toString('base64')}`;
      expect((await get('/browser/dist/admin/admin.html', { Authorization: empty })).status).to.equal(401);
      await restart({ admin: null });
      expect((await get('/browser/dist/admin/admin.html', { Authorization: BASIC })).status).to.equal(403);
    });

    it('refuses commands before a login, and tokens that are wrong or of the process before', async () => {
      const old = await login();
      await restart({});
      for (const [command, answer] of [
        ['documents', 'NotAuthenticated'],
        ['auth jwt=wrong', 'InvalidAuthToken'],
        [`auth jwt=${old}`, 'InvalidAuthToken'],
      ] as const) {
        const { socket, next } = await channel();
        const closed = once(socket, 'close');
        socket.send(command);
        expect(await next(0)).to.equal(answer);
        expect((await closed)[0]).to.equal(1000);
      }
    });

    it('lists documents with their views, and tells subscribers who comes, goes and types', async () => {
      host.people.set('xem', { UserCanWrite: false });
      const admin = await enter();
      admin.socket.send('subscribe adddoc rmdoc modifications');
      expect(await admin.ask('documents')).to.equal('documents {"documents":[]}');
      const [an, xem] = [await open('an'), await open('xem')];
      const { documents } = JSON.parse((await answerTo(admin, 'documents')).slice('documents '.length));
      expect(documents).to.have.lengthOf(1);
      expect(documents[0]).to.include({
        activeViews: 2,
        modified: 'No',
        uploaded: 'Yes',
        wopiSrc: `${host.url}/svc/wopi/files/doc_1`,
        wopiHost: '127.0.0.1',
      });
      expect(
        documents[0].views.map((view: Record<string, string>) => [view['userId'], view['userName'], view['readonly']]),
      ).to.deep.equal([
        ['an', 'Tên an', '0'],
        ['xem', 'Tên xem', '1'],
      ]);
      await an.type(' hai');
      await xem.leave();
      await an.leave();
      await until(
        'gone',
        async () => admin.received.filter((text) => text.startsWith('rmdoc ')).length === 2 || undefined,
      );
      const [first, second] = documents[0].views.map((view: Record<string, string>) => view['sessionid']);
      const { pid } = documents[0];
      expect(admin.received.filter((text) => !text.startsWith('documents'))).to.deep.equal([
        `adddoc ${pid} a.txt ${first} ${encodeURIComponent('Tên an')} an ${documents[0].memory} 127.0.0.1 0 ${documents[0].wopiSrc} ${documents[0].docKey}`,
        `adddoc ${pid} a.txt ${second} ${encodeURIComponent('Tên xem')} xem ${documents[0].memory} 127.0.0.1 1 ${documents[0].wopiSrc} ${documents[0].docKey}`,
        `modifications ${pid} Yes`,
        `rmdoc ${pid} ${second}`,
        `modifications ${pid} No`,
        `rmdoc ${pid} ${first}`,
      ]);
      expect(await answerTo(admin, 'active_users_count')).to.equal('active_users_count 0');
    });

    async function answerTo(admin: Awaited<ReturnType<typeof enter>>, command: string): Promise<string> {
      const from = admin.received.length;
      admin.socket.send(command);
      return until(command, async () => admin.received.slice(from).find((text) => text.startsWith(command)));
    }
  });
});

interface Action {
  ext: string;
  name: string;
  urlsrc: string;
}

function actionsOf(xml: string): Action[] {
  const actions: Action[] = [];
  const path: string[] = [];
  const parser = new SaxesParser({});
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    path.push(name);
    if (path.join('/') === 'wopi-discovery/net-zone/app/action') actions.push(attributes as unknown as Action);
    if (name === 'net-zone') expect(attributes['name']).to.equal('external-http');
  });
  parser.on('closetag', () => void path.pop());
  parser.write(xml).close();
  return actions;
}
