import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { parseRefusal } from '../../../cmd/controller/reconcile/pods.ts';
import { NODE_FLAGS } from '../../../src/common/node-flags.ts';
import { type Postgres, postgresOrSkip } from '../../support/postgres.ts';
import { type S3Server, s3Environment, s3Missing, startS3Server } from '../../support/s3-server.ts';

const MAIN = resolve(import.meta.dirname, '../../../cmd/gate/main.ts');
/** Bytes of a log that Kubernetes keeps of a container that has ended (FallbackToLogsOnError). */
const KEPT = 2048;

/** A real gate, a real PostgreSQL and a real S3 server; what the kubelet keeps is cut off here. */
describe('the status repeats why a gate does not start', function () {
  this.timeout(60_000);
  let folder: string;
  let postgres: Postgres;
  let s3: S3Server;
  let database: string;

  before(async function () {
    const missing = s3Missing();
    if (missing) {
      process.stderr.write(`      skipped: ${missing}\n`);
      this.skip();
    }
    postgres = await postgresOrSkip(this);
    folder = await mkdtemp(join(tmpdir(), 'svc-refusal-'));
    s3 = await startS3Server();
    database = await postgres.create();
  });
  after(async () => {
    await postgres?.stop();
    await s3?.dispose();
    if (folder) await rm(folder, { recursive: true });
  });

  async function refusal(changes: Record<string, string>) {
    const gate = spawn(process.execPath, [...NODE_FLAGS, MAIN], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        SVC_GATE_LISTEN: '127.0.0.1:0',
        SVC_GATE_INTERNAL_LISTEN: '127.0.0.1:0',
        SVC_GATE_DATA_DIR: folder,
        SVC_DATABASE_URL: database,
        ...s3Environment(s3),
        ...changes,
      },
    });
    const [output, [code]] = await Promise.all([text(gate.stdout), once(gate, 'exit')]);
    expect(code, output).to.be.oneOf([1, 2]);
    return parseRefusal(Buffer.from(output).subarray(-KEPT).toString());
  }

  const CASES: [what: string, changes: () => Record<string, string>, message: RegExp][] = [
    [
      'a bucket that is not there',
      () => ({ SVC_S3_BUCKET: 'absent' }),
      /^spec\.storage\.s3\.bucket names a bucket that does not exist\.$/,
    ],
    [
      'an unknown access key',
      () => ({ SVC_S3_ACCESS_KEY_ID: 'AKIDOTHER' }),
      /^the access key in the Secret of spec\.storage\.s3 is not known to the object store\.$/,
    ],
    [
      'a wrong secret key',
      () => ({ SVC_S3_SECRET_ACCESS_KEY: 'of-another-key' }),
      /^the secret key in the Secret of spec\.storage\.s3 is not the secret of the access key\.$/,
    ],
    [
      'a database that is not there',
      () => ({ SVC_DATABASE_URL: database.replace(/[^/]+$/, 'absent') }),
      /^the database cannot be used: .*database "absent" does not exist/,
    ],
    [
      'a user that is not there',
      () => ({ SVC_DATABASE_URL: database.replace('svc@', 'stranger@') }),
      /^the database cannot be used: .*role "stranger" does not exist/,
    ],
    [
      'a server that is not there',
      () => ({ SVC_DATABASE_URL: 'postgresql://svc:hidden@127.0.0.1:1/svc' }),
      /^the database cannot be used: (?!.*hidden).*ECONNREFUSED/,
    ],
  ];
  for (const [what, changes, message] of CASES) {
    it(`in words, for ${what}`, async () => {
      const refused = await refusal(changes());
      expect(refused?.message).to.match(message);
      expect(refused?.isOfStorage).to.equal(true);
    });
  }
});
