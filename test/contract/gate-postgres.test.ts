import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import { spawnGate, startGateProcess } from '../support/gate.ts';
import { type Postgres, postgresOrSkip } from '../support/postgres.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe('a gate on PostgreSQL', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let folder: string;

  before(async function () {
    postgres = await postgresOrSkip(this);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-gate-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  after(() => postgres?.stop());

  /** The environment of a gate with a data folder of this name, whose database's address is in a file. */
  async function environment(name: string, url: string) {
    const file = join(folder, `${name}.url`);
    await writeFile(file, `${url}\n`);
    const [port, internalPort, nobody] = await freePorts(3);
    return {
      SVC_GATE_LISTEN: `127.0.0.1:${port}`,
      SVC_GATE_INTERNAL_LISTEN: `127.0.0.1:${internalPort}`,
      SVC_GATE_DATA_DIR: join(folder, name),
      SVC_DATABASE_URL_FILE: file,
      SVC_ONLINE_URL: `http://127.0.0.1:${nobody}`,
      SVC_AUDIT_TARGET: 'off',
    };
  }
  const openDocuments = async (url: string) =>
    ((await (await fetch(`${url}/svc/status`)).json()) as { embed: { open_documents: number } }).embed.open_documents;

  it('starts, refuses a second one in words, and the next one starts after a kill -9', async () => {
    const url = await postgres.create();
    const first = await startGateProcess(await environment('one', url));
    expect(await openDocuments(first.url)).to.equal(0);
    const second = spawnGate(await environment('two', url));
    expect(await second.ended).to.equal(1);
    expect(second.log()).to.contain('another gate works on this database: only one can do so at a time');
    await first.kill();
    const next = await startGateProcess(await environment('one', url));
    expect(await openDocuments(next.url)).to.equal(0);
    await next.stop();
  });

  it('ends when another gate took the database over while it could not reach it', async () => {
    const net = await startTcpProxy(postgres.port);
    const url = await postgres.create(net.port);
    const direct = url.replace(String(net.port), String(postgres.port));
    const first = await startGateProcess(await environment('one', url));
    const ended = once(first.child, 'exit');
    net.blackHole();
    await postgres.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${url.split('/').at(-1)}'`,
    );
    const second = await startGateProcess(await environment('two', direct));
    net.recover();
    expect(await ended).to.deep.equal([1, null]);
    expect(first.log()).to.contain('another gate works on this database');
    await second.stop();
    await net.close();
  });

  it('says why it cannot start, without the password', async () => {
    const gate = spawnGate(await environment('one', 'postgresql://svc:hunter2@127.0.0.1:1/svc'));
    expect(await gate.ended).to.equal(1);
    expect(gate.log())
      .to.match(/the database cannot be used: .*ECONNREFUSED/)
      .and.not.contain('hunter2');
  });
});
