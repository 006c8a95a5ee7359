import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions } from '../../examples/editor/options.ts';

const ADMIN = { user: 'admin', password: 'mật khẩu' };
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;
const BASIC = basic(`${ADMIN.user}:${ADMIN.password}`);
const CONSOLE = '/browser/dist/admin/admin.html';

describe('stand-in editor: discovery, page and admin channel', () => {
  let editor: StandInEditor;

  beforeEach(async () => {
    editor = await start();
  });
  afterEach(() => editor.kill());

  const start = (options: Partial<EditorOptions> = {}): Promise<StandInEditor> =>
    startEditor({ port: 0, host: '127.0.0.1', admin: ADMIN, timings: { uploadGap: 50, giveUp: 40 }, ...options });
  const restart = async (options: Partial<EditorOptions>): Promise<void> => {
    await editor.kill();
    editor = await start(options);
  };
  const get = (path: string, authorization = ''): Promise<Response> =>
    fetch(`${editor.url}${path}`, { headers: { authorization } });

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
  });
});
