import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ooxml } from '../../scripts/support/documents.ts';
import type { EmbedSession } from '../../src/common/generated/wire.ts';
import { spawnGate } from '../support/gate.ts';
import { loggedLines } from '../support/logs.ts';
import { usePostgres } from '../support/postgres.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const NO_BASE_URL = 'SVC_BASE_URL is not set';
const CHANGED = Buffer.from(ooxml('docx', { paragraphs: 3 }));

/** A PutFile of which the second half waits. */
function slowPutFile(wopiUrl: string, { doc_id, form }: EmbedSession) {
  const put = request(`${wopiUrl}/svc/wopi/files/${doc_id}/contents?access_token=${form.access_token}`, {
    method: 'POST',
    headers: { 'X-WOPI-Override': 'PUT', 'Content-Length': CHANGED.length },
  });
  const status = new Promise<number>((resolve, reject) => {
    put.on('error', reject).on('response', (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject);
    });
  });
  status.catch(() => {});
  const half = CHANGED.length >> 1;
  const begun = new Promise<void>((resolve) => put.write(CHANGED.subarray(0, half), () => resolve()));
  return { status, begun, finish: () => void put.end(CHANGED.subarray(half)) };
}

const refusesRequests = (url: string) =>
  until('the public side takes no more requests', () =>
    fetch(`${url}/svc/healthz`).then(
      () => undefined,
      () => true,
    ),
  );

describe('the gate process', function () {
  this.timeout(40_000);
  let stack: Stack | undefined;
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });

  it('names every mistake of its configuration and exits 2', async () => {
    const { ended, log } = spawnGate({
      SVC_GATE_LISTEN: 'nowhere',
      SVC_EMBED_JWT_SECRET: 'hunter2',
      SVC_GATE_CONNECTION_CAP: 'all',
    });
    expect(await ended).to.equal(2);
    expect(log()).to.contain('SVC_GATE_LISTEN').and.contain('SVC_EMBED_JWT_SECRET').and.contain('CONNECTION_CAP');
    expect(log()).to.not.contain('hunter2');
  });

  it('says that who opens a document chooses the address in its callbacks, where it was not told its own', async () => {
    const logged = loggedLines().length;
    stack = await startStack();
    const { gate, receiver, environment } = stack;
    const headers = { 'Content-Type': 'application/json', Host: 'elsewhere.example' };
    const opening = request(`${gate.url}/svc/embed/session`, { method: 'POST', headers });
    const opened = once(opening, 'response') as Promise<[IncomingMessage]>;
    opening.end(JSON.stringify({ token: await stack.token() }));
    const put = slowPutFile(environment['SVC_GATE_WOPI_URL'] ?? '', JSON.parse(await text((await opened)[0])));
    put.finish();
    expect(await put.status).to.equal(200);
    const { body } = await until('its callback', () => receiver.arrived[0]);
    expect(String(body['url'])).to.match(/^http:\/\/elsewhere\.example\//);
    expect(loggedLines().slice(logged).join()).to.contain(NO_BASE_URL);
  });

  it('on SIGTERM finishes a save that is under way, exits 0, and has it after the next start', async () => {
    const environment = { SVC_AUDIT_TARGET: 'stdout', SVC_BASE_URL: 'https://office.example' };
    stack = await startStack({ process: true, environment });
    const { gate } = stack;
    expect(gate.log()).not.to.contain(NO_BASE_URL);
    const session = await stack.create();
    const put = slowPutFile(stack.environment['SVC_GATE_WOPI_URL'] ?? '', session);
    await put.begun;
    const second = spawnGate(stack.environment);
    await until('the data folder has its gate', () => second.log().includes('in use by another process') || undefined);
    second.child.kill('SIGTERM');
    expect(await second.ended, 'asked to end while it waits').to.equal(0);

    gate.child?.kill('SIGTERM');
    await until('it is stopping', () => gate.log().includes('stopping') || undefined);
    await refusesRequests(gate.url);
    expect(gate.child?.exitCode).to.equal(null);
    put.finish();
    expect(await put.status).to.equal(200);
    const answered = performance.now();
    await until('it has ended', () => typeof gate.child?.exitCode === 'number' || undefined);
    expect(performance.now() - answered, 'ends at once when all is done').to.be.below(3_000);
    expect(gate.child?.exitCode).to.equal(0);
    const lines = gate
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ audit }) => audit === true).map(({ message }) => message)).to.include.members([
      'service.started',
      'session.created',
      'document.saved',
      'service.stopped',
    ]);

    await stack.restart();
    expect(await stack.state(session)).to.include({ version: 1, size: CHANGED.length });
    await until('its callback', () => stack?.receiver.arrived.find(({ body }) => body.version === 1));
  });

  it('takes saves while a slow download keeps it from stopping', async () => {
    stack = await startStack();
    const { gate } = stack;
    const session = await stack.create();
    const file = `${stack.environment['SVC_GATE_WOPI_URL']}/svc/wopi/files/${session.doc_id}`;
    const save = (body: Buffer<ArrayBuffer>) =>
      fetch(`${file}/contents?access_token=${session.form.access_token}`, {
        method: 'POST',
        headers: { 'X-WOPI-Override': 'PUT' },
        body,
      });
    expect((await save(Buffer.alloc(30_000_000, 'x'))).status).to.equal(200);
    const { pathname, search } = new URL((await stack.state(session)).download_url);
    const download = await fetch(`${gate.url}${pathname}${search}`);
    const stopping = gate.stop();
    await refusesRequests(gate.url);
    expect((await save(CHANGED)).status).to.equal(200);
    await download.body?.cancel();
    await stopping;
    await stack.restart();
    expect(await stack.state(session)).to.include({ version: 2, size: CHANGED.length });
  });

  describe('on PostgreSQL', () => {
    const postgres = usePostgres();

    it('on SIGTERM waits for a save that waits for the database', async () => {
      stack = await startStack({ process: true, environment: { SVC_DATABASE_URL: await postgres.create() } });
      const { gate } = stack;
      const session = await stack.create();
      await postgres.kill();
      const put = slowPutFile(stack.environment['SVC_GATE_WOPI_URL'] ?? '', session);
      put.finish();
      await until('it waits', () => gate.log().includes('a save could not be stored') || undefined);
      gate.child?.kill('SIGTERM');
      await refusesRequests(gate.url);
      // Longer than the moment without a save after which all have ended.
      await sleep(4_000);
      await postgres.start();
      expect(await put.status).to.equal(200);
      await until('it has ended', () => typeof gate.child?.exitCode === 'number' || undefined);
      await stack.restart();
      expect(await stack.state(session)).to.include({ version: 1, size: CHANGED.length });
    });
  });
});
