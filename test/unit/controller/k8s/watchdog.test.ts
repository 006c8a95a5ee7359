import { expect } from 'chai';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import { startWatchdog } from '../../../../cmd/controller/k8s/watchdog.ts';
import { testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';

describe('k8s: watchdog', () => {
  let failure: Error | undefined;
  let probes: number;
  let restarts: number;
  let dog: { stop(): void };

  beforeEach(() => {
    failure = undefined;
    probes = 0;
    restarts = 0;
    dog = startWatchdog({
      async probe() {
        probes += 1;
        if (failure) throw failure;
      },
      onReachable: () => {
        restarts += 1;
      },
      log: testLogger(),
      intervalMs: 10,
      failedMs: 5,
    });
  });

  afterEach(() => dog.stop());

  const probed = (count: number): Promise<boolean> => {
    const goal = probes + count;
    return until('it probes', () => probes >= goal || undefined);
  };

  for (const [what, error, expected] of [
    ['tells once, as soon as the API server can be reached again', new Error('black hole'), 1],
    ['takes a refusal to answer it for an answer', new ApiError('GET /readyz', { status: 403 }), 0],
    ['takes an API server that is not ready for none', new ApiError('GET /readyz', { status: 500 }), 1],
  ] as const) {
    it(what, async () => {
      failure = error;
      await probed(2);
      failure = undefined;
      await probed(3);
      expect(restarts).to.equal(expected);
    });
  }

  it('ends when it is stopped', async () => {
    await probed(1);
    dog.stop();
    const before = probes;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(probes).to.equal(before);
  });
});
