import type { Lock, Query } from '../../../src/common/sql/table.ts';
import type { RowsTransaction } from '../domain/ports.ts';
import { blobRows } from './blob-rows.ts';
import { deliveryRows } from './deliveries.ts';
import { documentRows, versionRows } from './documents.ts';
import { memoryRows } from './memory-rows.ts';
import { sessionRows } from './sessions.ts';

/** All tables. */
export function createTables(query: Query, lock: Lock = ''): RowsTransaction {
  return {
    ...documentRows(query, lock),
    ...versionRows(query),
    ...blobRows(query),
    ...memoryRows(query),
    ...sessionRows(query, lock),
    ...deliveryRows(query, lock),
  };
}
