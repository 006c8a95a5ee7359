import { isUnknownAuthority } from '../net/unknown-authority.ts';
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
    if (error instanceof Unavailable) throw new Error(`the database cannot be used: ${explain(error.cause as Error)}`);
    throw new Error(`the database cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function explain({ message, code }: NodeJS.ErrnoException): string {
  if (!isUnknownAuthority(code)) return message;
  const remedy = 'name its authority by sslrootcert in the address, or in NODE_EXTRA_CA_CERTS (spec.outbound.caBundle)';
  return `no known authority has signed its server's certificate (${code}); ${remedy}`;
}
