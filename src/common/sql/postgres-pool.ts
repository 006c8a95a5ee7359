import pg, { type ClientBase, type Pool, type PoolConfig } from 'pg';
import { Unavailable } from '../unavailable.ts';
import { createQuery } from './postgres-client.ts';

/** A pool of connections. */
export interface Connections {
  /** Runs `use` with a connection. @throws {Unavailable} when there is none in time, or it is lost */
  borrow<Result>(use: (client: ClientBase) => Promise<Result>): Promise<Result>;
  /** Resolves when all connections are returned and closed. */
  close(): Promise<void>;
}

/** @param config with `max`, the number of connections */
export function openConnections(config: PoolConfig): Connections {
  const underWay = new Set<Promise<unknown>>();
  const pool = openPool(config);
  let closed = false;

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
    borrow(use) {
      const lent = lend(use);
      const ended = lent.catch(() => {}).finally(() => underWay.delete(ended));
      underWay.add(ended);
      return lent;
    },
    async close() {
      if (closed) return;
      closed = true;
      await Promise.all(underWay);
      await pool.end();
    },
  };
}

function openPool(config: PoolConfig): Pool {
  const pool = new pg.Pool({ ...config, onConnect });
  // One that ends while nobody has it.
  pool.on('error', () => {});
  return pool;
}

/** @throws {Unavailable} for a standby: after a failover the address may lead to the old server for a while */
async function onConnect(client: ClientBase): Promise<void> {
  // One that ends while it is lent; its user learns that from what is asked of it.
  client.on('error', () => {});
  const [row] = await createQuery(client)('SELECT pg_is_in_recovery()::text', []);
  if (row?.[0] === 'true') throw new Unavailable(new Error('the database is a standby, which takes no changes'));
}
