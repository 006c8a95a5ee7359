import { expect } from 'chai';
import { createCallbackPoster } from '../../../../cmd/gate/outbound/callbacks.ts';
import { verifyCallback } from '../../../../src/common/crypto/signature.ts';
import { parseAllowList } from '../../../../src/common/net/allow-list.ts';
import { createOutbound } from '../../../../src/common/net/outbound.ts';
import { callbackReceiver, unreliable } from '../../../support/gate-receiver.ts';
import { deliveryRecord } from '../../../support/gate-records.ts';
import { type SavesBench, savesBench } from '../../../support/gate-saves.ts';
import { secret, testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/service.ts';

const KEY = secret('callback-secret-of-the-outbox');

type Receiver = Awaited<ReturnType<typeof callbackReceiver>>;

describe('the outbox', () => {
  let bench: SavesBench;
  let receiver: Receiver;

  const poster = (key: string, allow = '127.0.0.0/8', clock = Date.now) =>
    createCallbackPoster({
      outbound: createOutbound({ allow: parseAllowList(allow).list, userAgent: 'SVC-Gate/1.0' }),
      secret: key,
      clock,
      log: testLogger(),
      timeoutMs: 150,
    });

  async function begin(behave: Parameters<typeof callbackReceiver>[0], options: Parameters<typeof savesBench>[0] = {}) {
    receiver = await callbackReceiver(behave);
    bench = await savesBench({ poster: poster(KEY), schedule: [0, 5, 10], clock: Date.now, ...options });
  }
  afterEach(async () => {
    await bench.stop();
    await receiver.stop();
  });

  const add = (version: number, docId = 'doc_a') =>
    bench.rows.transact((tx) =>
      tx.addDelivery(
        deliveryRecord({
          docId,
          key: docId,
          version,
          url: receiver.url,
          body: JSON.stringify({ key: docId, version }),
          nextAttemptAt: 0,
        }),
      ),
    );
  const idle = () =>
    until('nothing is pending', async () => (await bench.rows.transact((tx) => tx.pendingDeliveries())) === 0, 60_000);

  it('sends signed, with the headers of the contract', async () => {
    await begin(() => 204);
    const made = await add(1);
    bench.outbox.wake();
    await idle();
    const [one] = receiver.arrived;
    expect(one?.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'SVC-Gate/1.0',
      'x-svc-event': 'document.saved',
      'x-svc-delivery': made.delivery,
    });
    const { 'x-svc-timestamp': timestamp = '', 'x-svc-signature': signature = '' } = one?.headers ?? {};
    const signed = { timestamp: String(timestamp), signature: String(signature) };
    expect(verifyCallback(KEY, signed, one?.raw ?? '')).to.equal(true);
  });

  it('sends unsigned without a secret', async () => {
    await begin(() => 204, { poster: poster('') });
    await add(1);
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived[0]?.headers).not.to.have.property('x-svc-signature');
    expect(receiver.arrived[0]?.headers).to.have.property('x-svc-timestamp');
  });

  it('tries three times with the same id, signed anew each time, then gives up', async () => {
    let time = 1_790_000_000_000;
    await begin(() => 500, { poster: poster(KEY, '127.0.0.0/8', () => (time += 1000)) });
    const made = await add(1);
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived).to.have.lengthOf(3);
    expect(new Set(receiver.arrived.map(({ headers }) => headers['x-svc-delivery']))).to.deep.equal(
      new Set([made.delivery]),
    );
    expect(new Set(receiver.arrived.map(({ headers }) => headers['x-svc-signature'])).size).to.equal(3);
    const [given] = await bench.rows.transact((tx) => tx.givenUp(10));
    expect(given).to.include({ delivery: made.delivery, attempts: 3, lastStatus: 500, state: 'given_up' });
    expect(given?.endedAt).to.be.a('number');
  });

  it('has the time of each attempt in the body, however long it waited', async () => {
    let time = 1_790_000_000_000;
    await begin(() => 500, { clock: () => (time += 10) });
    await add(1);
    time += 100_000;
    const before = time;
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived).to.have.lengthOf(3);
    const times = receiver.arrived.map(({ body }) => Date.parse(String(body.timestamp)));
    expect(times[0]).to.be.within(before, before + 100);
    expect(times).to.deep.equal([...new Set(times)].toSorted((a, b) => a - b));
  });

  it('keeps to 0, 10 and 60 seconds', async () => {
    let time = 1_000_000;
    receiver = await callbackReceiver(() => 500);
    bench = await savesBench({ poster: poster(KEY), clock: () => time });
    await add(1);
    const waits: number[] = [];
    for (const attempts of [1, 2]) {
      bench.outbox.wake();
      const head = await until(`attempt ${attempts}`, () =>
        bench.rows.transact(async (tx) =>
          (await tx.dueDeliveries()).find((delivery) => delivery.attempts === attempts),
        ),
      );
      waits.push(head.nextAttemptAt - time);
      time = head.nextAttemptAt - 1;
      bench.outbox.wake();
      await bench.rows.transact(() => undefined);
      expect(receiver.arrived).to.have.lengthOf(attempts);
      time += 1;
    }
    expect(waits).to.deep.equal([10_000, 60_000]);
    bench.outbox.wake();
    await idle();
  });

  it('waits for no hour by which the clock was set back', async () => {
    let time = 10_000_000;
    receiver = await callbackReceiver(() => 204);
    bench = await savesBench({ poster: poster(KEY), clock: () => time });
    await bench.rows.transact(async (tx) => {
      for (const attempts of [0, 1, 2]) {
        const docId = `doc_${attempts}`;
        await tx.addDelivery(deliveryRecord({ docId, url: receiver.url, attempts, nextAttemptAt: time + 1 }));
      }
    });
    time -= 3_600_000;
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived).to.have.lengthOf(3);
  });

  it('follows no redirect', async () => {
    await begin(() => 302);
    await add(1);
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived).to.have.lengthOf(3);
    expect((await bench.rows.transact((tx) => tx.givenUp(1)))[0]?.lastStatus).to.equal(302);
  });

  it('never connects to an internal address', async () => {
    await begin(() => 204, { poster: poster(KEY, '') });
    await add(1);
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived).to.deep.equal([]);
    expect((await bench.rows.transact((tx) => tx.givenUp(1)))[0]).to.include({ attempts: 3, lastStatus: null });
  });

  it('lets one document wait for nobody but itself', async () => {
    await begin(({ body }) => (body.key === 'doc_a' ? null : 204));
    await add(1);
    await add(2);
    await add(1, 'doc_b');
    bench.outbox.wake();
    await until('the other one is delivered', () => receiver.arrived.some(({ body }) => body.key === 'doc_b'));
    expect(receiver.arrived.filter(({ body }) => body.key === 'doc_a' && body.version === 2)).to.deep.equal([]);
    await idle();
    const versions = receiver.arrived.filter(({ body }) => body.key === 'doc_a').map(({ body }) => body.version);
    expect(versions).to.deep.equal([1, 1, 1, 2, 2, 2]);
  });

  it('sends again what a stop cut off, as the same attempt', async () => {
    let answer: number | null = null;
    await begin(() => answer, { poster: poster(KEY) });
    await add(1);
    bench.outbox.wake();
    await until('it is under way', () => receiver.arrived.length === 1);
    await bench.stop({ keep: true });
    answer = 204;
    bench = await savesBench({ folder: bench.folder, poster: poster(KEY), schedule: [0, 5, 10], clock: Date.now });
    const [head] = await bench.rows.transact((tx) => tx.dueDeliveries());
    expect(head?.attempts).to.equal(0);
    bench.outbox.wake();
    await idle();
    expect(receiver.arrived.map(({ headers }) => headers['x-svc-delivery'])).to.deep.equal([
      head?.delivery,
      head?.delivery,
    ]);
  });

  it('loses none and keeps the order of each document, whatever the receiver does', async function () {
    this.timeout(60_000);
    const total = Number(process.env['SVC_TEST_CALLBACKS'] ?? 120);
    await begin(unreliable);
    const documents = 20;
    for (let n = 0; n < total; n += 1) await add(1 + Math.floor(n / documents), `doc_${n % documents}`);
    bench.outbox.wake();
    await idle();
    const taken = new Set(receiver.arrived.filter(({ answer }) => answer === 204).map(nameOf));
    const given = await bench.rows.transact((tx) => tx.givenUp(total));
    const listed = new Set(given.map(({ docId, version }) => `${docId} ${version}`));
    expect(new Set([...taken, ...listed]).size).to.equal(total);
    for (let n = 0; n < documents; n += 1) {
      const versions = receiver.arrived.filter(({ body }) => body.key === `doc_${n}`).map(({ body }) => body.version);
      expect(versions).to.deep.equal(versions.toSorted((a, b) => a - b));
    }
  });
});

function nameOf({ body }: { body: { key: string; version: number } }): string {
  return `${body.key} ${body.version}`;
}
