import { Unavailable } from '../unavailable.ts';
import { BEGIN_WRITING, createQuery, transaction } from './postgres-client.ts';
import { checkServer, migrate, type Schema } from './postgres-migrate.ts';
import type { Connections } from './postgres-pool.ts';

/**
 * Brings the tables of a service to their newest version.
 * @returns the random id of the database
 * @throws {Error} in words for the operator
 */
export async function openTables(connections: Connections, schema: Schema): Promise<string> {
  try {
    return await connections.borrow(async (client) => {
      await checkServer(createQuery(client));
      return transaction(client, BEGIN_WRITING, (query) => migrate(query, schema));
    });
  } catch (error) {
    const { message } = (error instanceof Unavailable ? error.cause : error) as Error;
    throw new Error(`the database cannot be used: ${message}`, { cause: error });
  }
}
