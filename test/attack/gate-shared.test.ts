import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import type { Places } from '../../cmd/gate/domain/places.ts';
import { SharedPlaces } from '../../cmd/gate/domain/places.ts';
import type { Rows, Shared } from '../../cmd/gate/domain/ports.ts';
import { createPostgresRows } from '../../cmd/gate/store/postgres-rows.ts';
import { postgresOrSkip } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';

const LIMIT = 60;

describe('what gates share in a PostgreSQL', function () {
  this.timeout(120_000);
  const postgres = useStarted(postgresOrSkip, ({ stop }) => stop());
  let opened: Rows[] = [];

  afterEach(async () => {
    for (const rows of opened) await rows.close();
    opened = [];
  });

  async function open(url: string): Promise<Shared> {
    const rows = await createPostgresRows(url);
    opened.push(rows);
    return rows.shared as Shared;
  }
  const createPlaces = ({ places }: Shared): Places =>
    new SharedPlaces(places, { limit: () => LIMIT, clock: Date.now });
  const sampleNow = () => ({ at: Date.now(), views: [], documents: 0, modified: [] });

  it('is the lease of one at a time, whoever asks, and free when it was given back', async () => {
    const url = await postgres.create();
    const leases = await Promise.all([open(url), open(url), open(url)].map(async (gate) => (await gate).lease));
    const held = await Promise.all(leases.map((lease) => lease.renew()));
    expect(held.filter(Boolean)).to.have.length(1);
    const leader = leases[held.indexOf(true)];
    expect(await Promise.all(leases.map((lease) => lease.renew()))).to.deep.equal(held);
    for (const lease of leases) if (lease !== leader) await lease.release();
    expect(await leader?.renew()).to.equal(true);
    await leader?.release();
    expect((await Promise.all(leases.map((lease) => lease.renew()))).filter(Boolean)).to.have.length(1);
  });

  it('is the lease of another gate 10 s after the last renewal, and not before', async () => {
    const url = await postgres.create();
    const [dead, next] = [(await open(url)).lease, (await open(url)).lease];
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const pass = (ms: number) => database.query('UPDATE leases SET until = until - $1', [ms]);
    await dead.renew();
    await pass(5_000);
    expect(await next.renew()).to.equal(false);
    await pass(5_000);
    expect(await next.renew()).to.equal(true);
    expect(await dead.renew()).to.equal(false);
    await database.end();
  });

  it('is a text that only who knows its newest version writes', async () => {
    const url = await postgres.create();
    const [one, other] = [(await open(url)).seen, (await open(url)).seen];
    expect(await one.read(0)).to.include({ version: 0, text: undefined });
    expect(await Promise.all([one.write('a', 0), other.write('b', 0)])).to.include.members([true, false]);
    const { version, text, now } = await one.read(0);
    expect([version, ['a', 'b'].includes(String(text)), Math.abs(now - Date.now()) < 5_000]).to.deep.equal([
      1,
      true,
      true,
    ]);
    expect(await other.write('c', 1)).to.equal(true);
    expect(await one.write('d', 1)).to.equal(false);
    expect([(await one.read(1)).text, (await one.read(2)).text]).to.deep.equal(['c', undefined]);
  });

  it('are places for exactly as many as there may be, of gates that ask at the same time and are killed', async () => {
    const url = await postgres.create();
    const mine = createPlaces(await open(url));
    await mine.observe(sampleNow());
    const asking = new URL('./gate-asking-process.ts', import.meta.url);
    const gates = ['a', 'b', 'c'].map((name) => fork(asking, [url, name, String(LIMIT)], { stdio: 'inherit' }));
    await Promise.all(gates.map((gate) => once(gate, 'message')));
    const asked = new Set<unknown>();
    const admitted: string[] = [];
    for (const gate of gates)
      gate.on('message', (sessionIds: string[]) => {
        asked.add(gate);
        admitted.push(...sessionIds);
      });
    for (const gate of gates) gate.send('go');
    const taken = async () => (await mine.use((counting) => counting.figures())).pending;
    await until('all have asked', () => asked.size === gates.length);
    gates[0]?.kill('SIGKILL');
    await until('all places are taken', async () => (await taken()) >= LIMIT);
    gates[1]?.kill('SIGKILL');
    expect(admitted.length).to.be.at.most(LIMIT);
    expect(await taken()).to.equal(LIMIT);
    for (const sessionId of admitted)
      expect(await mine.use((counting) => counting.hasPlace(sessionId)), sessionId).to.equal(true);
    gates[2]?.kill('SIGKILL');
  });

  it('says within some seconds that the database does not answer, and is right again after that', async () => {
    const net = await startTcpProxy(postgres.port);
    const url = await postgres.create(net.port);
    const shared = await open(url);
    const places = createPlaces(shared);
    const ask = async () => places.use((counting) => counting.admit('a'));
    await ask();
    net.blackHole();
    const begun = performance.now();
    const asked = await Promise.allSettled(Array.from({ length: 20 }, ask));
    expect(asked.every(({ status }) => status === 'rejected')).to.equal(true);
    expect(performance.now() - begun).to.be.lessThan(4_500);
    net.recover();
    await until('it answers', () => ask().catch(() => undefined));
    await net.close();
  });
});
