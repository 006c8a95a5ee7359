import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import { startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { useStarted } from '../support/use-started.ts';
import { EditorRefused, openEditor } from './client.ts';
import { startWopiHost } from './wopi-host.ts';

interface Answer {
  status: number;
  text: string;
}

describe('stand-in editor: WebSocket upgrades', () => {
  const start = (options: Partial<EditorOptions> = {}) =>
    startEditor({ port: 0, host: '127.0.0.1', admin: { user: 'admin', password: 'secret word' }, ...options });
  const editor = useStarted(
    () => start(),
    (started) => started.stop(),
  );
  const host = useStarted(startWopiHost, ({ stop }) => stop());
  before(() => {
    host.files.set('doc_1', { name: 'a.docx', bytes: ooxml('docx'), stamp: 'a' });
    host.files.set('doc_2', { name: 'b.txt', bytes: Buffer.from('hai'), stamp: 'b' });
  });

  /** Fills in a path: the document part of a WebSocket URL, its WOPISrc and its token. */
  const fill = (path: string): string => {
    const source = (id: string) => `${host.url}/svc/wopi/files/${id}`;
    const part = (id: string) => encodeURIComponent(`${source(id)}?access_token=AAA&access_token_ttl=0`);
    return path
      .replace('DOC', part('doc_1'))
      .replace('OTHER', part('doc_2'))
      .replace('TWICE', encodeURIComponent(part('doc_1')))
      .replace('HEX', Buffer.from(source('doc_1')).toString('hex'))
      .replace('SRC', `WOPISrc=${encodeURIComponent(source('doc_1'))}&compat=`);
  };
  const isOpen = ({ text }: Answer) => text.includes('docloaded') || text.includes('HTTP/1.1 403');

  for (const [name, path, content] of [
    ['25.04, as the page connects', '/cool/DOC/ws?SRC/ws', 'Độc lập'],
    ['a question mark in the place of the slash', '/cool/DOC?ws', 'Độc lập'],
    ['the document part encoded twice', '/cool/TWICE/ws?SRC/ws', 'Độc lập'],
    ['a WOPISrc that names another document', '/cool/OTHER/ws?SRC/ws', 'hai'],
    ['no WOPISrc', '/cool/DOC/ws', 'Độc lập'],
    ['26.04, as the page connects', '/cool/ws?SRC&access_token=AAA&access_token_ttl=0', 'Độc lập'],
  ] as const) {
    it(`opens the document: ${name}`, async () => {
      const from = host.requests.length;
      const { status, text } = await upgrade(fill(path), isOpen);
      expect(status).to.equal(101);
      expect(text).to.contain('perm: edit').and.contain(content);
      const loaded = host.requests.slice(from).map(({ operation, token }) => `${operation} ${token}`);
      expect(loaded).to.include('CheckFileInfo AAA');
    });
  }

  it('refuses with 400 what opens no document in the real one, though a front may take it for one that does', async () => {
    const paths = `/cool/?ws&SRC /cool/?ws/&SRC //cool//DOC/ws /cool/DOC/ws/more?SRC/ws /cool/DOC/other?SRC/ws /cool/DOC
      /cool/DOC?ws&SRC /lool/DOC/ws?SRC/ws /wasm/DOC /cool/0xHEX/ws /browser/standin1/cool.html?SRC /hosting/discovery`;
    for (const path of paths.split(/\s+/)) expect((await upgrade(fill(path))).status, path).to.equal(400);
  });

  it('opens the admin channel in all its spellings, to its own origin', async () => {
    for (const rest of ['adminws', 'adminws?a=b', 'adminws/x', 'adminws//', '?adminws', '/adminws']) {
      expect((await upgrade(`/cool/${rest}`, ({ status }) => status > 0)).status, rest).to.equal(101);
      expect((await upgrade(`/cool/${rest}`, undefined, 'http://elsewhere.test')).status, rest).to.equal(403);
    }
  });

  it('takes an Origin of its own host, of whatever scheme, and sends others away after the first frame', async () => {
    const path = fill('/cool/DOC/ws?SRC/ws');
    expect((await upgrade(path, isOpen, `https://127.0.0.1:${editor.port}`)).text).to.contain('perm: edit');
    const near = `http://127.0.0.1:${editor.port}.test`;
    for (const origin of [null, 'null', 'http://127.0.0.1', 'http://elsewhere.test', near]) {
      const { text } = await upgrade(path, isOpen, origin);
      expect(text, `${origin}`).to.match(/statusindicator: find.*HTTP\/1\.1 403/s);
      expect(text).not.to.contain('docloaded');
    }
  });

  it('opens, then refuses documents of a host that is not allowed', async () => {
    const strict = await start({ wopiAllow: ['elsewhere.test'] });
    const opening = openEditor({ server: strict.url, session: host.session('doc_1', 'AAA') });
    const error = await opening.catch((thrown: unknown) => thrown);
    await strict.stop();
    expect(error).to.be.instanceOf(EditorRefused);
    expect(error).to.include({ stage: 'load', body: 'error: cmd=internal kind=unauthorized' });
  });

  /** A handshake written by hand; reads until `done` or the end. */
  function upgrade(
    path: string,
    done?: (answer: Answer) => boolean,
    origin: string | null = editor.url,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const answer = { status: 0, text: '' };
      const head = [
        `GET ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${editor.port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
        ...(origin === null ? [] : [`Origin: ${origin}`]),
      ];
      const socket = connect(editor.port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
      socket.setTimeout(5_000, () => socket.destroy(new Error(`no answer to ${path}: ${answer.text}`)));
      socket.on('error', reject).on('close', () => resolve(answer));
      socket.on('data', (chunk) => {
        answer.text += chunk.toString('utf8');
        answer.status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer.text)?.[1] ?? 0);
        if (done?.(answer)) socket.destroy();
      });
    });
  }
});
