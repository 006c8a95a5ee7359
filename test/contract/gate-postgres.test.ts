import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { aloneSettings, spawnGate, startGateProcess } from '../support/gate.ts';
import { type Postgres, postgresOrSkip } from '../support/postgres.ts';

describe('a gate on PostgreSQL with TLS', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let folder: string;
  let authority: string;

  before(async function () {
    postgres = await postgresOrSkip(this);
    authority = await postgres.useTls();
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
    return aloneSettings(join(folder, name), { SVC_DATABASE_URL_FILE: file });
  }

  for (const mode of ['require', 'verify-ca', 'verify-full']) {
    it(`verifies with sslmode=${mode} who the server is`, async () => {
      const url = `${await postgres.create()}?sslmode=${mode}`;
      const stranger = spawnGate(await environment('one', url));
      expect(await stranger.ended).to.equal(1);
      expect(stranger.log())
        .to.match(/the database cannot be used: no known authority has signed .*sslrootcert/)
        .and.not.contain('WARNING');
      const gate = await startGateProcess(await environment('two', `${url}&sslrootcert=${authority}`));
      await gate.stop();
      expect(gate.log()).to.not.contain('WARNING');
    });
  }
});
