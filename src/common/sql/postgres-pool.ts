import pg, { type ClientBase, type PoolConfig } from 'pg';
import { Unavailable } from '../unavailable.ts';
import { createQuery } from './postgres-client.ts';

/** A pool of connections. */
export type Connections = ReturnType<typeof openConnections>;

/** @param config with `max`, the number of connections */
export function openConnections(config: PoolConfig) {
  /** Also those that wait for a connection: the pool's own end would let them time out. */
  const underWay = new Set<Promise<unknown>>();
  const pool = new pg.Pool({ ...config, onConnect });
  let closed = false;
  // An idle connection broke; the next query opens another one.
  pool.on('error', () => {});

  async function lend<Result>(use: (client: ClientBase) => Promise<Result>): Promise<Result> {
    if (closed) throw new Unavailable(new Error('the connections are closed'));
    const client = await pool.connect().catch((error: unknown) => {
      throw error instanceof Unavailable ? error : new Unavailable(error);
    });
    let isBroken = false;
    try {
      return await use(client);
    } catch (error) {
      isBroken = error instanceof Unavailable;
      throw error;
    } finally {
      client.release(isBroken);
    }
  }

  return {
    /** Runs `use` with a connection. @throws {Unavailable} when there is none in time, or it is lost */
    borrow<Result>(use: (client: ClientBase) => Promise<Result>): Promise<Result> {
      const lent = lend(use);
      const ended = lent.catch(() => {}).finally(() => underWay.delete(ended));
      underWay.add(ended);
      return lent;
    },
    /** Resolves when all connections are returned and closed. */
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      await Promise.all(underWay);
      await pool.end();
    },
  };
}

/** @throws {Unavailable} for a standby: after a failover the address may lead to the old server for a while */
async function onConnect(client: ClientBase): Promise<void> {
  // A borrowed connection broke; its query fails as well.
  client.on('error', () => {});
  const [row] = await createQuery(client)('SELECT pg_is_in_recovery()::text', []);
  if (row?.[0] === 'true') throw new Unavailable(new Error('the database is a standby, which takes no changes'));
}
