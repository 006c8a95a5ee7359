import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { EditorWatch } from '../../../../cmd/gate/domain/editor-watch.ts';
import type { EditorSample, EditorServer } from '../../../../cmd/gate/domain/ports.ts';
import { createWopiSrcReader } from '../../../../cmd/gate/domain/wopi-src.ts';
import { createEditorServer } from '../../../../cmd/gate/outbound/editor/editor-server.ts';
import { systemClock } from '../../../../src/common/clock.ts';
import { createLogger } from '../../../../src/common/log.ts';
import { DOC, toWopiSrc, WOPI_URL } from '../../../support/gate-openings.ts';
import { portOf } from '../../../support/listen.ts';
import { keepLines, secret } from '../../../support/logs.ts';
import { until } from '../../../support/service.ts';
import { type AdminServer, startAdminServer } from './admin-server.ts';

interface Options {
  password?: string;
  url?: string;
  interval?: number;
  urgent?: () => boolean;
  baseUrl?: string;
}
describe('the admin channel', () => {
  let server: AdminServer;
  let editor: (Pick<EditorServer, 'page'> & Pick<EditorWatch, 'state' | 'sample'> & { stop(): void }) | undefined;
  const samples: EditorSample[] = [];
  const warned: string[] = [];

  const keep = (line: string): void => {
    keepLines(line);
    const { msg, base_url, discovery } = JSON.parse(line) as Record<string, unknown>;
    warned.push([msg, base_url, discovery].filter((part) => part !== undefined).join(' '));
  };

  const start = (options: Options = {}) => {
    samples.length = 0;
    warned.length = 0;
    const log = createLogger({ service: 'gate', level: 'warn', destination: { write: keep } });
    const online = createEditorServer({
      url: options.url ?? server.url,
      adminUser: 'admin',
      adminPassword: options.password ?? secret(server.now.password),
      readWopiSrc: createWopiSrcReader(WOPI_URL),
      clock: systemClock,
      log,
      baseUrl: options.baseUrl,
      isUrgent: async () => options.urgent?.() ?? false,
      sampleIntervalMs: options.interval ?? 40,
    });
    const watch = new EditorWatch({
      editor: online,
      shared: undefined,
      onSample: async (sample) => void samples.push(sample),
      log,
    });
    watch.start();
    editor = {
      ...{ page: online.page, state: watch.state, sample: watch.sample },
      stop() {
        watch.stop();
        online.stop();
      },
    };
    return editor;
  };
  const isState = (state: string) =>
    until(`the state is ${state}`, () => (editor?.state() === state ? true : undefined), 5000);
  const oneMore = (count = samples.length) =>
    until('one more sample', () => (samples.length > count ? samples.at(-1) : undefined), 5000);

  beforeEach(async () => {
    server = await startAdminServer();
  });
  afterEach(async () => {
    editor?.stop();
    await server.stop();
  });

  for (const place of ['set-cookie', 'cookie', 'page'] as const) {
    it(`takes its token from: ${place}`, async () => {
      server.now.tokenIn = place;
      server.now.documents = [{ wopiSrc: toWopiSrc(DOC), views: [{ userId: 'ses_1' }] }];
      expect(start().state()).to.equal('down');
      await isState('ok');
      expect(editor?.sample()?.views[0]?.userId).to.equal('ses_1');
    });
  }

  it('samples again and again over one socket and one login', async () => {
    start();
    await until('five samples', () => samples.length >= 5);
    expect(server.counts).to.include({ logins: 1, sockets: 1 });
    server.now.documents = [{ wopiSrc: toWopiSrc(DOC), views: [{ userId: 'ses_2' }] }];
    await until('the new view', () => samples.at(-1)?.views[0]?.userId === 'ses_2');
  });

  it('samples within a second or so while somebody waits for it, and not before its time otherwise', async () => {
    let urgent = false;
    start({ interval: 60_000, urgent: () => urgent });
    await until('the first sample', () => samples.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(samples).to.have.length(1);
    urgent = true;
    await until('the next', () => samples.length === 2, 5000);
    expect(server.counts.sockets).to.equal(1);
  });

  it('tells a wrong password, and works once it is right', async () => {
    start({ password: secret('not-the-password') });
    await isState('auth_failed');
    const { logins } = server.counts;
    await until('another try', () => server.counts.logins > logins);
    expect(warned).to.have.lengthOf(1);
    expect(warned[0]).to.match(
      /cap is not enforced: the editor refuses SVC_ONLINE_ADMIN_USER or SVC_ONLINE_ADMIN_PASS/,
    );
    expect(editor?.sample()).to.equal(undefined);
    server.now.password = 'not-the-password';
    await isState('ok');
  });

  it('logs in anew after a restart of the editor, keeps the last sample, and forgets the old discovery', async () => {
    start();
    await isState('ok');
    await editor?.page('docx');
    server.forgetTokens();
    server.now.password = 'another';
    server.cut();
    await isState('auth_failed');
    expect(editor?.sample()).to.equal(samples.at(-1));
    server.now.password = 'geheim-genug';
    await isState('ok');
    expect(server.counts.sockets).to.equal(2);
    await editor?.page('docx');
    expect(server.counts.discovery).to.equal(2);
  });

  it('keeps the last good sample through an answer that cannot be read', async () => {
    start();
    await isState('ok');
    const { commands } = server.counts;
    server.now.answer = 'documents {"documents":[{"pid":';
    await until('some such answers', () => server.counts.commands > commands + 3);
    const count = samples.length;
    expect(editor?.state()).to.equal('ok');
    server.now.answer = null;
    await oneMore(count);
    expect(server.counts.sockets).to.equal(1);
  });

  it('takes silence for a dead channel', async () => {
    start();
    await isState('ok');
    server.now.silent = true;
    await isState('down');
    server.now.silent = false;
    await isState('ok');
  });

  it('leaves no connection behind, also where nobody answers its closing', async () => {
    start();
    await isState('ok');
    server.now.dead = true;
    await until('some more sockets', () => server.counts.sockets >= 5, 5000);
    editor?.stop();
    await until('they are closed', () => server.connections() === 0, 5000);
  });

  it('takes a long list', async () => {
    const views = Array.from({ length: 2000 }, (_, index) => ({ userId: `ses_${index}` }));
    server.now.documents = [{ wopiSrc: toWopiSrc(DOC), views }];
    start();
    expect((await oneMore()).views).to.have.length(2000);
  });

  it('tells that no password is set', async () => {
    start({ password: '' });
    await isState('auth_failed');
    expect(warned).to.have.lengthOf(1);
    expect(warned[0]).to.contain('SVC_ONLINE_ADMIN_PASSWORD is not set');
  });

  it('tells once at its start that discovery names another address than SVC_BASE_URL, and again when it changes', async () => {
    start({ baseUrl: 'https://office.example/docs' });
    await isState('ok');
    await editor?.page('docx');
    expect(warned).to.deep.equal([]);
    editor?.stop();
    for (const baseUrl of ['https://other.example', 'http://office.example']) {
      start({ baseUrl });
      const line = await until('it is told', () => warned[0]);
      expect(line).to.contain(`${baseUrl} https://office.example`).and.contain('server_name');
      await isState('ok');
      server.cut();
      await until('it has come back', () => server.counts.sockets >= 2, 5000);
      await editor?.page('docx');
      expect(warned.filter((text) => text.includes('discovery'))).to.have.lengthOf(1);
      editor?.stop();
    }
  });

  it('is down without a token, without a console, and without a server', async () => {
    server.now.tokenIn = 'nowhere';
    start();
    await until('two tries', () => server.counts.logins >= 2);
    expect(editor?.state()).to.equal('down');
    expect(warned, 'though it never worked').to.have.lengthOf(1);
    expect(warned[0]).to.contain('cap is not enforced: the admin console gave no token');
    editor?.stop();
    const free = createServer().listen(0, '127.0.0.1');
    const port = await portOf(free);
    free.close();
    await once(free, 'close');
    expect(start({ url: `http://127.0.0.1:${port}` }).state()).to.equal('down');
  });

  it('comes to an end', async () => {
    start();
    await isState('ok');
    editor?.stop();
    const count = await new Promise<number>((resolve) => setTimeout(() => resolve(server.counts.commands), 50));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(server.counts.commands).to.equal(count);
  });
});
