import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EditorWatch } from '../../../../cmd/gate/domain/editor-watch.ts';
import type { EditorSample, EditorServer } from '../../../../cmd/gate/domain/ports.ts';
import { createWopiSrcReader } from '../../../../cmd/gate/domain/wopi-src.ts';
import { createEditorServer } from '../../../../cmd/gate/outbound/editor/editor-server.ts';
import { systemClock } from '../../../../src/common/clock.ts';
import { createLogger } from '../../../../src/common/log.ts';
import { DOC, toWopiSrc, WOPI_URL } from '../../../support/gate-openings.ts';
import { listeningPort } from '../../../support/listen.ts';
import { keepLines, secret } from '../../../support/logs.ts';
import { until } from '../../../support/service.ts';
import { type AdminServer, startAdminServer } from './admin-server.ts';

const NOT_ENFORCED = 'cap is not enforced';

describe('the admin channel', () => {
  let server: AdminServer;
  let editor: EditorServer;
  let watch: EditorWatch;
  const samples: EditorSample[] = [];
  const warned: string[] = [];

  const log = createLogger({
    service: 'gate',
    level: 'warn',
    destination: {
      write(line: string) {
        keepLines(line);
        const { msg, base_url, discovery } = JSON.parse(line) as Record<string, unknown>;
        warned.push([msg, base_url, discovery].filter((part) => part !== undefined).join(' '));
      },
    },
  });

  function start(
    options: { password?: string; url?: string; interval?: number; urgent?: () => boolean; baseUrl?: string } = {},
  ) {
    samples.length = 0;
    warned.length = 0;
    editor = createEditorServer({
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
    watch = new EditorWatch({ editor, shared: undefined, onSample: async (sample) => void samples.push(sample), log });
    watch.start();
  }
  function stop(): void {
    watch.stop();
    editor.stop();
  }
  const isState = (state: string) => until(`the state is ${state}`, () => watch.state() === state || undefined, 5000);
  const startWell = async (options?: Parameters<typeof start>[0]) => {
    start(options);
    await isState('ok');
  };
  const list = (...userIds: string[]) => {
    server.now.documents = [{ wopiSrc: toWopiSrc(DOC), views: userIds.map((userId) => ({ userId })) }];
  };

  beforeEach(async () => {
    server = await startAdminServer();
  });
  afterEach(async () => {
    stop();
    await server.stop();
  });

  for (const place of ['set-cookie', 'cookie', 'page'] as const) {
    it(`takes its token from: ${place}`, async () => {
      server.now.tokenIn = place;
      list('ses_1');
      start();
      expect(watch.state()).to.equal('down');
      await isState('ok');
      await until('a sample', () => samples[0]?.views[0]?.userId === 'ses_1');
    });
  }

  it('samples again and again over one socket and one login, also a long list', async () => {
    start();
    await until('five samples', () => samples.length >= 5);
    expect(server.counts).to.include({ logins: 1, sockets: 1 });
    list(...Array.from({ length: 2000 }, (_, index) => `ses_${index}`));
    await until('the new views', () => samples.at(-1)?.views.length === 2000);
  });

  it('samples within a second or so while somebody waits for it, and not before its time otherwise', async () => {
    let urgent = false;
    start({ interval: 60_000, urgent: () => urgent });
    await until('the first sample', () => samples.length === 1);
    await sleep(1_500);
    expect(samples).to.have.length(1);
    urgent = true;
    await until('the next', () => samples.length === 2, 5000);
    expect(server.counts.sockets).to.equal(1);
  });

  it('tells once that the password is wrong or not set, and works once it is right', async () => {
    start({ password: '' });
    await isState('auth_failed');
    expect(warned.join()).to.contain('SVC_ONLINE_ADMIN_PASSWORD is not set');
    stop();
    start({ password: secret('not-the-password') });
    await isState('auth_failed');
    const { logins } = server.counts;
    await until('another try', () => server.counts.logins > logins);
    expect(warned).to.have.lengthOf(1);
    expect(warned[0]).to.contain(`${NOT_ENFORCED}: the editor refuses SVC_ONLINE_ADMIN_USER or SVC_ONLINE_ADMIN_PASS`);
    expect(samples).to.deep.equal([]);
    server.now.password = 'not-the-password';
    await isState('ok');
  });

  it('logs in anew after a restart of the editor, and forgets the old discovery', async () => {
    await startWell();
    await editor.page('docx');
    server.forgetTokens();
    server.now.password = 'another';
    server.cut();
    await isState('auth_failed');
    server.now.password = 'geheim-genug';
    await isState('ok');
    expect(server.counts.sockets).to.equal(2);
    await editor.page('docx');
    expect(server.counts.discovery).to.equal(2);
  });

  it('keeps the last good sample through an answer that cannot be read', async () => {
    await startWell();
    const { commands } = server.counts;
    server.now.answer = 'documents {"documents":[{"pid":';
    await until('some such answers', () => server.counts.commands > commands + 3);
    const count = samples.length;
    expect(watch.state()).to.equal('ok');
    server.now.answer = null;
    await until('one more sample', () => samples.length > count);
    expect(server.counts.sockets).to.equal(1);
  });

  it('takes silence for a dead channel, and leaves no connection where nobody answers its closing', async () => {
    await startWell();
    server.now.silent = true;
    await isState('down');
    server.now.silent = false;
    await isState('ok');
    server.now.dead = true;
    await until('some more sockets', () => server.counts.sockets >= 5, 5000);
    stop();
    await until('they are closed', () => server.connections() === 0, 5000);
    const count = server.counts.commands;
    await sleep(150);
    expect(server.counts.commands, 'it has come to an end').to.equal(count);
  });

  it('tells once at its start that discovery names another address than SVC_BASE_URL, and again when it changes', async () => {
    await startWell({ baseUrl: 'https://office.example/docs' });
    await editor.page('docx');
    expect(warned).to.deep.equal([]);
    for (const baseUrl of ['https://other.example', 'http://office.example']) {
      stop();
      start({ baseUrl });
      const line = await until('it is told', () => warned[0]);
      expect(line).to.contain(`${baseUrl} https://office.example`).and.contain('server_name');
      await isState('ok');
      const { sockets } = server.counts;
      server.cut();
      await until('it has come back', () => server.counts.sockets > sockets, 5000);
      await editor.page('docx');
      expect(warned.filter((text) => text.includes('discovery'))).to.have.lengthOf(1);
    }
  });

  it('is down without a token, without a console, and without a server', async () => {
    server.now.tokenIn = 'nowhere';
    start();
    await until('two tries', () => server.counts.logins >= 2);
    expect(watch.state()).to.equal('down');
    expect(warned, 'though it never worked').to.have.lengthOf(1);
    expect(warned[0]).to.contain(`${NOT_ENFORCED}: the admin console gave no token`);
    stop();
    const free = createServer().listen(0, '127.0.0.1');
    const port = await listeningPort(free);
    free.close();
    await once(free, 'close');
    start({ url: `http://127.0.0.1:${port}` });
    await until('it has tried', () => warned.some((text) => text.includes(NOT_ENFORCED)));
    expect(watch.state()).to.equal('down');
  });
});
