import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';
import { type Columns, Table } from './table.ts';

const DELIVERY: Columns<DeliveryRecord> = {
  id: 'plain',
  delivery: 'plain',
  docId: 'plain',
  key: 'plain',
  event: 'plain',
  version: 'plain',
  url: 'plain',
  body: 'plain',
  state: 'plain',
  attempts: 'plain',
  nextAttemptAt: 'plain',
  lastStatus: 'plain',
  endedAt: 'plain',
};

/** Callbacks on their way. */
export function deliveryRows(
  database: DatabaseSync,
): Pick<
  RowsTransaction,
  | 'addDelivery'
  | 'putDelivery'
  | 'dueDeliveries'
  | 'pendingDeliveries'
  | 'hasDeliveries'
  | 'givenUp'
  | 'removeDeliveriesBefore'
> {
  const deliveries = new Table(database, 'deliveries', DELIVERY, ['id']);
  const pending = database.prepare(`SELECT count(*) AS count FROM deliveries WHERE state = 'pending'`);
  const ofDocument = database.prepare('SELECT 1 FROM deliveries WHERE doc_id = ? LIMIT 1');
  return {
    addDelivery: (delivery) => ({ ...delivery, id: deliveries.insert(delivery) }),
    putDelivery: (record) => deliveries.put(record),
    dueDeliveries: deliveries.select(
      `WHERE id IN (SELECT min(id) FROM deliveries WHERE state = 'pending' GROUP BY doc_id) ORDER BY id`,
    ),
    pendingDeliveries: () => Number(pending.get()?.['count']),
    hasDeliveries: (docId) => ofDocument.get(docId) !== undefined,
    givenUp: deliveries.select(`WHERE state = 'given_up' ORDER BY ended_at DESC, id DESC LIMIT ?`),
    removeDeliveriesBefore: deliveries.run('DELETE FROM deliveries WHERE ended_at < ?'),
  };
}
