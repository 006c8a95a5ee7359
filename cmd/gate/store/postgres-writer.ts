import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type Client } from 'pg';
import { repeat } from '../../../src/common/repeat.ts';
import { clientOptions, queryOf } from '../../../src/common/sql/postgres-client.ts';
import { Unavailable } from '../../../src/common/unavailable.ts';

/** Advisory locks of PostgreSQL have numbers for names. */
const WRITER_LOCK = 1_398_162_247;
/** The time that the lock may stay with somebody who has ended: the server learns of that a moment later. */
const LOCK_MS = 5_000;
const AGAIN_MS = 250;
const ASK_MS = 5_000;
const KEEPALIVES = [
  ['tcp_keepalives_idle', 10],
  ['tcp_keepalives_interval', 5],
  ['tcp_keepalives_count', 3],
  ['tcp_user_timeout', 25_000],
] as const;

/** The one connection by which rows are changed. */
export interface Writer {
  /**
   * Runs `use` after all that came before it.
   * @throws {Unavailable} while there is no connection; what `use` throws, and then an `Unavailable` ends the connection
   */
  write<Result>(use: (client: Client) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Another gate works on the database. */
export class Taken extends Error {}

/**
 * Opens the connection, whose session holds a lock for as long as it lives. Who has lost the lock has lost the connection
 * with all that was under way on it, so two gates never write. A lost one is opened again.
 * @param onTaken called when another gate has the lock by then: this one is not to go on
 * @throws {Taken}, or why the database cannot be reached
 */
export async function openWriter(url: string, onTaken: (error: Taken) => void): Promise<Writer> {
  let client: Client | undefined;
  let session: readonly unknown[] = [];
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function open(): Promise<void> {
    const opened = new pg.Client(clientOptions(url));
    opened.on('error', () => drop(opened));
    opened.on('end', () => drop(opened));
    try {
      await opened.connect();
      session = await takeLock(opened, session);
    } catch (error) {
      drop(opened);
      throw error;
    }
    client = opened;
  }

  /** Ends a connection without waiting for its other end. */
  function drop(dropped: Client): void {
    void dropped.end().catch(() => {});
    if (client !== dropped) return;
    client = undefined;
    void reopen();
  }

  async function reopen(): Promise<void> {
    while (!closed && !client) {
      await open().catch((error: unknown) => {
        if (error instanceof Taken) onTaken(error);
      });
      if (!client) await sleep(AGAIN_MS);
    }
    if (closed) await client?.end();
  }

  async function use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const used = client;
    if (!used) throw new Unavailable(new Error(closed ? 'the rows are closed' : 'the database is away'));
    try {
      return await work(used);
    } catch (error) {
      if (error instanceof Unavailable) drop(used);
      throw error;
    }
  }

  function write<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const turn = last.then(() => use(work));
    last = turn.catch(() => {});
    return turn;
  }

  await open();
  // Who has nothing to write learns that way, too, that the connection is lost.
  const stopAsking = repeat(ASK_MS, async () => {
    await write((client) => queryOf(client)('SELECT 1', [])).catch(() => {});
  });
  return {
    write,
    async close() {
      stopAsking();
      await last;
      closed = true;
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
}

/**
 * Takes the lock for a connection's session. A session that this process had before may live on at a server that has not
 * noticed its end, and is ended.
 * @returns what identifies the session
 */
async function takeLock(client: Client, before: readonly unknown[]): Promise<readonly unknown[]> {
  const query = queryOf(client);
  // The server learns within half a minute that a machine has died which had the lock.
  for (const [name, value] of KEEPALIVES) await query(`SET ${name} = ${value}`, []);
  const [state] = await query('SELECT pg_is_in_recovery()', []);
  if (String(state?.[0]) === 'true')
    throw new Unavailable(new Error('the database is a standby, which takes no changes'));
  if (before.length > 0) {
    const old = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ? AND backend_start::text = ?';
    await query(old, [Number(before[0]), String(before[1])]);
  }
  for (const deadline = performance.now() + LOCK_MS; ; await sleep(AGAIN_MS)) {
    const [row] = await query('SELECT pg_try_advisory_lock(?)::text', [WRITER_LOCK]);
    if (row?.[0] === 'true') break;
    if (performance.now() > deadline)
      throw new Taken('another gate works on this database: only one can do so at a time');
  }
  const [session] = await query(
    'SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    [],
  );
  return session ?? [];
}
