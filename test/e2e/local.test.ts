import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import { findPostgres } from '../../cmd/local/store.ts';
import { type StandInEditor, startEditor } from '../../examples/editor/editor.ts';
import type { EditorOptions } from '../../examples/editor/options.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { signCallback } from '../../src/common/crypto/signature.ts';
import type { EmbedSession, ErrorResponse, GateStatus } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { useFolder } from '../support/folder.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { licensed } from '../support/license.ts';
import { type Local, processesIn, startLocal } from '../support/local.ts';
import { secret } from '../support/logs.ts';
import { processesNaming } from '../support/process.ts';
import { s3Missing } from '../support/s3-server.ts';
import { form } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('the service on a developer’s machine', function () {
  this.timeout(60_000);
  let local: Local;
  /** Ends of the other things that a test has started. */
  const ends: (() => unknown)[] = [];
  async function editorAt(port: number, options: Partial<EditorOptions>): Promise<StandInEditor> {
    const usual = { host: '127.0.0.1', admin: null, wopiAllow: ['127.0.0.1'] };
    const editor = await startEditor({ ...usual, port, ...options });
    ends.push(() => editor.stop());
    return editor;
  }
  const isRunning = () => local.isRunning();
  const printed = (what: string) => local.printed(what);
  afterEach(async () => {
    await local.stop();
    for (const end of ends.splice(0)) await end();
  });
  // Removed once what runs in it has ended.
  const folder = useFolder('test');

  /** A PATH with a program `docker` that is this script. */
  async function withDocker(script: string): Promise<string> {
    await writeFile(folder.at('docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `${folder.path}:${process.env['PATH']}`;
  }

  it('starts, says where and with which key, offers the real editor where Docker answers, demonstrates, converts, and leaves nothing behind after Ctrl+C', async () => {
    local = await startLocal({ PATH: await withDocker('exit 0') });
    const { child, said } = local;
    await isRunning();
    expect(said()).to.match(/^ {2}editor +a stand-in .*; Docker is here, so make run EDITOR=docker starts .*$/m);
    const address = printed('address');
    const key = printed('API key');
    expect(address).to.equal(`http://localhost:${local.port}`);
    const again = await startLocal({ SVC_LOCAL_DIR: local.folder });
    expect(await again.ended).to.equal(1);
    expect(again.said()).to.match(/^The data folder .* cannot be used: .* in use by another process.*\n$/);

    const home = await fetch(`${address}/`);
    expect(home.status).to.equal(200);
    expect(new URL(home.url).pathname, 'the address leads to the demo').to.equal('/svc/demo');
    expect(home.url).to.equal(printed('demo'));
    expect(await home.text()).to.contain('<html');
    await until('the editor is known', () => knowsEditor(address));
    expect((await fetch(`${address}/v1/status`)).status).to.equal(200);

    const converted = await fetch(`${address}/v1/convert`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' }),
    });
    expect(converted.status).to.equal(200);
    expect(
      Buffer.from(await converted.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).to.equal('%PDF-');

    // The terminal gives it to the whole group; the services have groups of their own.
    expect(processesNaming(local.folder)).to.not.have.length(0);
    child.kill('SIGINT');
    expect(await local.ended, said()).to.equal(0);
    await until('no process is left', () => processesNaming(local.folder).length === 0 || undefined);
    for (const path of ['/svc/healthz', '/v1/status']) {
      const answer = await fetch(`${address}${path}`).catch(() => undefined);
      expect(answer?.status).to.equal(undefined);
    }
  });

  it('keeps documents in PostgreSQL and an S3 server with STORE=shared, which end last and have them at the next start', async function () {
    // Two starts of six processes.
    this.timeout(150_000);
    if (s3Missing() !== undefined || !(await findPostgres())) {
      process.stderr.write('      skipped: there is no PostgreSQL, or no S3 server\n');
      this.skip();
    }
    const start = async (): Promise<string> => {
      local = await startLocal({ SVC_LOCAL_STORE: 'shared', SVC_LOCAL_DIR: folder.path });
      await local.isRunning(70_000);
      expect(local.said()).to.contain(`PostgreSQL and an S3 server, ${folder.path}/shared`);
      return printed('address');
    };
    let address = await start();
    const opened = await createSession(address, { url: `${address}/svc/demo/sample.docx` });
    expect(opened.status, await opened.clone().text()).to.equal(201);
    const { session_id: id, form: fields } = (await opened.json()) as EmbedSession;
    secret(fields.access_token);
    expect(await readdir(folder.at('shared/s3/objects/svc'))).to.not.have.length(0);
    local.child.kill('SIGINT');
    expect(await local.ended, local.said()).to.equal(0);
    expect(await readFile(folder.at('gate.log'), 'utf8')).to.not.match(/"level":"(error|fatal)"/);
    await until('no process is left', () => processesNaming(folder.path).length === 0 || undefined);

    address = await start();
    const state = await fetch(`${address}/svc/embed/session/${id}`, {
      headers: { Authorization: `Bearer ${fields.access_token}` },
    });
    expect(state.status).to.equal(200);
  });

  const DOCKER = { SVC_LOCAL_EDITOR: 'docker' };
  const NO_DAEMON = 'echo "Cannot connect to the daemon" >&2; exit 1';
  for (const [environment, said, docker] of [
    [{ ...DOCKER, PATH: '/nowhere' }, /^EDITOR=docker: .*there is no program `docker` on this machine.*\n$/],
    [DOCKER, /^EDITOR=docker: .*answer: Cannot connect to the d.*\n$/, NO_DAEMON],
    [{ PORT: '6000' }, /^No browser opens port 6000\. Choose another: make run PORT=\d+\n$/],
  ] as const) {
    it(`says what is wrong with ${JSON.stringify(environment)}, before it starts anything`, async () => {
      local = await startLocal({ ...(docker && { PATH: await withDocker(docker) }), ...environment });
      expect(await local.ended).to.equal(1);
      expect(local.said()).to.match(said);
    });
  }

  it('ends when make is killed', async () => {
    // The last line of the recipe; the first installs packages.
    const { stdout } = await promisify(execFile)('make', ['--no-print-directory', '--dry-run', 'run']);
    const recipe = `service: ; @${stdout.trim().split('\n').at(-1)?.replaceAll('$', '$$')}`;
    local = await startLocal({}, { command: ['make', '--eval', recipe, 'service', 'EDITOR=stand-in'] });
    await isRunning();
    local.child.kill('SIGKILL');
    await until('no process is left', () => processesIn(local.folder).length === 0 || undefined);
  });

  it('leaves nothing behind either when it is stopped before all of it runs', async () => {
    local = await startLocal();
    await until('a service begins', () => processesIn(local.folder).length > 1 || undefined);
    local.child.kill('SIGINT');
    await local.ended;
    expect(local.said()).to.equal('');
    await until('no process is left', () => processesIn(local.folder).length === 0 || undefined);
  });

  it('says which variable is wrong, and ends what runs', async () => {
    local = await startLocal({ SVC_DOCBUILDER_WORKERS: 'many' }, { earlierLog: 'of an earlier run\n' });
    expect(await local.ended).to.equal(2);
    expect(local.said())
      .to.match(/docbuilder did not start.*SVC_DOCBUILDER_WORKERS/s)
      .and.not.contain('earlier');
    await until('no process is left', () => processesIn(local.folder).length === 0 || undefined);
  });

  it('takes sessions and documents from itself and what is named alone, signs callbacks with the secret that it prints, has the address in discovery that it is told, and ends with its terminal', async () => {
    const portal = await startCanary((_request, response) => void response.end(Buffer.from(ooxml('docx'))));
    const other = await startCanary((_request, response) => void response.end(Buffer.from(ooxml('docx'))));
    const receiver = await callbackReceiver(() => 204);
    ends.push(portal.close, other.close, receiver.stop);
    local = await startLocal({
      ...((await licensed(folder.path)) as Record<string, string>),
      SVC_LOCAL_PORTS: String(portal.port),
      SVC_FETCH_ALLOW_HOSTS: new URL(receiver.url).host,
      SVC_ONLINE_SERVER_NAME: 'office.example:8443',
      SVC_ONLINE_SSL_TERMINATION: 'true',
      SVC_LOCAL_EDITOR: 'stand-in',
      PATH: await withDocker('exit 0'),
    });
    await isRunning();
    expect(local.said(), 'asked for').not.to.contain('EDITOR=docker');
    const { port } = local;
    const xml = await (await fetch(`http://127.0.0.1:${port}/hosting/discovery`)).text();
    expect(xml.match(/urlsrc="https:\/\/office\.example:8443\/[^"]*cool.html\?"/g)).to.have.length.greaterThan(9);
    expect(xml).not.to.contain('localhost');
    const open = async (origin: string, documentPort: number): Promise<number | string> => {
      const answer = await createSession(`http://127.0.0.1:${port}`, {
        url: `http://127.0.0.1:${documentPort}/a.docx`,
        origin,
      });
      const body = (await answer.json()) as Partial<ErrorResponse & EmbedSession>;
      if (body.form) secret(body.form.access_token);
      return body.error?.code ?? answer.status;
    };
    const own = `http://localhost:${port}`;
    expect(await open(own, portal.port)).to.equal(201);
    expect(await open(`http://127.0.0.1:${portal.port}`, portal.port)).to.equal(201);
    expect(await open(own, other.port)).to.equal('url_not_allowed');
    for (const origin of [
      'https://evil.example',
      `http://localhost:${other.port}`,
      'null',
      `http://evil.example:${port}`,
    ]) {
      expect(await open(origin, portal.port), origin).to.equal('origin_not_allowed');
    }
    expect(other.connections).to.equal(0);
    const body = form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf', async: 'true', callback_url: receiver.url });
    const init = { method: 'POST', headers: { Authorization: `Bearer ${printed('API key')}` }, body };
    expect((await fetch(`${printed('address')}/v1/convert`, init)).status).to.equal(202);
    const { headers, raw } = await until('a callback', () => receiver.arrived[0]);
    const time = Number(headers['x-svc-timestamp']);
    expect(headers['x-svc-signature']).to.equal(signCallback(printed('callback secret'), time, raw));
    local.child.kill('SIGHUP');
    expect(await local.ended).to.equal(0);
    await until('no process is left', () => processesIn(local.folder).length === 0 || undefined);
  });

  it('has an editor that runs already fetch documents from the next port, and says so, when the usual one is in use, and says what is wrong with it', async () => {
    const [editorPort = 0, port = 0] = await freePorts(2);
    const editor = await editorAt(editorPort, {});
    const other = createServer();
    ends.push(() => other.close());
    await once(other.listen(port + 1, '127.0.0.1'), 'listening');
    local = await startLocal({ SVC_ONLINE_URL: editor.url, PORT: String(port) });
    await isRunning();
    expect(local.said()).to.include(`its documents    http://127.0.0.1:${port + 2},`);
    expect((await fetch(`http://127.0.0.1:${port + 2}/svc/wopi/files/doc_1`)).status).to.equal(401);
    expect(local.said()).to.include(`Port ${port + 1} is in use`);
    const mistakes = await until('what is wrong', () => local.said().split('does not work with this service:\n')[1]);
    expect(mistakes).to.match(/^ {2}The admin channel does not work, .*$/m);
    expect(mistakes).to.match(/^ {2}Its discovery names .* but browsers find it at http:\/\/localhost:\d+: .*$/m);
  });

  it('takes an editor that runs already, with the password in a file, has it fetch documents from where SVC_GATE_WOPI_URL says, and finds nothing wrong with it', async () => {
    const [editorPort = 0, port = 0, internalPort] = await freePorts(3);
    const admin = { user: 'admin', password: 'editor-password' };
    const editor = await editorAt(editorPort, { admin, serverName: `localhost:${port}` });
    local = await startLocal({
      SVC_LOCAL_EDITOR: 'url',
      SVC_ONLINE_URL: editor.url,
      SVC_ONLINE_ADMIN_PASSWORD_FILE: await folder.file(`${admin.password}\n`),
      PORT: String(port),
      SVC_GATE_INTERNAL_LISTEN: `0.0.0.0:${internalPort}`,
      SVC_GATE_WOPI_URL: `http://127.0.0.1:${internalPort}`,
    });
    await isRunning();
    expect(printed('editor')).to.equal(editor.url);
    expect(local.said()).to.include(`its documents    http://127.0.0.1:${internalPort},`);
    const address = printed('address');
    await until('the editor is known', () => knowsEditor(address));
    const answer = await createSession(address, { url: `http://127.0.0.1:${port}/svc/demo/sample.docx` });
    const session = (await answer.json()) as EmbedSession;
    const source = new URL(session.editor_url, address).searchParams.get('WOPISrc');
    expect(source, JSON.stringify(session)).to.include(`http://127.0.0.1:${internalPort}/svc/wopi/files/`);
    const token = secret(session.form.access_token);
    expect((await fetch(`${source}?access_token=${token}`)).status).to.equal(200);
    local.child.kill('SIGTERM');
    expect(await local.ended).to.equal(0);
    expect(local.said()).not.to.match(/does not work|is in use/);
  });
});

function createSession(
  address: string,
  { url, origin = address }: { url: string; origin?: string },
): Promise<Response> {
  return fetch(`${address}/svc/embed/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({
      document: { url, fileType: 'docx', key: `k-${Math.random()}` },
      editor: { mode: 'edit', user: { id: 'u', name: 'U' } },
    }),
  });
}

async function knowsEditor(address: string): Promise<true | undefined> {
  const status = (await (await fetch(`${address}/svc/status`)).json()) as GateStatus;
  return status.upstream.editor_server === 'ok' || undefined;
}
