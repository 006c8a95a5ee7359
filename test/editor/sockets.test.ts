import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { EditorRefused, openEditor } from './client.ts';
import { startWopiHost, type WopiHost } from './wopi-host.ts';

describe('stand-in editor: WebSocket upgrades', () => {
  let editor: StandInEditor;
  let host: WopiHost;

  before(async () => {
    host = await startWopiHost();
    host.files.set('doc_1', { name: 'a.docx', bytes: ooxml('docx'), stamp: 'a' });
    host.files.set('doc_2', { name: 'b.txt', bytes: Buffer.from('hai'), stamp: 'b' });
    editor = await start();
  });
  after(async () => {
    await editor.stop();
    await host.stop();
  });

  const start = (options: Partial<EditorOptions> = {}): Promise<StandInEditor> =>
    startEditor({ port: 0, host: '127.0.0.1', admin: { user: 'admin', password: 'secret word' }, ...options });
  const source = (id = 'doc_1'): string => `${host.url}/svc/wopi/files/${id}`;
  const document = (id = 'doc_1'): string =>
    encodeURIComponent(`${source(id)}?access_token=AAA&access_token_ttl=0&no_auth_header=`);
  const query = (id = 'doc_1'): string => `WOPISrc=${encodeURIComponent(source(id))}&compat=`;

  const editing: Record<string, () => [path: string, opens: string]> = {
    '25.04, as the page connects': () => [`/cool/${document()}/ws?${query()}/ws`, 'doc_1'],
    'a question mark in the place of the slash': () => [`/cool/${document()}?ws`, 'doc_1'],
    'the document part encoded twice': () => [`/cool/${encodeURIComponent(document())}/ws?${query()}/ws`, 'doc_1'],
    'a WOPISrc that names another document': () => [`/cool/${document('doc_2')}/ws?${query()}/ws`, 'doc_2'],
    'no WOPISrc': () => [`/cool/${document()}/ws`, 'doc_1'],
    '26.04, as the page connects': () => [
      `/cool/ws?${query()}&access_token=AAA&access_token_ttl=0&no_auth_header=`,
      'doc_1',
    ],
  };
  for (const [name, make] of Object.entries(editing)) {
    it(`opens the document: ${name}`, async () => {
      const [path, opens] = make();
      const from = host.requests.length;
      const answer = await upgrade(path, ({ text }) => text.includes('docloaded'));
      expect(answer.status).to.equal(101);
      expect(answer.text).to.contain('perm: edit');
      const loaded = host.requests.slice(from);
      expect(loaded.map(({ operation, token }) => `${operation} ${token}`)).to.include('CheckFileInfo AAA');
      expect(answer.text, 'the content').to.contain(opens === 'doc_2' ? 'hai' : 'Độc lập');
    });
  }

  const refused: Record<string, () => string> = {
    '/cool/?ws&WOPISrc': () => `/cool/?ws&${query()}`,
    '/cool/?ws/&WOPISrc': () => `/cool/?ws/&${query()}`,
    'two slashes before cool': () => `//cool//${document()}/ws`,
    'one more segment': () => `/cool/${document()}/ws/more?${query()}/ws`,
    'another third segment': () => `/cool/${document()}/other?${query()}/ws`,
    'only the document': () => `/cool/${document()}`,
    'ws and more in the query': () => `/cool/${document()}?ws&${query()}`,
    '/lool/': () => `/lool/${document()}/ws?${query()}/ws`,
    '/wasm/': () => `/wasm/${document()}`,
    'the hex form': () => `/cool/0x${Buffer.from(source()).toString('hex')}/ws`,
    'the page': () => `/browser/standin1/cool.html?${query()}`,
    discovery: () => '/hosting/discovery',
  };
  for (const [name, path] of Object.entries(refused)) {
    it(`refuses with 400: ${name}`, async () => {
      expect((await upgrade(path())).status).to.equal(400);
    });
  }

  for (const path of [
    '/cool/adminws',
    '/cool/adminws?a=b',
    '/cool/adminws/x',
    '/cool/adminws//',
    '/cool/?adminws',
    '/cool//adminws',
  ]) {
    it(`opens the admin channel: ${path}`, async () => {
      expect((await upgrade(path, ({ status }) => status > 0)).status).to.equal(101);
      expect((await upgrade(path, undefined, 'http://elsewhere.test')).status).to.equal(403);
    });
  }

  it('takes an Origin of its own host, of whatever scheme, and sends others away after the first frame', async () => {
    const path = `/cool/${document()}/ws?${query()}/ws`;
    const done = ({ text }: Answer): boolean => text.includes('docloaded') || text.includes('403');
    expect((await upgrade(path, done, `https://127.0.0.1:${editor.port}`)).text).to.contain('perm: edit');
    for (const origin of [
      undefined,
      'null',
      'http://127.0.0.1',
      'http://elsewhere.test',
      `http://127.0.0.1:${editor.port}.test`,
    ]) {
      const { text } = await upgrade(path, done, origin ?? null);
      expect(text, origin ?? 'none').to.match(/statusindicator: find.*HTTP\/1\.1 403/s);
      expect(text).not.to.contain('docloaded');
    }
  });

  it('opens, then refuses documents of a host that is not allowed', async () => {
    const strict = await start({ wopiAllow: ['elsewhere.test'] });
    try {
      const error = await openEditor({ server: strict.url, session: host.session('doc_1', 'AAA') }).catch(
        (e: unknown) => e,
      );
      expect(error)
        .to.be.instanceOf(EditorRefused)
        .and.include({ stage: 'load', body: 'error: cmd=internal kind=unauthorized' });
    } finally {
      await strict.stop();
    }
  });

  interface Answer {
    status: number;
    text: string;
  }

  /** A handshake written by hand; reads until `done` or the end. */
  function upgrade(
    path: string,
    done?: (answer: Answer) => boolean,
    origin: string | null = editor.url,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const answer = { status: 0, text: '' };
      const socket = connect(editor.port, '127.0.0.1', () => {
        const head = [
          `GET ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${editor.port}`,
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
          ...(origin === null ? [] : [`Origin: ${origin}`]),
        ];
        socket.write(`${head.join('\r\n')}\r\n\r\n`);
      });
      socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer to ${path}: ${answer.text}`)));
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
      socket.on('data', (chunk) => {
        answer.text += chunk.toString('utf8');
        answer.status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer.text)?.[1] ?? 0);
        if (done?.(answer)) socket.destroy();
      });
    });
  }
});
