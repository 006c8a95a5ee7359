import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { type ApiServer, apiServerMissing, sharedApiServer } from '../support/api-server.ts';
import { API_SERVER_VERSION, KUBERNETES_VERSION } from '../support/kubernetes.ts';
import { processesNaming } from '../support/process.ts';
import { until } from '../support/until.ts';

const START = `
  import { startApiServer } from ${JSON.stringify(resolve(import.meta.dirname, '../support/api-server.ts'))};
  const server = await startApiServer();
  console.log(server.kubeconfig);
  if (process.argv[1] === 'stop') await server.stop(), process.exit();
`;

describe('the API server of tests', function () {
  this.timeout(90_000);
  let server: ApiServer;

  before(async function () {
    if (apiServerMissing()) this.skip();
    server = await sharedApiServer();
  });

  it('is the version of Kubernetes that was asked for', async () => {
    const { serverVersion, clientVersion } = JSON.parse(await server.kubectl(['version', '-o', 'json']));
    expect([serverVersion.gitVersion, clientVersion.gitVersion]).to.deep.equal([
      `v${API_SERVER_VERSION}`,
      `v${KUBERNETES_VERSION}`,
    ]);
  });

  it('gives service accounts tokens that say who they are, with no more rights than they were given', async () => {
    const namespace = await server.namespace();
    const token = await server.serviceAccount(namespace, 'somebody');
    expect(await ask(server, token, `/api/v1/namespaces/${namespace}/secrets`)).to.deep.include({
      status: 403,
      message: `secrets is forbidden: User "system:serviceaccount:${namespace}:somebody" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`,
    });
    expect(await ask(server, server.token, `/api/v1/namespaces/${namespace}/secrets`)).to.deep.include({ status: 200 });
    expect(await ask(server, 'guessed', '/api')).to.deep.include({ status: 401 });
  });

  it('keeps what was written when it is killed and started again', async () => {
    const namespace = await server.namespace();
    await server.kill();
    await server.start();
    expect(await server.kubectl(['get', 'namespace', namespace, '-o', 'name'])).to.equal(`namespace/${namespace}\n`);
  });

  it('leaves no process and no folder behind when it is stopped', async () => {
    const run = await start('stop');
    await run.ended;
    expect([existsSync(run.folder), processesNaming(run.folder)]).to.deep.equal([false, []]);
  });

  it('ends with its test run when that is killed, and the next start removes the folder', async () => {
    const run = await start('stay');
    expect(processesNaming(run.folder)).to.have.lengthOf(2);
    run.child.kill('SIGKILL');
    await until('both have ended', () => processesNaming(run.folder).length === 0 || undefined);
    const next = await start('stop');
    await next.ended;
    expect(existsSync(run.folder)).to.equal(false);
  });
});

async function ask(server: ApiServer, token: string, path: string): Promise<{ status: number; message: string }> {
  const dispatcher = new Agent({ connect: { ca: server.ca } });
  try {
    const answer = await request(server.url + path, { dispatcher, headers: { authorization: `Bearer ${token}` } });
    const { message } = (await answer.body.json()) as { message: string };
    return { status: answer.statusCode, message };
  } finally {
    await dispatcher.destroy();
  }
}

/** An API server of a process of its own, once it is ready. */
async function start(then: 'stop' | 'stay') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', START, then], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, ended, folder: dirname(line.toString().trim()) };
}
