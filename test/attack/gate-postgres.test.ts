import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Rows } from '../../cmd/gate/domain/ports.ts';
import { createPostgresRows } from '../../cmd/gate/store/postgres-rows.ts';
import { clientOptions } from '../../src/common/sql/postgres-client.ts';
import { Unavailable } from '../../src/common/unavailable.ts';
import { deliveryRecord, documentRecord, versionRecord } from '../support/gate-records.ts';
import { FACTS, type SavesBench, savesBench } from '../support/gate-saves.ts';
import { refusal } from '../support/outbound.ts';
import { postgresOrSkip } from '../support/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';

const KILLS = Number(process.env['SVC_TEST_KILLS'] ?? 10);
describe('the gate’s rows on a PostgreSQL that fails', function () {
  this.timeout(120_000);
  const postgres = useStarted(postgresOrSkip, ({ stop }) => stop());
  let proxy: TcpProxy | undefined;
  let bench: SavesBench | undefined;
  let opened: Rows[] = [];

  afterEach(async () => {
    await bench?.stop();
    bench = undefined;
    for (const rows of opened) await rows.close();
    opened = [];
    await proxy?.close();
    proxy = undefined;
  });

  async function open(url: string): Promise<Rows> {
    const rows = await createPostgresRows(url);
    opened.push(rows);
    return rows;
  }

  async function openProxied(): Promise<{ rows: Rows; direct: string; net: TcpProxy }> {
    const net = await startTcpProxy(postgres.port);
    proxy = net;
    const url = await postgres.create(net.port);
    return { rows: await open(url), direct: url.replace(String(net.port), String(postgres.port)), net };
  }

  /** The real pieces that take saves, with these rows. */
  async function startSaves(rows: Rows, holdMs = 25_000) {
    const started = await savesBench({ wrap: () => ({ rows }), timings: { holdMs, retryMs: 50 } });
    bench = started;
    opened = opened.filter((other) => other !== rows);
    const session = await started.open({ callbackUrl: 'https://portal.example.vn/cb' });
    return (content: string) => started.save(session, Readable.from([Buffer.from(content)]), FACTS);
  }

  const readVersions = async (rows: Rows) =>
    (await rows.read((tx) => tx.versions('doc_a'))).map(({ version }) => version);
  const terminate = (what: string) =>
    postgres.ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${what} AND pid <> pg_backend_pid()`);

  it('runs work again that waits for other work which waits for it', async () => {
    const url = await postgres.create();
    await (await open(url)).transact(async (tx) => {
      for (const docId of ['doc_a', 'doc_b']) await tx.putDocument(documentRecord({ docId, key: docId }));
    });
    const rows = await open(url);
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const cross = (mine: number, first: string, second: string) =>
      rows.transact(async (tx) => {
        await tx.document(first);
        both[mine as 0 | 1].resolve();
        await Promise.all(both.map(({ promise }) => promise));
        const document = await tx.document(second);
        if (document) await tx.putDocument({ ...document, version: document.version + 1 });
      });
    await Promise.all([cross(0, 'doc_a', 'doc_b'), cross(1, 'doc_b', 'doc_a')]);
    expect((await rows.read((tx) => tx.documents())).map(({ version }) => version)).to.deep.equal([1, 1]);
  });

  it('is Unavailable to who may not wait for a lock as long as that is held', async () => {
    const rows = await open(`${await postgres.create()}?options=-c%20lock_timeout%3D50`);
    await rows.transact((tx) => tx.putDocument(documentRecord({ docId: 'doc_a' })));
    await rows.transact(async (tx) => {
      await tx.document('doc_a');
      const refused = await rows.transact((other) => other.document('doc_a')).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Unavailable);
    });
  });

  it('makes one document of a key that two gates open at the same time', async () => {
    const url = await postgres.create();
    const gates = [await open(url), await open(url)];
    const looked = gates.map(() => Promise.withResolvers<void>());
    const held = await Promise.all(
      gates.map((rows, index) =>
        rows.transact(async (tx) => {
          const found = await tx.documentByKey('one');
          looked[index]?.resolve();
          await Promise.all(looked.map(({ promise }) => promise));
          if (!found) await tx.putDocument(documentRecord({ docId: `doc_${index}`, key: 'one' }));
          return (await tx.documentByKey('one'))?.docId;
        }),
      ),
    );
    expect(new Set(held).size).to.equal(1);
  });

  it('refuses a transaction that did not wait for its own calls, or in which one failed', async () => {
    const rows = await open(await postgres.create());
    const careless = rows.transact((tx) => void tx.putDocument(documentRecord()).catch(() => {}));
    expect(await careless.catch(String)).to.match(/not awaited/);
    const deaf = rows.transact(async (tx) => {
      await tx.putDocument(documentRecord());
      await tx.putVersion(versionRecord({ docId: 'nowhere' })).catch(() => {});
    });
    expect(await deaf.catch(String)).to.match(/failed/);
    expect(await rows.read((tx) => tx.documents())).to.deep.equal([]);
  });

  it('works on after the network cut its connections off', async () => {
    const { rows, net } = await openProxied();
    net.blackHole();
    const lost = rows.transact((tx) => tx.putDocument(documentRecord()));
    await refusal(lost, 'internal');
    net.recover();
    await until('it works again', () => rows.transact((tx) => tx.documents()).catch(() => undefined));
  });

  it('lets a save outlast a server that is killed and started again, which is one version', async () => {
    const rows = await open(await postgres.create());
    const save = await startSaves(rows);
    await postgres.kill();
    const saving = save('new');
    await sleep(1_000);
    await postgres.start();
    expect(await saving).to.include({ version: 1 });
    expect(await readVersions(rows)).to.deep.equal([0, 1]);
  });

  it('answers 503 to a save when the server stays away, and to all else at once', async () => {
    const rows = await open(await postgres.create());
    const save = await startSaves(rows, 1_000);
    await postgres.kill();
    expect(await save('new').catch((error) => error)).to.include({ status: 503 });
    for (const ask of [rows.read, rows.transact])
      expect(await ask((tx) => tx.documents()).catch((error) => error)).to.include({ status: 503 });
    await postgres.start();
    await until('it works again', () => rows.transact((tx) => tx.documents()).catch(() => undefined));
    expect(await save('new')).to.include({ version: 1 });
  });

  it('makes one version of a save whose COMMIT was done and whose answer the network lost', async () => {
    const { rows, direct, net } = await openProxied();
    const save = await startSaves(rows);
    const admin = new pg.Client(clientOptions(direct, 'svc-test'));
    admin.on('error', () => {});
    await admin.connect();
    await admin.query(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON versions DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait()`);
    const saving = save('new');
    const count = async (text: string) => Number((await admin.query(text)).rows[0]?.count) > 0;
    // The save has other transactions before this one.
    const committing = `SELECT count(*) FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`;
    await until('the server commits', () => count(committing));
    net.hold();
    await until('it has committed', () => count('SELECT count(*) FROM versions WHERE version = 1'));
    net.drop();
    net.release();
    await admin.end();
    expect(await saving).to.include({ version: 1 });
    expect(await readVersions(rows)).to.deep.equal([0, 1]);
  });

  it('has every save that was acknowledged, and no gap, whatever is killed', async () => {
    const url = await postgres.create();
    const rows = await open(url);
    await rows.transact((tx) => tx.putDocument(documentRecord()));
    const acknowledged: number[] = [];
    let stopped = false;
    const saving = (async () => {
      while (!stopped) {
        const version = await rows
          .transact(async (tx) => {
            const document = (await tx.document('doc_a')) ?? documentRecord();
            const next = document.version + 1;
            await tx.putDocument({ ...document, version: next });
            await tx.putVersion(versionRecord({ version: next }));
            await tx.addDelivery(deliveryRecord({ version: next }));
            return next;
          })
          .catch(() => undefined);
        if (version === undefined) await sleep(5);
        else acknowledged.push(version);
      }
    })();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = acknowledged.length;
      await until('saves are acknowledged', () => acknowledged.length > before + 3);
      await sleep(randomInt(30));
      if (kill % 2 === 0) await terminate(`datname = '${url.split('/').at(-1)}'`);
      else await postgres.kill().then(() => postgres.start());
    }
    stopped = true;
    await saving;
    const { document, versions, pending } = await until('it works again', () =>
      rows
        .read(async (tx) => ({
          document: await tx.document('doc_a'),
          versions: (await tx.versions('doc_a')).map(({ version }) => version),
          pending: await tx.pendingDeliveries(),
        }))
        .catch(() => undefined),
    );
    expect(versions).to.deep.equal(versions.map((_, index) => index + 1));
    expect(versions).to.include.members(acknowledged);
    expect(new Set(acknowledged).size).to.equal(acknowledged.length);
    expect([document?.version, pending]).to.deep.equal([versions.length, versions.length]);
  });
});
