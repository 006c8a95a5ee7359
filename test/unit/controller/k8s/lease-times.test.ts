import { expect } from 'chai';
import type { Client } from '../../../../cmd/controller/k8s/client.ts';
import { LeaderElection, type Lease } from '../../../../cmd/controller/k8s/lease.ts';
import { testLogger } from '../../../support/logs.ts';

describe('k8s: the times of a leader', () => {
  it('are 15 s for the others to wait; it gives up before, after 10 s', async () => {
    const { setTimeout: real } = globalThis;
    const timers: { work: () => void; ms: number }[] = [];
    const written: Lease[] = [];
    const [elected, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const client = {
      get: async () => undefined,
      create: async (_resource: unknown, lease: Lease) => {
        written.push(lease);
        return lease;
      },
      replace: async (_resource: unknown, lease: Lease) => lease,
    } as unknown as Client;
    globalThis.setTimeout = ((work: () => void, ms = 0) => timers.push({ work, ms })) as never;
    try {
      const election = new LeaderElection({
        ...{ client, namespace: 'one', name: 'svc-controller', identity: 'one', log: testLogger(), now: () => 1_000 },
        onElected: elected.resolve,
        onLost: lost.resolve,
      });
      await elected.promise;
      await new Promise((resolve) => setImmediate(resolve));
      expect(written[0]?.spec).to.include({ leaseDurationSeconds: 15 });
      expect(timers.map(({ ms }) => ms)).to.deep.equal([10_000]);
      expect(election.leading()).to.equal(true);
      timers[0]?.work();
      await lost.promise;
      expect(election.leading()).to.equal(false);
    } finally {
      globalThis.setTimeout = real;
    }
  });
});
