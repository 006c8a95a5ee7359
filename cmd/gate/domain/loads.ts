import type { Clock } from '../../../src/common/clock.ts';
import type { Rows, RowsReader } from './ports.ts';

/** Remembers for a day when the editor last fetched each document: what it saves from then on contains nothing older. */
export interface Loads {
  add(docId: string): Promise<void>;
  /** Epoch milliseconds; null when it is not known. */
  at(tx: RowsReader, docId: string): Promise<number | null>;
}

export function createLoads(rows: Rows, clock: Clock): Loads {
  return {
    add: (docId) => rows.transact((tx) => tx.remember({ kind: 'loaded', docId, key: '', value: null, at: clock() })),
    at: async (tx, docId) => (await tx.remembered({ kind: 'loaded', docId, key: '' }))?.at ?? null,
  };
}
