import { type Lock, type Query, Table } from '../../../src/common/sql/table.ts';
import type { DeliveryRecord } from '../domain/model.ts';
import type { RowsTransaction } from '../domain/ports.ts';

const DELIVERIES = new Table<DeliveryRecord>(
  'deliveries',
  {
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
  },
  ['id'],
);

/** Callbacks on their way. */
export function deliveryRows(
  query: Query,
  lock: Lock,
): Pick<
  RowsTransaction,
  | 'addDelivery'
  | 'delivery'
  | 'putDelivery'
  | 'dueDeliveries'
  | 'deliveries'
  | 'pendingDeliveries'
  | 'hasDeliveries'
  | 'givenUp'
  | 'removeDeliveriesBefore'
> {
  return {
    addDelivery: async (delivery) => ({ ...delivery, id: await DELIVERIES.insert(query, delivery) }),
    delivery: (id) => DELIVERIES.first(query, `WHERE id = ? ${lock}`, id),
    putDelivery: (record) => DELIVERIES.put(query, record),
    dueDeliveries: () =>
      DELIVERIES.select(
        query,
        `WHERE id IN (SELECT min(id) FROM deliveries WHERE state = 'pending' GROUP BY doc_id) ORDER BY id`,
      ),
    deliveries: () => DELIVERIES.select(query, 'ORDER BY id'),
    async pendingDeliveries() {
      const [row] = await query(`SELECT count(*) FROM deliveries WHERE state = 'pending'`, []);
      return Number(row?.[0]);
    },
    async hasDeliveries(docId) {
      return (await query('SELECT 1 FROM deliveries WHERE doc_id = ? LIMIT 1', [docId])).length > 0;
    },
    givenUp: (limit) =>
      DELIVERIES.select(query, `WHERE state = 'given_up' ORDER BY ended_at DESC, id DESC LIMIT ?`, limit),
    async removeDeliveriesBefore(endedBefore) {
      await query('DELETE FROM deliveries WHERE ended_at < ?', [endedBefore]);
    },
  };
}
