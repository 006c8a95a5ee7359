import { randomBytes } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { type Postgres, postgresOrNone } from '../../test/support/postgres.ts';
import { type S3Server, s3Environment, s3Missing, startS3Server } from '../../test/support/s3-server.ts';
import { inRounds } from '../alternate.ts';
import { milliseconds, table, times } from '../format.ts';
import type { Bench, Outcome } from '../measurement.ts';
import { onRelease } from '../releases.ts';
import { stamped } from '../send.ts';
import { median, pairedRatio } from '../statistics.ts';
import { startGate } from '../subjects/gate.ts';

const SAVED_MB = 10;
const WARM_UP_SAVES = 5;
const DEMANDED = 1.3;

/** Saves through PostgreSQL and S3 against what any client needs for the same bytes and one row. */
export async function measureSharedSaves({ options }: Bench): Promise<Outcome> {
  const postgres = s3Missing() ? undefined : await postgresOrNone();
  if (!postgres) return { rows: [], notes: 'Not measured: PostgreSQL or the S3 server of the tests is missing.' };
  const stopPostgres = onRelease(() => postgres.stop());
  const s3 = await startS3Server();
  const stopS3 = onRelease(() => s3.dispose());
  try {
    return await measure(postgres, s3, options.saveRounds);
  } finally {
    await stopS3();
    await stopPostgres();
  }
}

async function measure(postgres: Postgres, s3: S3Server, rounds: number): Promise<Outcome> {
  const gate = await startGate({ SVC_DATABASE_URL: await postgres.create(), ...s3Environment(s3) });
  const plain = await startPlain(s3, await postgres.create());
  const bytes = randomBytes(SAVED_MB * 1024 * 1024);
  try {
    const [saves, plains] = await inRounds(
      { warmUp: WARM_UP_SAVES, rounds },
      (round) => gate.put(stamped(bytes, 2 * round)),
      (round) => plain.put(stamped(bytes, 2 * round + 1)),
    );
    const ratio = pairedRatio(saves, plains);
    return {
      rows: [
        {
          what: `PutFile of ${SAVED_MB} MB through PostgreSQL and S3 against a plain client's PUT and one INSERT`,
          measured: times(ratio),
          demanded: `at most ${times(DEMANDED)}`,
          holds: ratio <= DEMANDED,
        },
      ],
      notes: `The plain client has the bytes in its memory; the gate receives them over HTTP, hashes them, and puts them when it has all of them. PostgreSQL, the S3 server
(versitygw), gate and client share the cores. ${rounds} rounds, both in each, new bytes every time; the ratio is the median of the rounds'.

${table(
  ['of 10 MB', 'median'],
  [
    ['PutFile', milliseconds(median(saves))],
    ["plain client's PUT and INSERT", milliseconds(median(plains))],
  ],
)}`,
    };
  } finally {
    await plain.stop();
    await gate.stop();
  }
}

/** The AWS client and the one of PostgreSQL with their own settings. */
async function startPlain({ settings: { endpoint, region, bucket, credentials } }: S3Server, databaseUrl: string) {
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('CREATE TABLE saved (name TEXT PRIMARY KEY, size BIGINT NOT NULL)');
  let count = 0;
  return {
    /** @returns milliseconds */
    async put(bytes: Buffer): Promise<number> {
      const name = `plain/${++count}`;
      const started = performance.now();
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: bytes }));
      await database.query('INSERT INTO saved VALUES ($1, $2)', [name, bytes.length]);
      return performance.now() - started;
    },
    async stop(): Promise<void> {
      s3.destroy();
      await database.end();
    },
  };
}
