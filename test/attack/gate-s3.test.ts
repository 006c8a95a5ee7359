import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { StoredBlob } from '../../cmd/gate/domain/ports.ts';
import { failure } from '../support/failure.ts';
import { randomBlob } from '../support/gate-records.ts';
import type { Fault } from '../support/http-faults.ts';
import { until } from '../support/until.ts';
import { useStarted } from '../support/use-started.ts';
import { S3_TIMINGS, startS3Bench } from './s3-bench.ts';

const MB = 1_000_000;
/** Each of six sockets between the server and the gate may have up to 10 MB on their way. */
const MORE_THAN_SOCKETS_HOLD = 80 * MB;

describe('an S3 server that is killed, cut off or hangs', () => {
  const bench = useStarted(startS3Bench, ({ dispose }) => dispose());
  afterEach(async () => {
    bench.faults?.heal();
    await bench.server?.start();
  });

  it('killed during a put, again and again: every put that resolves is there, whole, and nothing else', async function () {
    this.timeout(120_000);
    let kills = 0;
    const acknowledged: StoredBlob[] = [];
    for (let round = 0; round < 10; round += 1) {
      const file = await bench.receive(randomBytes(5 * MB));
      const putting = bench.put(file, 20_000);
      await sleep(Math.random() * 25);
      await bench.server.kill();
      kills += 1;
      await bench.server.start();
      acknowledged.push(await putting);
    }
    expect(kills).to.equal(10);
    expect(readdirSync(bench.received)).to.deep.equal([]);
    expect(await bench.names()).to.have.members(acknowledged.map(({ blob }) => blob));
    for (const stored of acknowledged)
      expect(hash('sha256', await buffer(bench.blobs.read(stored)))).to.equal(stored.sha256);
  });

  it('killed during a read, for good: an error, and never a short file', async function () {
    this.timeout(60_000);
    const stored = await bench.stored(randomBytes(MORE_THAN_SOCKETS_HOLD));
    for (const range of [undefined, { start: 5, end: 79 * MB }]) {
      const stream = bench.blobs.read(stored, range);
      await once(stream, 'readable');
      await bench.server.kill();
      expect(await failure(buffer(stream))).to.include({ name: 'S3Error' });
      await bench.server.start();
    }
  });

  it('whose connections are cut: puts are tried again from the file, reads go on', async () => {
    const bytes = randomBytes(30 * MB);
    const file = await bench.receive(bytes);
    const cut = async (work: Promise<unknown>) => {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      for (let cuts = 0; cuts < 6 && !isOver; cuts += 1) {
        await sleep(10);
        bench.proxy.drop();
      }
      await over;
    };
    const putting = bench.put(file);
    await cut(putting);
    const reading = buffer(bench.blobs.read(await putting));
    await cut(reading);
    expect((await reading).equals(bytes)).to.equal(true);
  });

  /** Does something while the server hangs. @returns milliseconds that it took */
  async function whileHanging(work: () => Promise<unknown>): Promise<number> {
    bench.server.hang();
    const begin = performance.now();
    try {
      await work();
      return performance.now() - begin;
    } finally {
      bench.server.resume();
    }
  }

  it('that hangs: a put fails by itself, and works again when the server does; a save gives up in its time', async function () {
    this.timeout(60_000);
    const file = await bench.receive(randomBytes(3 * MB));
    const put = async () => expect(await failure(bench.blobs.put(file, randomBlob()))).to.include({ name: 'S3Error' });
    expect(await whileHanging(put)).to.be.within(900, 2_500);
    const save = async () => {
      // The first failure is quick, and what hangs after that ends with the save.
      bench.faults.fail((request, response) => {
        bench.faults.heal();
        return hangUp(request, response);
      });
      expect(await failure(bench.put(file, 400))).to.include({ code: 'internal', status: 503 });
    };
    expect(await whileHanging(save)).to.be.within(350, 900);
    const { blob } = await bench.put(file);
    expect(await bench.names()).to.include(blob);
  });

  it('that hangs: a read fails, and so does the rest of one that has begun; who gives one up does not wait for it', async function () {
    this.timeout(60_000);
    const stored = await bench.stored(randomBytes(MORE_THAN_SOCKETS_HOLD));
    const begun = bench.blobs.read(stored);
    await once(begun, 'readable');
    const read = async () => {
      const failures = await Promise.all([begun, bench.blobs.read(stored)].map((stream) => failure(buffer(stream))));
      for (const error of failures) expect(error).to.include({ name: 'S3Error' });
    };
    expect(await whileHanging(read)).to.be.below(10_000);

    const paused = bench.blobs.read(stored);
    await once(paused, 'readable');
    const flowing = bench.blobs.read(stored).on('data', () => {});
    await once(flowing, 'data');
    const giveUp = async () => {
      const streams = [paused, flowing, bench.blobs.read(stored).on('data', () => {})];
      await sleep(50);
      for (const stream of streams) await once(stream.destroy(), 'close');
    };
    expect(await whileHanging(giveUp)).to.be.below(500);
  });

  it('that is slow, or whose reader is: nothing is lost', async function () {
    this.timeout(60_000);
    const bytes = randomBytes(20 * MB);
    const stored = await bench.stored(bytes);
    const stream = bench.blobs.read(stored);
    await once(stream, 'readable');
    // Longer than a connection may be silent: this one is not read from.
    await sleep(2 * S3_TIMINGS.idleMs);
    expect((await buffer(stream)).equals(bytes)).to.equal(true);
  });

  it('keeps no descriptor or connection of puts and reads that failed or were given up', async () => {
    const stored = await bench.stored(randomBytes(5 * MB));
    const count = () => readdirSync('/proc/self/fd').length;
    await buffer(bench.blobs.read(stored));
    const before = count();
    for (let round = 0; round < 20; round += 1) {
      const stream = bench.blobs.read(stored);
      await once(stream, 'readable');
      stream.destroy();
      const file = await bench.receive(randomBytes(MB));
      bench.faults.fail(hangUp);
      await failure(bench.blobs.put(file, randomBlob()));
      bench.faults.heal();
      await bench.incoming.discard(file);
    }
    await until('all are closed', () => count() <= before + 2);
  });
});

const hangUp: Fault = (_request, response) => {
  response.destroy();
  return true;
};
