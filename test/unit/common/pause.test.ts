import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { atMost, pause } from '../../../src/common/pause.ts';

describe('pause', () => {
  it('leaves nothing at its signal, which may live as long as the process', async () => {
    const { signal } = new AbortController();
    await pause(1, signal);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('ends as soon as its signal aborts, also when that was before', async () => {
    const stop = new AbortController();
    const waiting = pause(3_600_000, stop.signal);
    stop.abort();
    await waiting;
    await pause(3_600_000, stop.signal);
  });
});

describe('atMost', () => {
  it('waits for work and for no longer, and passes on what it throws', async () => {
    await atMost(3_600_000, Promise.resolve());
    await atMost(1, new Promise(() => {}));
    const failure = new Error('work failed');
    const thrown = await atMost(3_600_000, Promise.reject(failure)).catch((error: unknown) => error);
    expect(thrown).to.equal(failure);
  });
});
