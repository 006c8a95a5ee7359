import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import { startEditor } from '../../examples/editor/editor.ts';
import { ooxml } from '../../scripts/support/documents.ts';
import { signCallback } from '../../src/common/crypto/signature.ts';
import type { EmbedSession, ErrorResponse, GateStatus } from '../../src/common/generated/wire.ts';
import { startCanary } from '../support/canary.ts';
import { callbackReceiver } from '../support/gate-receiver.ts';
import { licensed } from '../support/license.ts';
import { secret } from '../support/logs.ts';
import { freePort, processesNaming } from '../support/process.ts';
import { form } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The service as `make run` starts it. */
async function startLocal(environment: Record<string, string> = {}, earlierLog = '') {
  const folder = await mkdtemp(join(tmpdir(), 'svc-local-'));
  await writeFile(join(folder, 'docbuilder.log'), earlierLog);
  const port = await freePort();
  const child = spawn(process.execPath, ['cmd/local/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: String(port), SVC_LOCAL_DIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, folder, port, ended, said: () => said };
}

/** Processes that were started for a folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`SVC_LOCAL_DIR=${folder}`);
    } catch {
      return false;
    }
  });
}

describe('the service on a developer’s machine', function () {
  this.timeout(60_000);
  let local: Awaited<ReturnType<typeof startLocal>>;
  const isRunning = () =>
    until(
      'it says where',
      () => {
        if (local.child.exitCode !== null) throw new Error(`ended early:\n${local.said()}`);
        return local.said().includes('curl') || undefined;
      },
      50_000,
    );
  const printed = (what: string) => new RegExp(`^ *${what} +(\\S+)$`, 'm').exec(local.said())?.[1] ?? '';
  afterEach(async () => {
    local.child.kill('SIGTERM');
    await local.ended;
    await rm(local.folder, { recursive: true, force: true });
  });

  it('starts, says where and with which key, demonstrates, converts, and leaves nothing behind after Ctrl+C', async () => {
    local = await startLocal();
    const { child, folder, said } = local;
    await isRunning();
    const address = printed('address');
    const key = secret(printed('API key'));
    expect(address).to.equal(`http://localhost:${local.port}`);

    const home = await fetch(`${address}/`);
    expect(home.status).to.equal(200);
    expect(new URL(home.url).pathname, 'the address leads to the demo').to.equal('/svc/demo');
    expect(home.url).to.equal(printed('demo'));
    expect(await home.text()).to.contain('<html');
    await until('the editor is known', async () => {
      const status = (await (await fetch(`${address}/svc/status`)).json()) as GateStatus;
      return status.upstream.editor_server === 'ok' || undefined;
    });
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
    expect(processesNaming(folder)).to.not.have.length(0);
    child.kill('SIGINT');
    expect(await local.ended, said()).to.equal(0);
    await until('no process is left', () => processesNaming(folder).length === 0 || undefined);
    for (const path of ['/svc/healthz', '/v1/status']) {
      const answer = await fetch(`${address}${path}`).catch(() => undefined);
      expect(answer?.status).to.equal(undefined);
    }
  });

  it('has the addresses in discovery that SVC_ONLINE_SERVER_NAME and SVC_ONLINE_SSL_TERMINATION tell', async () => {
    local = await startLocal({ SVC_ONLINE_SERVER_NAME: 'office.example:8443', SVC_ONLINE_SSL_TERMINATION: 'true' });
    await isRunning();
    const xml = await (await fetch(`http://127.0.0.1:${local.port}/hosting/discovery`)).text();
    expect(xml.match(/urlsrc="[^"]*cool.html\?"/g)).to.have.length.greaterThan(9);
    expect(xml).to.match(/urlsrc="https:\/\/office\.example:8443\//);
    expect(xml).not.to.contain('localhost');
  });

  it('leaves nothing behind either when it is stopped before all of it runs', async () => {
    local = await startLocal();
    const { child, folder, said } = local;
    await until('a service begins', () => processesIn(folder).length > 1 || undefined);
    child.kill('SIGINT');
    await local.ended;
    expect(said()).to.equal('');
    await until('no process is left', () => processesIn(folder).length === 0 || undefined);
  });

  it('says which variable is wrong, and ends what runs', async () => {
    local = await startLocal({ SVC_DOCBUILDER_WORKERS: 'many' }, 'of an earlier run\n');
    expect(await local.ended).to.equal(2);
    expect(local.said())
      .to.match(/docbuilder did not start.*SVC_DOCBUILDER_WORKERS/s)
      .and.not.contain('earlier');
    await until('no process is left', () => processesIn(local.folder).length === 0 || undefined);
  });

  it('takes sessions and documents from itself and the ports that are named, and from no other page or port', async () => {
    const portal = await startCanary((_request, response) => void response.end(Buffer.from(ooxml('docx'))));
    const other = await startCanary((_request, response) => void response.end(Buffer.from(ooxml('docx'))));
    try {
      local = await startLocal({ SVC_LOCAL_PORTS: String(portal.port) });
      await isRunning();
      const { port } = local;
      const open = async (origin: string, documentPort: number): Promise<number | string> => {
        const answer = await fetch(`http://127.0.0.1:${port}/svc/embed/session`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: origin },
          body: JSON.stringify({
            document: { url: `http://127.0.0.1:${documentPort}/a.docx`, fileType: 'docx', key: `k-${Math.random()}` },
            editor: { mode: 'view' },
          }),
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
    } finally {
      await Promise.all([portal.close(), other.close()]);
    }
  });

  it('says what is no list of ports', async () => {
    local = await startLocal({ SVC_LOCAL_PORTS: 'all' });
    expect(await local.ended).to.equal(1);
    expect(local.said()).to.match(/^SVC_LOCAL_PORTS=all must list ports of your own pages.*\n$/);
  });

  it('says what is no port', async () => {
    local = await startLocal({ PORT: '80808' });
    expect(await local.ended).to.equal(1);
    expect(local.said()).to.equal('PORT=80808 is not a port number from 1 to 65535, such as make run PORT=8081\n');
  });

  for (const address of ['localhost:9980', 'https://localhost:9980', 'http://localhost:9980/office']) {
    it(`says that ${address} is no editor, before it starts anything`, async () => {
      local = await startLocal({ SVC_ONLINE_URL: address });
      expect(await local.ended).to.equal(1);
      expect(local.said()).to.match(/^SVC_ONLINE_URL=.* must be an address such as http:\/\/localhost:9980: .*\n$/);
    });
  }

  it('signs callbacks of jobs with the secret that it prints, and posts them to hosts that are allowed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-license-'));
    const receiver = await callbackReceiver(() => 204);
    try {
      const license = (await licensed(folder)) as Record<string, string>;
      local = await startLocal({ SVC_FETCH_ALLOW_HOSTS: '127.0.0.1', ...license });
      await isRunning();
      const body = form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf', async: 'true', callback_url: receiver.url });
      const init = { method: 'POST', headers: { Authorization: `Bearer ${secret(printed('API key'))}` }, body };
      expect((await fetch(`${printed('address')}/v1/convert`, init)).status).to.equal(202);
      const { headers, raw } = await until('a callback', () => receiver.arrived[0]);
      const time = Number(headers['x-svc-timestamp']);
      expect(headers['x-svc-signature']).to.equal(signCallback(secret(printed('callback secret')), time, raw));
    } finally {
      await receiver.stop();
      await rm(folder, { recursive: true });
    }
  });

  for (const isTaken of [false, true]) {
    const where = isTaken ? 'the next port, and says so, when that is in use' : 'the port after its own';
    it(`has an editor that runs already fetch documents from ${where}`, async () => {
      const [editorPort = 0, port = 0] = await freePorts(2);
      const editor = await startEditor({ host: '127.0.0.1', port: editorPort, admin: null, wopiAllow: ['127.0.0.1'] });
      const other = createServer();
      if (isTaken) await once(other.listen(port + 1, '127.0.0.1'), 'listening');
      try {
        local = await startLocal({ SVC_ONLINE_URL: editor.url, PORT: String(port) });
        await isRunning();
        const url = `http://127.0.0.1:${port + (isTaken ? 2 : 1)}`;
        expect(local.said()).to.contain(`its documents    ${url}`);
        expect((await fetch(`${url}/svc/wopi/files/doc_1`)).status).to.equal(401);
        expect(local.said().includes(`Port ${port + 1} is in use`)).to.equal(isTaken);
      } finally {
        await editor.stop();
        other.close();
      }
    });
  }

  it('has an editor that runs already fetch documents from where SVC_GATE_WOPI_URL says', async () => {
    const [editorPort = 0, internalPort] = await freePorts(2);
    const editor = await startEditor({ host: '127.0.0.1', port: editorPort, admin: null, wopiAllow: ['127.0.0.2'] });
    try {
      local = await startLocal({
        SVC_ONLINE_URL: editor.url,
        SVC_GATE_INTERNAL_LISTEN: `0.0.0.0:${internalPort}`,
        SVC_GATE_WOPI_URL: `http://127.0.0.2:${internalPort}`,
      });
      await isRunning();
      expect(local.said()).to.match(new RegExp(`its documents +http://127\\.0\\.0\\.2:${internalPort},`));
      const address = `http://localhost:${local.port}`;
      const answer = await fetch(`${address}/svc/embed/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          document: { url: `http://127.0.0.1:${local.port}/svc/demo/sample.docx`, fileType: 'docx', key: 'one' },
          editor: { mode: 'edit', user: { id: 'u', name: 'U' } },
        }),
      });
      const session = (await answer.json()) as EmbedSession;
      const source = new URL(session.editor_url, address).searchParams.get('WOPISrc');
      expect(source, JSON.stringify(session)).to.match(
        new RegExp(`^http://127\\.0\\.0\\.2:${internalPort}/svc/wopi/files/`),
      );
      const token = secret(session.form.access_token);
      expect((await fetch(`${source}?access_token=${token}`)).status).to.equal(200);
    } finally {
      await editor.stop();
    }
  });
});
