import { randomUUID } from 'node:crypto';
import type { Query } from '../../../src/common/sql/query.ts';
import type { Lease, Shared, SharedText } from '../domain/ports.ts';

/** The time that a lease is valid for. */
const LEASE_MS = 10_000;
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * The state that gates share in a PostgreSQL database. Each call is one statement, so a gate that dies leaves no lock.
 */
export function createShared(query: Query): Shared {
  return {
    lease: createLease(query),
    places: createSharedText(query, 'places'),
    seen: createSharedText(query, 'seen'),
    bytes: createSharedText(query, 'bytes'),
  };
}

/** Times are the database's: gates need no common clock. */
function createLease(query: Query): Lease {
  const holder = randomUUID();
  return {
    async renew() {
      const rows = await query(
        `INSERT INTO leases AS held (name, holder, until) VALUES ('leader', ?, ${NOW_MS} + ${LEASE_MS})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE held.holder = excluded.holder OR held.until <= ${NOW_MS} RETURNING 1`,
        [holder],
      );
      return rows.length > 0;
    },
    async release() {
      await query('DELETE FROM leases WHERE holder = ?', [holder]);
    },
  };
}

function createSharedText(query: Query, name: string): SharedText {
  return {
    async read(known) {
      const [row] = await query(
        `SELECT ${NOW_MS}, version, CASE WHEN version <> ? THEN value END
         FROM (SELECT 1) AS one LEFT JOIN shared_texts ON name = ?`,
        [known, name],
      );
      const [now, version, text] = row ?? [];
      return { now: Number(now), version: Number(version ?? 0), text: (text as string | null) ?? undefined };
    },
    async write(text, version) {
      const rows =
        version === 0
          ? await query('INSERT INTO shared_texts VALUES (?, 1, ?) ON CONFLICT DO NOTHING RETURNING 1', [name, text])
          : await query(
              'UPDATE shared_texts SET version = version + 1, value = ? WHERE name = ? AND version = ? RETURNING 1',
              [text, name, version],
            );
      return rows.length > 0;
    },
  };
}
