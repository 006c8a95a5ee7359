import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { EmbedSession, EmbedSessionState } from '../../src/common/generated/wire.ts';
import { socket26 } from '../support/gate-openings.ts';
import { type Gates, type OneGate, startGates } from '../support/gates.ts';
import { usePostgres } from '../support/postgres.ts';
import { useS3Server } from '../support/s3-server.ts';
import { changeMode } from '../support/stack-steps.ts';
import { until } from '../support/until.ts';

describe('several gates on one PostgreSQL and one S3 bucket', function () {
  this.timeout(120_000);
  const s3 = useS3Server();
  const postgres = usePostgres();
  let gates: Gates;
  /** Returns the portal's answer. */
  let receives: () => number | null;

  beforeEach(async () => {
    receives = () => 204;
    gates = await startGates({
      ...{ count: 3, databaseUrl: await postgres.create(), s3 },
      environment: { SVC_GATE_CONNECTION_CAP: '2' },
      receives: () => receives(),
    });
  });
  afterEach(() => gates?.stop());

  const leader = () => until('one leads', () => gates.all.find((gate) => gate.leads()));
  const toSocket = ({ editor_url, form }: EmbedSession) =>
    socket26(String(new URL(editor_url, 'http://x').searchParams.get('WOPISrc')), form.access_token);
  const taken = () => gates.receiver.arrived.filter(({ answer }) => answer === 204);
  const versions = () => taken().map(({ body }) => body.version);
  /** Versions of all deliveries: one that a stop cut off is sent again, as the same. */
  const delivered = () => [
    ...new Map(taken().map(({ headers, body }) => [headers['x-svc-delivery'], body.version])).values(),
  ];
  const getGate = (index: number) => gates.all[index] as OneGate;

  it('hold a save that comes while the database is away until it is back', async () => {
    const session = await gates.create();
    await postgres.kill();
    const saves = gates.all.map((gate, index) => gates.put(session, `held ${index}`, gate));
    await sleep(3_000);
    await postgres.start();
    expect(await Promise.all(saves)).to.deep.equal([200, 200, 200]);
    expect((await gates.state(session)).version).to.equal(3);
  });

  it('serve each request wherever it goes: one document, one row of versions, one cap, one status', async () => {
    expect(gates.all.filter((gate) => gate.leads())).to.have.length(1);
    const [session, second] = await Promise.all([gates.create(), gates.create()]);
    expect(second.doc_id).to.equal(session.doc_id);
    for (const gate of gates.all) expect(await gates.info(session, gate)).to.equal(200);
    const saved = await Promise.all(gates.all.map((gate, index) => gates.put(session, `save ${index}`, gate)));
    expect(saved).to.deep.equal([200, 200, 200]);
    const { version, download_url } = await gates.state(session);
    expect(version).to.equal(3);
    expect(await (await fetch(download_url)).text()).to.match(/^save \d$/);
    const { pathname, search } = new URL(download_url);
    for (const { url } of gates.all)
      expect((await fetch(`${url}${pathname}${search}`)).status, 'a link that any gate signed').to.equal(200);
    await until('all are told', () => versions().length === 3);
    expect(versions()).to.deep.equal([1, 2, 3]);
    const limited = await gates.create({ key: 'another' });
    expect([session.mode, second.mode, limited.mode, limited.limited]).to.deep.equal(['edit', 'edit', 'view', true]);
    for (const gate of gates.all) {
      const { connections, upstream } = await gate.status();
      expect(connections).to.include({ current: 0, pending: 2, limit: 2, limit_reached: true, enforcing: true });
      expect(upstream.editor_server).to.equal('ok');
      await until('all sessions are told', async () => (await gate.status()).embed.sessions === 3);
    }
  });

  it('refuse a session that was deleted elsewhere, and keep the place of its socket', async () => {
    const [session, second] = [await gates.create(), await gates.create()];
    expect(await gates.auth(toSocket(session), getGate(0))).to.equal(200);
    expect((await gates.ask(session, '', { method: 'DELETE' })).status).to.equal(204);
    for (const gate of gates.all) expect(await gates.auth(toSocket(session), gate)).to.equal(403);
    expect(await gates.auth(toSocket(second), getGate(1))).to.equal(200);
    expect((await gates.create()).mode).to.equal('view');
    await changeMode(gates, second, 'view');
    expect((await getGate(2).status()).connections.pending).to.equal(2);
  });

  it('know all what the leader sees: who is in a document', async () => {
    const session = await gates.create();
    const client = await gates.open(session);
    for (const gate of gates.all)
      await until('it is counted', async () => (await gate.status()).connections.current === 1, 30_000);
    for (const { url } of gates.all) {
      const path = `${url}/svc/embed/session/${session.session_id}`;
      const headers = { Authorization: `Bearer ${session.form.access_token}` };
      await until('its user is known', async () => {
        const { users } = (await (await fetch(path, { headers })).json()) as EmbedSessionState;
        return users[0]?.id === 'u1';
      });
    }
    await client.drop();
  });

  it('have another leader within 15 s when theirs is killed, and lose no callback, nor their order', async () => {
    const session = await gates.create();
    receives = () => 500;
    await gates.put(session, 'before');
    await until('the first attempt', () => gates.receiver.arrived.length > 0);
    const dead = await leader();
    receives = () => 204;
    await gates.kill(dead);
    const begun = performance.now();
    expect(await gates.put(session, 'after')).to.equal(200);
    await until('another leads', () => gates.all.find((gate) => gate.leads()));
    await until('all are told', () => versions().length === 2, 30_000);
    expect(versions()).to.deep.equal([1, 2]);
    const { connections } = await (await leader()).status();
    await until('it samples', async () => {
      const { sample_age_seconds: age } = (await (await leader()).status()).connections;
      return age !== null && age < 3;
    });
    expect(connections.enforcing).to.equal(true);
    expect(performance.now() - begun).to.be.lessThan(15_000);
  });

  it('are replaced one by one without a failed request', async () => {
    const session = await gates.create();
    const failed: string[] = [];
    const begun = new AbortController();
    let done = 0;
    const load = async (name: string, act: () => Promise<number>, ok: number) => {
      while (!begun.signal.aborted) {
        const status = await act().catch((error) => String(error.cause ?? error));
        if (status !== ok) failed.push(`${name}: ${status}`);
        else done += 1;
        await sleep(10);
      }
    };
    const loads = [
      load('save', () => gates.put(session, `save ${done}`), 200),
      load('info', () => gates.info(session), 200),
      load('state', async () => (await gates.ask(session)).status, 200),
      load('create', async () => (await gates.create({ key: `key ${done}`.replace(' ', '-') })).doc_id.length, 36),
    ];
    for (const old of [...gates.all]) {
      await gates.add();
      await gates.remove(old);
    }
    begun.abort();
    await Promise.all(loads);
    expect(failed).to.deep.equal([]);
    expect(done).to.be.greaterThan(50);
    const { version } = await gates.state(session);
    await until('all are told', () => delivered().length === version, 30_000);
    expect(delivered()).to.deep.equal(Array.from({ length: version }, (_, index) => index + 1));
  });
});
