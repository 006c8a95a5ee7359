import { expect } from 'chai';
import { useFolder } from '../support/folder.ts';
import { aloneSettings, spawnGate, startGateProcess } from '../support/gate.ts';
import { usePostgres } from '../support/postgres.ts';

describe('a gate on PostgreSQL with TLS', function () {
  this.timeout(60_000);
  const postgres = usePostgres();
  const folder = useFolder('test');
  let authority: string;

  before(async () => {
    authority = await postgres.useTls();
  });

  /** The environment of a gate with a data folder of this name, whose database's address is in a file. */
  async function environment(name: string, url: string) {
    return aloneSettings(folder.at(name), { SVC_DATABASE_URL_FILE: await folder.file(`${url}\n`) });
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
