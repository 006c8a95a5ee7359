import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { GateStatus } from '../../src/common/generated/wire.ts';
import { secret } from '../support/logs.ts';
import { freePort, processesNaming } from '../support/process.ts';
import { form } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The service as `make run` starts it. */
async function startLocal() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-local-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['cmd/local/main.ts'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: String(port), SVC_LOCAL_DIR: folder },
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

describe('the service on a developer’s machine', function () {
  this.timeout(60_000);
  let local: Awaited<ReturnType<typeof startLocal>>;
  beforeEach(async () => {
    local = await startLocal();
  });
  afterEach(async () => {
    local.child.kill('SIGTERM');
    await local.ended;
    await rm(local.folder, { recursive: true, force: true });
  });

  it('starts, says where and with which key, demonstrates, converts, and leaves nothing behind after Ctrl+C', async () => {
    const { child, folder, said } = local;
    const printed = (what: string) => new RegExp(`^ *${what} +(\\S+)$`, 'm').exec(said())?.[1];
    const address = await until(
      'it says where',
      () => {
        if (child.exitCode !== null) throw new Error(`ended early:\n${said()}`);
        return said().includes('curl') ? printed('address') : undefined;
      },
      50_000,
    );
    const key = secret(printed('API key') ?? '');
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
});
