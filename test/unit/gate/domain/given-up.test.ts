import { expect } from 'chai';
import { Outbox } from '../../../../cmd/gate/domain/outbox.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { createLogger } from '../../../../src/common/log.ts';
import { deliveryRecord } from '../../../support/gate-records.ts';
import { until } from '../../../support/until.ts';

describe('a callback that is given up', () => {
  it('is told of at level error and in the audit trail, with the key that the portal knows its document by', async () => {
    const lines: Record<string, unknown>[] = [];
    const audited: [event: string, facts: object | undefined][] = [];
    const rows = await createRows(':memory:');
    const outbox = new Outbox({
      rows,
      poster: { post: async () => 500 },
      links: { renew: (link) => link },
      presence: { users: () => [], sampledAt: () => null },
      clock: Date.now,
      log: createLogger({
        service: 'gate',
        level: 'info',
        destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
      }),
      audit: { record: (event, facts) => void audited.push([event, facts]), close: async () => undefined },
      schedule: [0, 1, 1],
    });
    try {
      const { delivery } = await rows.transact((tx) =>
        tx.addDelivery(deliveryRecord({ docId: 'doc_a', key: 'contract-17', version: 2, nextAttemptAt: 0 })),
      );
      outbox.wake();
      const told = await until('it is given up', () => lines.find(({ msg }) => msg === 'callback given up'));
      expect(told).to.include({
        ...{ level: 'error', delivery, document: 'doc_a', document_key: 'contract-17' },
        ...{ event: 'document.saved', version: 2, attempts: 3, status: 500 },
      });
      expect(lines.filter(({ level }) => level === 'error')).to.have.lengthOf(1);
      expect(audited.map(([event]) => event)).to.deep.equal(['callback.given_up']);
      expect(audited[0]?.[1]).to.include({ delivery, key: 'contract-17', attempts: 3 });
    } finally {
      await outbox.stop();
      await rows.close();
    }
  });
});
