import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../../cmd/local/port.ts';
import { spawnGate, startGateProcess } from '../support/gate.ts';
import { type Postgres, postgresOrSkip } from '../support/postgres.ts';

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

  it('says why it cannot start, without the password', async () => {
    const gate = spawnGate(await environment('one', 'postgresql://svc:hunter2@127.0.0.1:1/svc'));
    expect(await gate.ended).to.equal(1);
    expect(gate.log())
      .to.match(/the database cannot be used: .*ECONNREFUSED/)
      .and.not.contain('hunter2');
  });

  describe('over TLS', () => {
    let authority: string;

    before(async () => {
      authority = await postgres.useTls();
    });

    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      it(`with sslmode=${mode} verifies who the server is`, async () => {
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
});
