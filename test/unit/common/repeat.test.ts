import { expect } from 'chai';
import { repeat } from '../../../src/common/repeat.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('repeat', () => {
  it('never runs beside itself, however long it takes', async () => {
    let [running, most, runs] = [0, 0, 0];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = repeat(1, async () => {
      most = Math.max(most, ++running);
      await pause(10);
      running -= 1;
      if (++runs === 3) resolve();
    });
    await promise;
    stop();
    expect(most).to.equal(1);
  });

  it('ends, also while it runs', async () => {
    let runs = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = repeat(1, async () => {
      runs += 1;
      resolve();
      await pause(5);
    });
    await promise;
    stop();
    await pause(30);
    expect(runs).to.equal(1);
  });
});
