import { expect } from 'chai';
import { Outbox, type OutboxDependencies } from '../../../../cmd/gate/domain/outbox.ts';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { deliveryRecord } from '../../../support/gate-records.ts';
import { until } from '../../../support/until.ts';

describe('the outbox', () => {
  let rows: Rows;
  beforeEach(async () => {
    rows = await createRows(':memory:');
  });
  afterEach(() => rows.close());

  const add = (docId: string) =>
    rows.transact((tx) => tx.addDelivery(deliveryRecord({ docId, key: docId, nextAttemptAt: 0 })));
  /** An outbox that keeps what it logs and records. */
  function start(options: Partial<OutboxDependencies> & Pick<OutboxDependencies, 'poster'>) {
    const logged: [level: string, message: string, facts: object][] = [];
    const audited: [event: string, facts: object | undefined][] = [];
    const write = (level: string) => (facts: object, message: string) => void logged.push([level, message, facts]);
    const outbox = new Outbox({
      rows,
      links: { renew: (link) => link },
      presence: { users: () => [], sampledAt: () => null },
      clock: Date.now,
      log: { info: write('info'), error: write('error') } as never,
      audit: { record: (event, facts) => void audited.push([event, facts]), close: async () => undefined },
      ...options,
    });
    outbox.start();
    return { outbox, logged, audited };
  }

  it('sends to so many documents at a time and no more, and to all in the end', async () => {
    for (const docId of ['doc_1', 'doc_2', 'doc_3', 'doc_4', 'doc_5']) await add(docId);
    const sending = new Map<string, () => void>();
    let most = 0;
    let sent = 0;
    const { outbox } = start({
      parallel: 2,
      poster: {
        post: async ({ docId }) => {
          await new Promise<void>((resolve) => sending.set(docId, resolve));
          sending.delete(docId);
          sent += 1;
          return 204;
        },
      },
    });
    for (let left = 5; left > 0; left -= 1) {
      await until('as many as may are being sent', () => sending.size >= Math.min(2, left) || undefined);
      // Another look finds more that waits, and no place for it.
      outbox.wake();
      await rows.transact(() => undefined);
      most = Math.max(most, sending.size);
      const [first] = sending.values();
      first?.();
      await until('it is sent', () => sent === 6 - left || undefined);
    }
    await until(
      'nothing is pending',
      async () => (await rows.transact((tx) => tx.pendingDeliveries())) === 0 || undefined,
    );
    expect(most).to.equal(2);
    await outbox.stop();
  });

  it('go first to the receiver that is asked least: one that hangs does not hold up the others', async () => {
    const at = (receiver: string, docId: string) =>
      deliveryRecord({ docId, url: `https://${receiver}.example.vn/callback`, nextAttemptAt: 0 });
    await rows.transact(async (tx) => {
      for (const docId of ['a', 'b', 'c', 'd']) await tx.addDelivery(at('hangs', docId));
      for (const docId of ['e', 'f']) await tx.addDelivery(at('answers', docId));
    });
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    const { outbox } = start({
      parallel: 2,
      poster: {
        post: async ({ docId, url }) => {
          asked.push(docId);
          if (url.includes('hangs')) await new Promise<void>((resolve) => hanging.push(resolve));
          return 204;
        },
      },
    });
    await until('those who can be are asked', () => asked.length === 4 || undefined);
    expect(asked).to.deep.equal(['a', 'e', 'f', 'b']);
    for (let sent = 0; sent < 4; sent += 1) (await until('one that hangs', () => hanging[sent]))();
    await outbox.stop();
  });

  it('sends none again that was delivered while it looked', async () => {
    await add('doc_1');
    const [answer, old] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    let looks = 0;
    const slow: Rows = {
      ...rows,
      read: async (work) => {
        const result = await rows.read(work);
        looks += 1;
        if (looks === 2) await old.promise;
        return result;
      },
    };
    const post = async () => {
      sent += 1;
      await answer.promise;
      return 204;
    };
    const { outbox } = start({ rows: slow, poster: { post } });
    await until('it is being sent', () => sent === 1 || undefined);
    outbox.wake();
    await until('it looks once more', () => looks === 2 || undefined);
    answer.resolve();
    await until('it is delivered', async () => (await rows.read((tx) => tx.pendingDeliveries())) === 0 || undefined);
    old.resolve();
    await until('it has looked', () => looks >= 3 || undefined);
    await outbox.stop();
    expect(sent).to.equal(1);
  });

  it('says so when what became of a callback cannot be written, and dies of it not', async () => {
    const { delivery } = await add('doc_1');
    const broken: Rows = {
      ...rows,
      transact: (work) =>
        rows.transact((tx) =>
          work({
            ...tx,
            dueDeliveries: tx.dueDeliveries,
            putDelivery: () => {
              throw new Error('the disk is gone');
            },
          }),
        ),
    };
    const { outbox, logged } = start({ rows: broken, poster: { post: async () => 204 } });
    await until('it is logged', () => logged.length > 0 || undefined);
    await outbox.stop();
    expect(logged.map(([, message]) => message)).to.deep.equal(['the outcome of a callback could not be stored']);
    // It counts as not made, and is made again.
    const [due] = await rows.transact((tx) => tx.dueDeliveries());
    expect(due).to.include({ delivery, attempts: 0, state: 'pending' });
  });

  it('reports a callback that is given up once, at level error and in the audit trail, with the document’s key', async () => {
    const { delivery } = await add('doc_1');
    const { outbox, logged, audited } = start({ poster: { post: async () => 500 }, schedule: [0, 1, 1] });
    await until('it is given up', () => audited.length > 0 || undefined);
    await outbox.stop();
    const errors = logged.filter(([level]) => level === 'error');
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]?.[2]).to.include({ delivery, document: 'doc_1', document_key: 'doc_1', attempts: 3, status: 500 });
    expect(audited).to.have.lengthOf(1);
    expect(audited[0]?.[0]).to.equal('callback.given_up');
    expect(audited[0]?.[1]).to.include({ delivery, key: 'doc_1', attempts: 3 });
  });

  it('sends nothing once this gate leads no more, and goes on when it is started again', async () => {
    let leads = false;
    const sent: string[] = [];
    await add('doc_1');
    const { outbox } = start({ leads: () => leads, poster: { post: async ({ docId }) => sent.push(docId) && 204 } });
    await rows.transact(() => undefined);
    await outbox.stop();
    expect(sent).to.deep.equal([]);
    leads = true;
    outbox.wake();
    await rows.transact(() => undefined);
    expect(sent, 'stopped').to.deep.equal([]);
    outbox.start();
    await until('it is sent', () => sent[0]);
    await outbox.stop();
  });

  it('finds callbacks that other gates wrote', async () => {
    const sent: string[] = [];
    const { outbox } = start({ lookMs: 20, poster: { post: async ({ docId }) => sent.push(docId) && 204 } });
    await rows.transact(() => undefined);
    await add('doc_1');
    await until('it is sent', () => sent[0]);
    await outbox.stop();
  });

  it('leaves what another gate wrote about a callback meanwhile', async () => {
    const made = await add('doc_1');
    const answer = Promise.withResolvers<number>();
    const asked = Promise.withResolvers<void>();
    const { outbox, logged } = start({
      poster: {
        post: () => {
          asked.resolve();
          return answer.promise;
        },
      },
    });
    await asked.promise;
    const delivered = { ...made, state: 'delivered', attempts: 1, lastStatus: 200, endedAt: 5 } as const;
    await rows.transact((tx) => tx.putDelivery(delivered));
    answer.resolve(204);
    await outbox.stop();
    expect(await rows.read((tx) => tx.delivery(made.id))).to.deep.equal(delivered);
    expect(logged).to.deep.equal([]);
  });
});
