import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { exists } from '../../src/common/fs/exists.ts';
import type { ServiceOptions } from './service.ts';
import { localSecret, NotPossible } from './settings.ts';

/** Built by scripts/store-tools.sh. */
export const S3_SERVER = resolve(import.meta.dirname, '../../.cache/tools/bin/versitygw');
/** Debian's folder of PostgreSQL's programs, by version. */
export const POSTGRES_LIB = '/usr/lib/postgresql';

/** Returns servers with their data in `folder`. @throws {NotPossible} without their programs */
export async function sharedStore(folder: string, logs: string, ports: [number, number]) {
  const [databasePort, s3Port] = ports;
  const password = await localSecret(folder, 'database-password');
  const secretKey = await localSecret(folder, 's3-secret-key');
  const database = `postgresql://svc:${password}@127.0.0.1:${databasePort}/postgres`;
  return {
    servers: [
      await postgres(folder, logs, { port: databasePort, database }),
      await s3Server(folder, logs, { port: s3Port, secretKey }),
    ],
    environment: {
      SVC_DATABASE_URL: database,
      SVC_S3_BUCKET: 'svc',
      SVC_S3_ENDPOINT: `http://127.0.0.1:${s3Port}`,
      SVC_S3_ACCESS_KEY_ID: 'svc',
      SVC_S3_SECRET_ACCESS_KEY: secretKey,
      SVC_POD_IP: '127.0.0.1',
      // The data of a run without these servers stays apart.
      SVC_GATE_DATA_DIR: join(folder, 'gate'),
      SVC_DOCBUILDER_DATA_DIR: join(folder, 'docbuilder'),
    },
  };
}

/** Returns the folder of the newest PostgreSQL's programs. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = (await readdir(POSTGRES_LIB).catch(() => [])).map(Number).filter(Number.isFinite);
  for (const version of versions.toSorted((one, other) => other - one)) {
    const programs = join(POSTGRES_LIB, String(version), 'bin');
    if (await exists(join(programs, 'initdb'))) return programs;
  }
  return undefined;
}

async function postgres(
  folder: string,
  logs: string,
  { port, database }: { port: number; database: string },
): Promise<ServiceOptions> {
  const programs = await findPostgres();
  if (!programs) throw new NotPossible(`STORE=shared needs PostgreSQL: there is none below ${POSTGRES_LIB}`);
  const data = join(folder, 'postgres');
  if (!(await exists(data))) await initialize(programs, data, join(folder, 'database-password'));
  const [command = '', ...parameters] = asNobody([
    join(programs, 'postgres'),
    ...['-D', data, '-k', '', '-h', '127.0.0.1', '-p', String(port)],
  ]);
  return {
    ...{ name: 'PostgreSQL', command, parameters },
    logFile: join(logs, 'postgres.log'),
    readyUrl: () => accepts(database),
    environment: {},
  };
}

async function initialize(programs: string, data: string, passwordFile: string): Promise<void> {
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  const settings = ['-U', 'svc', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C'];
  const [command = '', ...parameters] = asNobody([join(programs, 'initdb'), '-D', fresh, ...settings]);
  await promisify(execFile)(command, parameters).catch((error: Error & { stderr?: string }) => {
    throw new NotPossible(`PostgreSQL cannot make its folder ${fresh}: ${error.stderr || error.message}`);
  });
  await rename(fresh, data);
}

/** Every machine has it: PostgreSQL looks up its user's name. */
const NOBODY = 65_534;

/** PostgreSQL refuses to run as root: in a user namespace root is another user. */
function asNobody(command: string[]): string[] {
  if (process.getuid?.() !== 0) return command;
  const inside = ['setpriv', '--pdeathsig', 'TERM', '--'];
  return ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, ...inside, ...command];
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function s3Server(
  folder: string,
  logs: string,
  { port, secretKey }: { port: number; secretKey: string },
): Promise<ServiceOptions> {
  if (!(await exists(S3_SERVER))) {
    throw new NotPossible('STORE=shared needs an S3 server: scripts/store-tools.sh builds it, with Go 1.21 or later');
  }
  const [objects, metadata] = ['objects', 'metadata'].map((name) => join(folder, 's3', name)) as [string, string];
  // A folder of the objects is a bucket.
  for (const path of [join(objects, 'svc'), metadata]) await mkdir(path, { recursive: true, mode: 0o700 });
  return {
    name: 'S3 server',
    command: S3_SERVER,
    parameters: [
      ...['--port', `127.0.0.1:${port}`, '--health', '/health', '--quiet'],
      ...['posix', '--sidecar', metadata, objects],
    ],
    logFile: join(logs, 's3.log'),
    readyUrl: `http://127.0.0.1:${port}/health`,
    environment: { ROOT_ACCESS_KEY_ID: 'svc', ROOT_SECRET_ACCESS_KEY: secretKey },
  };
}
