import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { createBlobs } from '../../../../cmd/gate/store/blobs.ts';
import { openDataDir } from '../../../../cmd/gate/store/data-dir.ts';
import { createPostgresRows } from '../../../../cmd/gate/store/postgres-rows.ts';
import { BEGIN_WRITING, clientOptions, transaction } from '../../../../src/common/sql/postgres-client.ts';
import { migrate } from '../../../../src/common/sql/postgres-tables.ts';
import { useFolder } from '../../../support/folder.ts';
import { documentRecord } from '../../../support/gate-records.ts';
import { rowsContract } from '../../../support/gate-store.ts';
import { postgresOrSkip } from '../../../support/postgres.ts';
import { useStarted } from '../../../support/use-started.ts';

describe('the gate’s rows on PostgreSQL', function () {
  this.timeout(120_000);
  const postgres = useStarted(postgresOrSkip, ({ stop }) => stop());

  const open = createPostgresRows;

  rowsContract('PostgreSQL', async () => {
    const url = await postgres.create();
    return { open: () => open(url), dispose: async () => {} };
  });

  describe('the database', () => {
    let url: string;
    beforeEach(async () => {
      url = await postgres.create();
    });

    async function connected<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result> {
      const client = new pg.Client(clientOptions(url, 'svc-test'));
      await client.connect();
      return use(client).finally(() => client.end());
    }
    const move = (steps: string[], oldest = 1) =>
      connected((client) =>
        transaction(client, BEGIN_WRITING, (query) => migrate(query, { schema: 'svc_schema', steps, oldest })),
      );
    const failure = (promise: Promise<unknown>) => promise.then(() => undefined, String);

    it('moves on by the steps that it lacks, all or nothing, whoever comes at the same time', async () => {
      const steps = ['CREATE TABLE a (x BIGINT)', 'INSERT INTO a VALUES (1)'];
      const id = await move(steps.slice(0, 1));
      expect(await failure(move([...steps, 'CREATE TABLE b (x BIGINT); NONSENSE']))).to.match(/NONSENSE/);
      const more = [...steps, 'INSERT INTO a VALUES (2)'];
      expect(await Promise.all([move(more), move(more), move(more)])).to.deep.equal([id, id, id]);
      const { rows } = await connected((client) => client.query('SELECT x FROM a'));
      expect(rows).to.have.length(2);
      expect(await failure(connected((client) => client.query('SELECT * FROM b')))).to.match(/does not exist/);
    });

    it('is worked with by the release before, unless the one that made it says otherwise', async () => {
      const steps = ['CREATE TABLE a (x BIGINT)', 'CREATE TABLE b (x BIGINT)'];
      await move(steps, 1);
      expect(await failure(move(steps.slice(0, 1)))).to.equal(undefined);
      await move([...steps, 'DROP TABLE a'], 3);
      expect(await failure(move(steps))).to.match(/version is 3, made by a newer release; this one knows 2/);
    });

    it('flushes a commit also where the server’s settings say otherwise', async () => {
      await postgres.ask(`ALTER DATABASE ${url.split('/').at(-1)} SET synchronous_commit = off`);
      const setting = await connected((client) =>
        transaction(client, BEGIN_WRITING, (query) => query('SHOW synchronous_commit', [])),
      );
      expect(setting).to.deep.equal([['on']]);
    });

    it('is refused in words when it cannot be reached, has another encoding, or the password is wrong', async () => {
      expect(await failure(open('postgresql://svc@127.0.0.1:1/svc'))).to.match(/cannot be used: .*ECONNREFUSED/);
      expect(await failure(open(`${url}nowhere`))).to.match(/cannot be used: database ".*nowhere" does not exist/);
      await postgres.ask(`CREATE DATABASE old ENCODING 'LATIN1' TEMPLATE template0`);
      expect(await failure(open(url.replace(/[^/]+$/, 'old')))).to.match(/encoding is LATIN1: UTF8 is needed/);
    });
  });

  describe('a data folder', () => {
    const folder = useFolder('test');

    /** Opens the folder and closes it again. */
    const visit = async (databaseUrl?: string): Promise<number> => {
      const { rows, close } = await openDataDir(folder.path, { databaseUrl });
      const documents = await rows.read((tx) => tx.documents());
      await close();
      return documents.length;
    };
    const failure = (databaseUrl?: string) => visit(databaseUrl).catch((error: Error) => error.message);

    it('belongs to its database: others would take all its bytes for nobody’s', async () => {
      const [url, other] = [await postgres.create(), await postgres.create()];
      const { rows, close } = await openDataDir(folder.path, { databaseUrl: url });
      await rows.transact((tx) => tx.putDocument(documentRecord()));
      await close();
      expect(await visit(url)).to.equal(1);
      expect(await failure(other)).to.match(/belongs to another database/);
      expect(await failure()).to.match(/belongs to a PostgreSQL database: SVC_DATABASE_URL is missing/);
    });

    it('with bytes is the only one of its database: others would have none of them', async () => {
      const url = await postgres.create();
      const other = await mkdtemp(join(tmpdir(), 'svc-store-'));
      expect([await visit(url), await visit(url)]).to.deep.equal([0, 0]);
      const opened = openDataDir(other, { databaseUrl: url });
      expect(await opened.catch((error: Error) => error.message)).to.match(/bytes are in another data folder .*SVC_S3/);
      const { close } = await openDataDir(other, { databaseUrl: url, openBlobs: () => createBlobs(join(other, 'b')) });
      await close();
      await rm(other, { recursive: true });
    });

    it('has no key that signs links of its own: each gate has that of the database, which was that of the first', async () => {
      const url = await postgres.create();
      const key = async () => {
        const { linkSecret, close } = await openDataDir(folder.path, { databaseUrl: url });
        await close();
        return linkSecret.toString('hex');
      };
      const old = 'ab'.repeat(32);
      await writeFile(folder.at('links.key'), Buffer.from(old, 'hex'));
      expect(await key()).to.equal(old);
      await rm(folder.at('links.key'));
      expect(await key()).to.equal(old);
    });

    it('is any folder where the bytes are elsewhere', async () => {
      const openBlobs = () => createBlobs(folder.at('elsewhere'));
      for (const url of [await postgres.create(), await postgres.create()]) {
        const { close } = await openDataDir(folder.path, { databaseUrl: url, openBlobs });
        await close();
      }
      expect(await readdir(folder.path)).to.have.members(['elsewhere', 'incoming', 'lock']);
    });

    it('with a database of its own is not for another one', async () => {
      await visit();
      expect(await failure(await postgres.create())).to.match(/belongs to .*gate\.db/);
    });
  });
});
