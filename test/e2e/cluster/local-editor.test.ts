import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Local, processesIn, startLocal } from '../../support/local.ts';
import { secret } from '../../support/logs.ts';
import { freePort, processesNaming } from '../../support/process.ts';
import { type Sessions, sessionsAt } from '../../support/sessions.ts';
import { skip } from '../../support/skip.ts';
import { download, readLines } from '../../support/stack-steps.ts';
import { until } from '../../support/until.ts';
import { CACHE } from './cluster.ts';
import { besideEngine, docker, type Engine, engineMissing, hasEngine, sharedEngine } from './engine.ts';
import { buildImages } from './images/build.ts';

/** The first run builds everything. */
const COLD_MS = 25 * 60_000;
const START_MS = 120_000;
const SERVICE = [process.execPath, 'cmd/local/main.ts'];
const JWT_SECRET = secret(randomBytes(24).toString('base64url'));

describe('make run EDITOR=docker, with the stand-in in the place of the official image', function () {
  this.timeout(240_000);
  this.retries(0);
  let engine: Engine;
  let image: string;
  let local: Local;

  before(async function () {
    this.timeout(COLD_MS);
    const left = engineMissing();
    if (left !== undefined) skip(this, left);
    engine = await sharedEngine();
    image = (await buildImages(CACHE)).editor;
  });
  afterEach(async () => {
    await local.stop();
    await docker('volume', 'rm', '--force', `svc-${local.port}-quarantine`);
  });

  /** An engine of the tests' own has a network of its own, so both sides need the address of the other one. */
  async function start(more: Record<string, string> = {}, command?: string[]): Promise<void> {
    const internal = `${engine.hostAddress}:${await freePort()}`;
    const apart = {
      SVC_ONLINE_URL: `http://${engine.address}:${await freePort()}`,
      SVC_GATE_WOPI_URL: `http://${internal}`,
      SVC_GATE_INTERNAL_LISTEN: internal,
    };
    const environment = { ...asked(), ...(!hasEngine() && apart), ...more };
    local = await startLocal(environment, command ? { command } : {});
  }

  async function startAgain(): Promise<void> {
    await start({ PORT: String(local.port), SVC_LOCAL_DIR: local.folder });
    await local.isRunning(START_MS);
  }

  const asked = () => ({
    ...(!hasEngine() && { DOCKER_HOST: process.env['DOCKER_HOST'] ?? '' }),
    ...{ SVC_LOCAL_EDITOR: 'docker', SVC_EDITOR_IMAGE: image, SVC_EMBED_JWT_SECRET: JWT_SECRET },
  });

  const containers = async () =>
    (await docker('ps', '--all', '--format', '{{.Names}}', '--filter', `name=^svc-${local.port}-`))
      .split('\n')
      .filter(Boolean);
  const isGone = async () => processesIn(local.folder).length === 0 && (await containers()).length === 0;
  const nothingIsLeft = () => until('no process and no container is left', isGone, 60_000);

  function sessions(): Sessions {
    const origin = `http://localhost:${local.port}`;
    const documentUrl = `http://127.0.0.1:${local.port}/svc/demo/sample.docx`;
    const callbackUrl = `http://127.0.0.1:${local.port}/svc/demo/callback`;
    return sessionsAt(origin, { origin, documentUrl, callbackUrl, jwtSecret: JWT_SECRET });
  }

  it('starts it with the settings of compose.yaml, with what keeps its quarantine, edits, and leaves no container after Ctrl+C', async () => {
    await start();
    await local.isRunning(START_MS);
    const both = ['editor', 'quarantine-keeper'].map((name) => `svc-${local.port}-${name}`);
    expect((await containers()).sort()).to.deep.equal(both);
    const at = sessions();
    await until('the gate knows the editor', async () => (await at.status()).upstream.editor_server === 'ok');
    const session = await at.create({ key: 'one' });
    const client = await at.open(session);
    await client.addLine('trong Docker');
    expect(await at.save(session, client)).to.equal(1);
    // Stored as the editor ends: the gate has to be there for longer.
    await client.addLine('chưa lưu');
    local.child.kill('SIGINT');
    expect(await local.ended, local.said()).to.equal(0);
    expect(local.said()).not.to.contain('does not work');
    await nothingIsLeft();

    await startAgain();
    const lines = readLines(await download((await sessions().state(session)).download_url));
    expect(lines).to.include.members(['trong Docker', 'chưa lưu']);
  });

  it('has it and the gate find each other by itself where the engine is on the same machine', async () => {
    local = await startLocal(asked(), { command: [...(await besideEngine()), ...SERVICE] });
    await local.isRunning(START_MS);
    local.child.kill('SIGTERM');
    expect(await local.ended).to.equal(0);
    // The editor was asked whether it reaches the gate, and the gate's login tried.
    expect(local.said()).to.contain('SVC is running').and.not.contain('does not work');
    expect(local.printed('editor')).to.match(/^http:\/\/127\.0\.0\.1:/);
    await nothingIsLeft();
  });

  it('leaves no container when it is stopped before the container runs', async () => {
    await start();
    const isAsked = () => processesNaming(`server_name=localhost:${local.port}`).length > 0;
    await until('docker run', isAsked, 60_000);
    local.child.kill('SIGINT');
    expect(await local.ended, local.said()).to.equal(0);
    expect(local.said()).to.equal('');
    await nothingIsLeft();
  });

  it('leaves no container when make is killed', async () => {
    await start({}, ['make', '--eval', `service: ; @exec setpriv --pdeathsig TERM -- ${SERVICE.join(' ')}`, 'service']);
    await local.isRunning(START_MS);
    expect(await containers()).to.have.length(2);
    local.child.kill('SIGKILL');
    await nothingIsLeft();
  });

  it('leaves no container when it is killed itself, and takes over from what is left', async () => {
    await start();
    await local.isRunning(START_MS);
    local.child.kill('SIGKILL');
    await nothingIsLeft();
    await docker('create', '--name', `svc-${local.port}-editor`, image);
    await startAgain();
    expect(await containers()).to.have.length(2);
  });

  it('says how the editor’s log ends when it does not start', async () => {
    const broken = `localhost/svc/broken-editor:${process.pid}`;
    const container = (await docker('create', image)).trim();
    await docker('commit', '--change', 'ENTRYPOINT ["sh", "-c", "echo no office here; exit 3"]', container, broken);
    await docker('rm', container);
    await start({ SVC_EDITOR_IMAGE: broken });
    expect(await local.ended).to.equal(3);
    await docker('rmi', broken);
    expect(local.said()).to.match(/editor did not start\. The end of .*editor\.log:\n\nno office here/);
    await nothingIsLeft();
  });

  it('says which image cannot be pulled', async () => {
    const nowhere = 'localhost:1/collabora/code:25.04.9.4.1';
    await start({ SVC_EDITOR_IMAGE: nowhere });
    expect(await local.ended).to.equal(1);
    expect(local.said()).to.match(
      /^Pulling .*\nEDITOR=docker: the image localhost:1\/collabora\/code:25\.04\.9\.4\.1 cannot be pulled: .+\n$/,
    );
    await nothingIsLeft();
  });
});
