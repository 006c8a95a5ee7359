import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'mocha';
import pg from 'pg';
import { findPostgres, POSTGRES_LIB } from '../../cmd/local/store.ts';
import { runEnding } from './at-end.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { ownFolder, removeFolder } from './own-folder.ts';
import { makeAuthority, makeIdentity } from './pki.ts';
import { freePort } from './process.ts';
import { skip } from './skip.ts';
import { until } from './until.ts';
import { useStarted } from './use-started.ts';

/** Starts a server that outlives no loss of power; skips the test, and says why, where this machine has none. */
export async function postgresOrSkip(context: Context): Promise<Postgres> {
  return (await postgresOrNone('fsync=off')) ?? skip(context, `there is no PostgreSQL below ${POSTGRES_LIB}`);
}

/** The same, for the suite around the call. */
export const usePostgres = () => useStarted(postgresOrSkip, (postgres) => postgres.stop());

/** Starts a server, where this machine has one. @param settings of `postgresql.conf`, as `name=value` */
export async function postgresOrNone(...settings: string[]): Promise<Postgres | undefined> {
  const bin = await findPostgres();
  return bin === undefined ? undefined : startPostgres(bin, settings);
}

/** A server of PostgreSQL, which ends with this process. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

let empty: Promise<string> | undefined;

/** Makes what all servers of this process begin with: a folder without databases. @returns its path */
async function makeEmpty(bin: string): Promise<string> {
  const folder = await ownFolder('postgres-empty');
  runEnding.at(() => removeFolder(folder));
  const data = join(folder, 'data');
  const options = ['-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const [program = '', ...parameters] = [...dropRights(folder), join(bin, 'initdb'), ...options];
  execFileSync(program, parameters, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
  return data;
}

/** Starts a server as a user without rights: it refuses to run as root. */
async function startPostgres(bin: string, settings: readonly string[]) {
  const folder = await ownFolder('postgres');
  const data = join(folder, 'data');
  const drop = dropRights(folder);
  empty ??= makeEmpty(bin);
  execFileSync('cp', ['--archive', await empty, data]);
  const port = await freePort();
  let daemon: Daemon | undefined;
  let made = 0;

  const daemons: Daemon[] = [];

  const url = (database: string, at = port): string => `postgresql://svc@127.0.0.1:${at}/${database}`;
  /** Runs one statement in `postgres` as the administrator. */
  async function ask(text: string, at = port): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url('postgres', at) });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Resolves when a statement has a row. */
  const holds = (what: string, query: string) => until(what, async () => (await ask(query)).length > 0);

  /** Starts a server on a folder with its data. */
  async function serve(from: string, at: number): Promise<Daemon> {
    const options = ['-D', from, '-k', folder, '-h', '127.0.0.1', '-p', String(at)];
    for (const setting of settings) options.push('-c', setting);
    const command = [...drop, '--pdeathsig', 'QUIT', join(bin, 'postgres'), ...options];
    const [program = '', ...parameters] = drop.length > 0 ? command : ['setpriv', ...command];
    const started = startDaemon({ command: program, parameters, logFile: join(folder, 'log'), cwd: folder });
    daemons.push(started);
    await until('PostgreSQL answers', () => ask('SELECT 1', at).catch(() => undefined)).catch((error) => {
      throw new Error(started.log(), { cause: error });
    });
    return started;
  }

  async function start(): Promise<void> {
    daemon = await serve(data, port);
  }

  /** Starts a copy that follows it (streaming replication), without which nothing is committed from then on. */
  async function addStandby() {
    const [copy, at] = [join(folder, 'standby'), await freePort()];
    const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'svc'];
    const copying = [...drop, join(bin, 'pg_basebackup'), ...from, '-D', copy, '-R', '-c', 'fast'];
    execFileSync(copying[0] as string, copying.slice(1), { stdio: 'inherit', cwd: folder });
    await serve(copy, at);
    await ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await ask('SELECT pg_reload_conf()');
    await holds('it follows', `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`);
    /** Makes it take changes. */
    const promote = async () => void (await ask('SELECT pg_promote()', at));
    return { port: at, promote };
  }

  /** Lets it speak TLS. @returns path of the certificate of the authority that has signed its own */
  async function useTls(): Promise<string> {
    const authority = await makeAuthority(folder);
    const hosts = ['IP:127.0.0.1'];
    const { certificate, key } = await makeIdentity(folder, 'server', authority, { name: 'server', hosts });
    dropRights(key);
    await ask(`ALTER SYSTEM SET ssl_cert_file = '${certificate}'`);
    await ask(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
    await ask('ALTER SYSTEM SET ssl = on');
    await ask('SELECT pg_reload_conf()');
    await holds('it speaks TLS', `SELECT 1 FROM pg_settings WHERE name = 'ssl' AND setting = 'on'`);
    return authority.certificate;
  }

  await start();
  return {
    port,
    /** The address of the database `postgres`. */
    url: url('postgres'),
    ask: (text: string) => ask(text),
    ...{ start, addStandby, useTls },
    /** The address of a new database. @param at port of a proxy to it */
    async create(at?: number): Promise<string> {
      made += 1;
      const name = `svc_${made}`;
      await ask(`CREATE DATABASE ${name}`);
      return url(name, at);
    },
    /** Ends the server at once. Its children end by themselves after that, and none can start beside them. */
    async kill(): Promise<void> {
      await daemon?.stop('SIGKILL');
      await until('PostgreSQL has ended', () => !isWorkedIn(data));
    },
    async stop(): Promise<void> {
      await Promise.all(daemons.map((one) => one.stop('SIGQUIT')));
      await removeFolder(folder);
    },
  };
}

/** Returns whether a folder is the working directory of a process. */
function isWorkedIn(folder: string): boolean {
  return readdirSync('/proc').some((process) => {
    try {
      return readlinkSync(`/proc/${process}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

/** Gives folders to a user without rights, and returns how to run as that user; nothing where this process has none. */
function dropRights(...folders: string[]): string[] {
  if (process.getuid?.() !== 0) return [];
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })));
  for (const folder of folders) chownSync(folder, Number(uid), Number(gid));
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}
