import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { openDataDir } from '../../../../cmd/gate/store/data-dir.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { migrate, openDatabase } from '../../../../cmd/gate/store/sqlite.ts';
import { failure } from '../../../support/failure.ts';
import { useFolder } from '../../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../../..');

describe('the gate’s files', () => {
  const folder = useFolder('test');

  const database = (): string => folder.at('gate.db');

  describe('the database', () => {
    it('flushes its log at each commit and checks references', () => {
      const opened = openDatabase(database());
      const pragma = (name: string): unknown => Object.values(opened.prepare(`PRAGMA ${name}`).get() ?? {})[0];
      expect(pragma('journal_mode')).to.equal('wal');
      expect(pragma('synchronous'), 'FULL').to.equal(2);
      expect(pragma('foreign_keys')).to.equal(1);
      opened.close();
    });

    it('is refused while another process has it open', async () => {
      const [module, path] = [join(root, 'cmd/gate/store/sqlite.ts'), database()].map((text) => JSON.stringify(text));
      const program = `import { openDatabase } from ${module};
        try { openDatabase(${path}); } catch (error) { console.log(error.message); }`;
      const rows = await createRows(database());
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
      expect(child.stdout).to.contain('in use by another process');
      await rows.close();
    });

    it('is refused when a newer release made it, and is left as it is', async () => {
      const newer = new DatabaseSync(database());
      newer.exec('PRAGMA user_version = 99');
      newer.close();
      expect((await failure(createRows(database())))?.message).to.match(/gate\.db .*99.*newer release/);
      const after = new DatabaseSync(database());
      expect(after.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables']).to.equal(0);
      after.close();
    });

    it('is refused when it is something else', async () => {
      writeFileSync(database(), 'x'.repeat(10_000));
      expect((await failure(createRows(database())))?.message).to.match(/gate\.db.*not a database/);
    });

    it('moves on by the steps that it lacks, each all or nothing', () => {
      const opened = openDatabase(':memory:');
      const steps = ['CREATE TABLE a (x)', 'INSERT INTO a VALUES (1)'];
      migrate(opened, steps.slice(0, 1));
      expect(() => migrate(opened, [...steps, 'CREATE TABLE b (x); NONSENSE'])).to.throw('NONSENSE');
      migrate(opened, [...steps, 'INSERT INTO a VALUES (2)']);
      migrate(opened, [...steps, 'INSERT INTO a VALUES (2)']);
      expect(opened.prepare('SELECT x FROM a').all()).to.have.length(2);
      expect(() => opened.exec('SELECT * FROM b')).to.throw('no such table');
      opened.close();
    });
  });

  describe('the data folder', () => {
    it('is this user’s alone', async () => {
      const { close } = await openDataDir(folder.at('data'));
      await close();
      expect(statSync(folder.at('data')).mode & 0o777).to.equal(0o700);
      expect(statSync(folder.at('data', 'links.key')).mode & 0o777).to.equal(0o600);
    });

    it('is not taken for one with an embedded database where its database.id cannot be read', async () => {
      symlinkSync('database.id', folder.at('database.id'));
      expect(await failure(openDataDir(folder.path))).to.include({ code: 'ELOOP' });
    });

    it('has one link secret for ever, and no new one is made where it was damaged', async () => {
      const open = async (): Promise<Buffer> => {
        const { linkSecret, close } = await openDataDir(folder.path);
        await close();
        return linkSecret;
      };
      const first = await open();
      expect(first).to.have.length(32);
      expect(await open()).to.deep.equal(first);
      writeFileSync(folder.at('links.key'), 'short');
      expect((await failure(open()))?.message).to.contain('links.key');
      expect(readFileSync(folder.at('links.key'), 'utf8')).to.equal('short');
    });
  });

  it('hold 100 MB that are put and got without the process growing by 64 MiB', () => {
    const script = join(root, 'test/unit/gate/store/gate-blob-memory.ts');
    const grown = Number(execFileSync(process.execPath, [script, folder.path], { encoding: 'utf8' }));
    expect(grown).to.be.within(0, 64 * 1_048_576);
  });
});
