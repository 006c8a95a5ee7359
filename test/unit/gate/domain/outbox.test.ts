import { expect } from 'chai';
import type { DeliveryRecord } from '../../../../cmd/gate/domain/model.ts';
import { Outbox, type OutboxDependencies } from '../../../../cmd/gate/domain/outbox.ts';
import type { Rows } from '../../../../cmd/gate/domain/ports.ts';
import { createCallbackPoster } from '../../../../cmd/gate/outbound/callbacks.ts';
import { createRows } from '../../../../cmd/gate/store/rows.ts';
import { parseAllowList } from '../../../../src/common/net/allow-list.ts';
import { createOutbound } from '../../../../src/common/net/outbound.ts';
import { callbackReceiver } from '../../../support/gate-receiver.ts';
import { deliveryRecord } from '../../../support/gate-records.ts';
import { secret, testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

const KEY: string = secret('callback-secret-of-the-outbox');
const QUICK = [0, 5, 10];

const createPoster = ({ allow = '127.0.0.0/8', clock = Date.now } = {}) =>
  createCallbackPoster({
    outbound: createOutbound({ allow: parseAllowList(allow).list, userAgent: 'SVC-Gate/1.0' }),
    secret: KEY,
    clock,
    log: testLogger(),
    timeoutMs: 150,
  });

describe('the outbox', () => {
  const ends: (() => unknown)[] = [];
  let rows: Rows;
  beforeEach(async () => {
    rows = await createRows(':memory:');
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await rows.close();
  });

  const add = (changes: Partial<DeliveryRecord> = {}) => {
    const { docId = 'doc_a', version = 1 } = changes;
    const body = JSON.stringify({ key: docId, version });
    return rows.transact((tx) => tx.addDelivery(deliveryRecord({ key: docId, body, nextAttemptAt: 0, ...changes })));
  };
  const countPending = () => rows.transact((tx) => tx.pendingDeliveries());
  const becomesIdle = () => until('nothing is pending', async () => (await countPending()) === 0, 60_000);
  /** Waits for what was begun before to be done. */
  const turn = () => rows.transact(() => undefined);
  const listen = async (behave: Parameters<typeof callbackReceiver>[0]) => {
    const receiver = await callbackReceiver(behave);
    ends.push(() => receiver.stop());
    return receiver;
  };

  /** Starts an outbox that keeps what it logs and records. */
  function start(options: Partial<OutboxDependencies> = {}) {
    const logged: [level: string, message: string, facts: object][] = [];
    const audited: [event: string, facts: object | undefined][] = [];
    const write = (level: string) => (facts: object, message: string) => void logged.push([level, message, facts]);
    const outbox = new Outbox({
      rows,
      poster: createPoster(),
      links: { renew: (link) => link },
      presence: { users: () => [], sampledAt: () => null },
      clock: Date.now,
      log: { info: write('info'), error: write('error') } as never,
      audit: { record: (event, facts) => void audited.push([event, facts]), close: async () => undefined },
      ...options,
    });
    outbox.start();
    ends.push(() => outbox.stop());
    return { outbox, logged, audited };
  }

  for (const [rule, answer, allow, arriving, lastStatus] of [
    ['tries three times', 500, '127.0.0.0/8', 3, 500],
    ['follows no redirect', 302, '127.0.0.0/8', 3, 302],
    ['never connects to an internal address', 204, '', 0, null],
  ] as const) {
    it(`${rule}, then gives up, and reports that once, with the document’s key`, async () => {
      let time = 1_790_000_000_000;
      const { url, arrived } = await listen(() => answer);
      const { delivery } = await add({ url });
      const clock = () => (time += 1000);
      const { audited, logged } = start({ poster: createPoster({ allow, clock }), clock, schedule: QUICK });
      await until('it is reported', () => audited[0]);
      expect(arrived).to.have.lengthOf(arriving);
      for (const { headers } of arrived) expect(headers['x-svc-delivery']).to.equal(delivery);
      for (const part of ['x-svc-signature', 'x-svc-timestamp'])
        expect(new Set(arrived.map(({ headers }) => headers[part])).size, 'signed anew').to.equal(arriving);
      const times = arrived.map(({ body }) => Date.parse(String(body.timestamp)));
      expect(times, 'the time of each attempt').to.deep.equal([...new Set(times)].toSorted((a, b) => a - b));
      const [given] = await rows.transact((tx) => tx.givenUp(10));
      expect(given).to.include({ delivery, attempts: 3, lastStatus, state: 'given_up' });
      expect(given?.endedAt).to.be.a('number');
      const facts = { delivery, document: 'doc_a', attempts: 3, status: lastStatus };
      const [error, ...others] = logged.filter(([level]) => level === 'error');
      expect([error?.[1], others]).to.deep.equal(['callback given up', []]);
      expect(error?.[2]).to.include({ ...facts, document_key: 'doc_a' });
      expect(audited.map(([event]) => event)).to.deep.equal(['callback.given_up']);
      expect(audited[0]?.[1]).to.include({ ...facts, key: 'doc_a' });
    });
  }

  it('keeps to 0, 10 and 60 seconds', async () => {
    let time = 1_000_000;
    let sent = 0;
    await add();
    const { outbox } = start({ poster: { post: async () => ++sent && 500 }, clock: () => time });
    for (const [attempts, wait] of [
      [1, 10_000],
      [2, 60_000],
    ] as const) {
      const head = await until(`attempt ${attempts}`, async () =>
        (await rows.read((tx) => tx.dueDeliveries())).find((delivery) => delivery.attempts === attempts),
      );
      expect(head.nextAttemptAt - time).to.equal(wait);
      time = head.nextAttemptAt - 1;
      outbox.wake();
      await turn();
      expect(sent).to.equal(attempts);
      time += 1;
      outbox.wake();
    }
    await becomesIdle();
  });

  it('waits for no hour by which the clock was set back', async () => {
    const time = 10_000_000;
    for (const attempts of [0, 1, 2]) await add({ docId: `doc_${attempts}`, attempts, nextAttemptAt: time + 1 });
    start({ poster: { post: async () => 204 }, clock: () => time - 3_600_000 });
    await becomesIdle();
  });

  it('lets one document wait for nobody but itself, and sends its callbacks in their order', async () => {
    const { url, arrived } = await listen(({ body }) => (body.key === 'doc_a' ? null : 204));
    await add({ url });
    await add({ url, version: 2 });
    await add({ url, docId: 'doc_b' });
    start({ schedule: QUICK });
    const listVersions = () => arrived.filter(({ body }) => body.key === 'doc_a').map(({ body }) => body.version);
    await until('the other one is delivered', () => arrived.some(({ body }) => body.key === 'doc_b'));
    expect(listVersions()).not.to.include(2);
    await becomesIdle();
    expect(listVersions()).to.deep.equal([1, 1, 1, 2, 2, 2]);
  });

  it('sends again what a stop cut off, as the same attempt', async () => {
    let answer: number | null = null;
    const { url, arrived } = await listen(() => answer);
    await add({ url });
    const { outbox } = start();
    await until('it is under way', () => arrived.length === 1);
    await outbox.stop();
    answer = 204;
    const [head] = await rows.transact((tx) => tx.dueDeliveries());
    expect(head?.attempts).to.equal(0);
    outbox.start();
    await becomesIdle();
    const ids = arrived.map(({ headers }) => headers['x-svc-delivery']);
    expect(ids).to.deep.equal([head?.delivery, head?.delivery]);
  });

  it('sends to so many documents at a time and no more, and first to the receiver that is asked least', async () => {
    const at = (receiver: string) => (docId: string) => add({ docId, url: `https://${receiver}.example.vn/callback` });
    for (const docId of ['a', 'b', 'c', 'd']) await at('hangs')(docId);
    for (const docId of ['e', 'f']) await at('answers')(docId);
    const asked: string[] = [];
    const hanging: (() => void)[] = [];
    let [running, most, looks] = [0, 0, 0];
    const read: Rows['read'] = (work) => {
      looks += 1;
      return rows.read(work);
    };
    const { outbox } = start({
      rows: { ...rows, read },
      parallel: 2,
      poster: {
        post: async ({ docId, url }) => {
          asked.push(docId);
          most = Math.max(most, ++running);
          if (url.includes('hangs')) await new Promise<void>((resolve) => hanging.push(resolve));
          running -= 1;
          return 204;
        },
      },
    });
    await until('those who can be are asked', () => asked.length === 4);
    expect(asked).to.deep.equal(['a', 'e', 'f', 'b']);
    for (let sent = 0; sent < 4; sent += 1) {
      const answer = await until('one that hangs', () => hanging[sent]);
      const before = looks;
      outbox.wake();
      await turn();
      if (sent === 0) expect(looks, 'no place for what a look would find').to.equal(before);
      answer();
    }
    await becomesIdle();
    expect(most).to.equal(2);
  });

  it('sends none again that was delivered while it looked', async () => {
    await add();
    const [answer, old] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    let looks = 0;
    const read: Rows['read'] = async (work) => {
      const result = await rows.read(work);
      looks += 1;
      if (looks === 2) await old.promise;
      return result;
    };
    const post = async () => {
      sent += 1;
      await answer.promise;
      return 204;
    };
    const { outbox } = start({ rows: { ...rows, read }, poster: { post } });
    await until('it is being sent', () => sent === 1);
    outbox.wake();
    await until('it looks once more', () => looks === 2);
    answer.resolve();
    await becomesIdle();
    old.resolve();
    await until('it has looked', () => looks >= 3);
    await outbox.stop();
    expect(sent).to.equal(1);
  });

  it('writes what became of a callback again when that fails, without sending it again, and dies of it not', async () => {
    for (const failures of [1, 9]) {
      const { id, docId } = await add({ docId: `doc_${failures}` });
      let [left, sent] = [failures, 0];
      const transact: Rows['transact'] = (work) =>
        rows.transact((tx) =>
          work({ ...tx, putDelivery: (one) => (left-- > 0 ? Promise.reject(new Error('full')) : tx.putDelivery(one)) }),
        );
      const { outbox, logged } = start({ rows: { ...rows, transact }, poster: { post: async () => ++sent && 204 } });
      await until('it is logged', () => logged.length > 0);
      await outbox.stop();
      expect(new Set(logged.map(([level, message]) => level === 'error' && message))).to.include(
        'the outcome of a callback could not be stored',
      );
      const [state, attempts] = failures === 1 ? ['delivered', 1] : ['pending', 0];
      expect(await rows.read((tx) => tx.delivery(id)), docId).to.include({ state, attempts });
      expect(sent).to.equal(1);
    }
  });

  it('reports that it has given up also when the answer to that was lost', async () => {
    await add({ attempts: 2 });
    let isLost = true;
    const transact: Rows['transact'] = async (work) => {
      const result = await rows.transact(work);
      if (isLost) throw new Error('the connection ended before the answer to COMMIT');
      return result;
    };
    const { outbox, logged, audited } = start({ rows: { ...rows, transact }, poster: { post: async () => 500 } });
    await until('the answer is lost', () => logged.length > 0);
    isLost = false;
    await outbox.stop();
    expect([logged.at(-1)?.slice(0, 2), audited.map(([event]) => event)]).to.deep.equal([
      ['error', 'callback given up'],
      ['callback.given_up'],
    ]);
  });

  it('sends nothing while this gate does not lead or is stopped, and goes on when it is started again', async () => {
    let leads = false;
    const sent: string[] = [];
    await add();
    const { outbox } = start({ leads: () => leads, poster: { post: async ({ docId }) => sent.push(docId) && 204 } });
    await turn();
    await outbox.stop();
    expect(sent).to.deep.equal([]);
    leads = true;
    outbox.wake();
    await turn();
    expect(sent, 'stopped').to.deep.equal([]);
    outbox.start();
    await until('it is sent', () => sent[0]);
  });

  it('leaves what another gate wrote about a callback meanwhile', async () => {
    const made = await add();
    const answer = Promise.withResolvers<number>();
    let isAsked = false;
    const post = () => {
      isAsked = true;
      return answer.promise;
    };
    const { outbox, logged } = start({ poster: { post } });
    await until('it is being sent', () => isAsked);
    const delivered = { ...made, state: 'delivered', attempts: 1, lastStatus: 200, endedAt: 5 } as const;
    await rows.transact((tx) => tx.putDelivery(delivered));
    answer.resolve(204);
    await outbox.stop();
    expect(await rows.read((tx) => tx.delivery(made.id))).to.deep.equal(delivered);
    expect(logged).to.deep.equal([]);
  });
});
