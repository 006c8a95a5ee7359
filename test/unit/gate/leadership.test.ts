import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Leadership } from '../../../cmd/gate/domain/leadership.ts';
import type { Lease } from '../../../cmd/gate/domain/ports.ts';
import { silentLogger } from '../../support/logs.ts';
import { until } from '../../support/until.ts';

/** A lease for `ms` milliseconds that several may want. */
function leaseFor(ms: number) {
  let held = { by: -1, until: 0 };
  const state = { broken: false, hangs: false };
  const lease = (by: number): Lease => ({
    async renew() {
      if (state.hangs) await sleep(3 * ms);
      if (state.broken) throw new Error('the database is away');
      const now = performance.now();
      if (held.by !== by && held.until > now) return false;
      held = { by, until: now + ms };
      return true;
    },
    async release() {
      if (held.by === by) held = { by: -1, until: 0 };
    },
  });
  return { state, lease };
}

describe('leadership', () => {
  const LEASE = 200;
  const open: Leadership[] = [];
  /** Those on duty. */
  const onDuty = new Set<number>();
  let most = 0;

  beforeEach(() => {
    onDuty.clear();
    most = 0;
  });
  afterEach(async () => {
    for (const leadership of open.splice(0)) await leadership.stop();
  });

  function gate(by: number, lease: Lease | undefined, stopMs = 0): Leadership {
    const duty = {
      start() {
        onDuty.add(by);
        most = Math.max(most, onDuty.size);
      },
      async stop() {
        await sleep(stopMs);
        onDuty.delete(by);
      },
    };
    const leadership = new Leadership({ lease, log: silentLogger(), renewMs: 40, leadMs: 0.8 * LEASE }, [duty]);
    open.push(leadership);
    return leadership;
  }

  it('is one gate’s, and another’s at once when that stops', async () => {
    const { lease } = leaseFor(60_000);
    const [first, second] = [gate(1, lease(1)), gate(2, lease(2))];
    await first.start();
    await second.start();
    await sleep(200);
    expect([first.leads(), second.leads()]).to.deep.equal([true, false]);
    await first.stop();
    await until('the second leads', () => second.leads());
    expect(most).to.equal(1);
  });

  it('ends before the lease does when that cannot be renewed, and passes on, and comes back to nobody by itself', async () => {
    const { lease, state } = leaseFor(LEASE);
    const [first, second] = [gate(1, lease(1), 10), gate(2, lease(2), 10)];
    await first.start();
    state.broken = true;
    expect(first.leads()).to.equal(true);
    await until('the first stops', () => onDuty.size === 0);
    expect(first.leads()).to.equal(false);
    state.broken = false;
    await second.start();
    await until('one leads', () => first.leads() || second.leads() || undefined);
    await sleep(2 * LEASE);
    expect([onDuty.size, most]).to.deep.equal([1, 1]);
  });

  it('counts from when it was asked for: an answer that comes too late gives none', async () => {
    const { lease, state } = leaseFor(LEASE);
    const first = gate(1, lease(1));
    state.hangs = true;
    await first.start();
    expect(first.leads()).to.equal(false);
    state.hangs = false;
    await until('it leads', () => first.leads());
  });

  it('is not taken by a gate that stops while it asks for it', async () => {
    const { lease, state } = leaseFor(LEASE);
    const [first, second] = [gate(1, lease(1)), gate(2, lease(2))];
    state.hangs = true;
    const starting = first.start();
    await first.stop();
    await starting;
    state.hangs = false;
    await second.start();
    expect([first.leads(), second.leads(), [...onDuty]]).to.deep.equal([false, true, [2]]);
  });

  it('is passed around without two at a time, however often the store fails', async () => {
    const { lease, state } = leaseFor(60);
    const gates = [1, 2, 3].map((by) => gate(by, lease(by)));
    await Promise.all(gates.map((one) => one.start()));
    for (let round = 0; round < 20; round += 1) {
      state.broken = round % 2 === 0;
      await sleep(50);
      expect(gates.filter((one) => one.leads()).length).to.be.at.most(1);
    }
  });
});
