import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import pg from 'pg';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { POSTGRES_SCHEMA, SQLITE_MIGRATIONS } from '../../../../cmd/gate/store/migrations.ts';
import { createPostgresRows } from '../../../../cmd/gate/store/postgres-rows.ts';
import { migrate, openDatabase } from '../../../../cmd/gate/store/sqlite.ts';
import { BEGIN_WRITING, clientOptions, transaction } from '../../../../src/common/sql/postgres-client.ts';
import { migrate as migratePostgres } from '../../../../src/common/sql/postgres-tables.ts';
import { useFolder } from '../../../support/folder.ts';
import { sessionRecord } from '../../../support/gate-records.ts';
import { FACTS, savesBench } from '../../../support/gate-saves.ts';
import { type Postgres, postgresOrSkip } from '../../../support/postgres.ts';

/** The steps of the last release that named bytes by their hash. */
const STEPS = 3;
const CONTENT = 'the same original of two documents';
const SHA256 = hash('sha256', CONTENT);

/** Rows as that release wrote them: two documents whose originals share their bytes. */
const ROWS = ['a', 'b'].flatMap((name) => [
  `INSERT INTO documents (doc_id, key, file_type, title, state, version, created_at, last_view_at, closed_at, callback_url, base_url)
   VALUES ('doc_${name}', 'key-${name}', 'docx', 'Báo cáo.docx', 'open', 0, 1000, 1000, NULL, NULL, 'https://office.example.vn')`,
  `INSERT INTO versions (doc_id, version, sha256, size, saved_at, saved_by, autosave, final, modified_by_user, nonce)
   VALUES ('doc_${name}', 0, '${SHA256}', ${CONTENT.length}, 1000, NULL, 0, 0, 0, NULL)`,
]);

describe('data of a release that named bytes by their hash', function () {
  this.timeout(60_000);
  const place = useFolder('test');
  let folder: string;
  let postgres: Postgres | undefined;

  beforeEach(async () => {
    folder = place.path;
    const shard = join(folder, 'blobs', SHA256.slice(0, 2));
    await mkdir(shard, { recursive: true });
    await writeFile(join(shard, SHA256), CONTENT);
  });
  after(() => postgres?.stop());

  /** Old documents are served and saved, and their bytes go with the last of them. */
  async function work(rows?: Rows): Promise<void> {
    const bench = await savesBench({ folder, clock: Date.now, ...(rows && { wrap: () => ({ rows }) }) });
    try {
      const original = await bench.rows.read((tx) => tx.version('doc_a', 0));
      expect(original).to.include({ blob: SHA256, sha256: SHA256 });
      await bench.cleaning.sweepOrphans();
      expect(await text(bench.blobs.read(original ?? expect.fail('no version')))).to.equal(CONTENT);
      const saved = await bench.saves.save(sessionRecord(), Readable.from([Buffer.from('new')]), FACTS);
      expect(saved).to.include({ version: 1, size: 3 });
      for (const [docId, kept] of [
        ['doc_a', true],
        ['doc_b', false],
      ] as const) {
        await bench.rows.transact(async (tx) => {
          await tx.removeDocument(docId);
          await tx.addRemoval(SHA256, 0);
        });
        await bench.cleaning.sweepBytes();
        expect((await bench.stored()).includes(SHA256), docId).to.equal(kept);
      }
    } finally {
      await bench.stop({ keep: true });
    }
  }

  it('is worked with in a data folder', async () => {
    const database = openDatabase(join(folder, 'gate.db'), (opened) =>
      migrate(opened, SQLITE_MIGRATIONS.slice(0, STEPS)),
    );
    for (const row of ROWS) database.exec(row);
    database.close();
    await work();
  });

  it('is worked with in PostgreSQL, which that release then refuses: it would look for bytes by their hash', async function () {
    postgres = await postgresOrSkip(this);
    const url = await postgres.create();
    const client = new pg.Client(clientOptions(url, 'svc-test'));
    await client.connect();
    const old = { schema: POSTGRES_SCHEMA.schema, steps: POSTGRES_SCHEMA.steps.slice(0, STEPS), oldest: STEPS };
    const asBefore = () => transaction(client, BEGIN_WRITING, (query) => migratePostgres(query, old));
    await asBefore();
    for (const row of ROWS) await client.query(row);
    await work(await createPostgresRows(url));
    expect(await asBefore().catch((error: Error) => error.message)).to.match(/made by a newer release/);
    await client.end();
  });
});
