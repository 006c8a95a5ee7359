import { expect } from 'chai';
import { ApiClient } from '../../../../cmd/controller/k8s/client.ts';
import { DEFAULT_TIMINGS, LeaderElection, type Lease } from '../../../../cmd/controller/k8s/lease.ts';
import { testLogger } from '../../../support/logs.ts';
import { until } from '../../../support/until.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/one/leases';
const TIMINGS = { durationMs: 1000, renewDeadlineMs: 600, retryMs: 100 };

describe('k8s: leader election', () => {
  let server: StandIn;
  let ends: (() => Promise<unknown>)[];

  function candidate(identity: string, timings = TIMINGS) {
    const client = new ApiClient(server.kubeConfig, { timeoutMs: 250 });
    const own = { identity, elected: false, lost: false };
    const election = new LeaderElection({
      client,
      namespace: 'one',
      name: 'svc-controller',
      identity,
      onElected: () => {
        own.elected = true;
      },
      onLost: () => {
        own.lost = true;
      },
      log: testLogger(),
      timings,
    });
    ends.push(() => election.stop().then(() => client.close()));
    return Object.assign(own, { leading: () => election.leading(), stop: () => election.stop() });
  }

  const elected = (one: { identity: string; elected: boolean }) =>
    until(`${one.identity} leads`, () => one.elected || undefined);
  const spec = (): NonNullable<Lease['spec']> => (server.objects(PATH)[0] as Lease).spec ?? {};

  beforeEach(async () => {
    server = await startStandIn();
    ends = [];
  });

  afterEach(async () => {
    server.fault = undefined;
    for (const end of ends) await end();
    await server.close();
  });

  it('makes the lease, with the times that the API takes, and renews it', async () => {
    await elected(candidate('one'));
    const { acquireTime, renewTime = '', ...rest } = spec();
    expect(rest).to.deep.equal({ holderIdentity: 'one', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(renewTime).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await until('a renewal', () => (spec().renewTime ?? '') > renewTime || undefined);
    expect(spec().acquireTime).to.equal(acquireTime);
  });

  it("never reads the holder's clock: one that is hours wrong, either way, is waited for as long", async () => {
    for (const renewTime of ['2001-01-01T00:00:00.000000Z', '2101-01-01T00:00:00.000000Z']) {
      server.put(PATH, 'svc-controller', {
        spec: { holderIdentity: 'wrong', leaseDurationSeconds: 1, renewTime, leaseTransitions: 3 },
      });
      const started = performance.now();
      const next = candidate('next');
      await elected(next);
      expect(performance.now() - started).to.be.within(950, 5000);
      await next.stop();
    }
  });

  it('is lost when it cannot be renewed in time, before another may take it', async () => {
    const one = candidate('one');
    await elected(one);
    server.fault = () => true;
    const started = performance.now();
    await until('it is lost', () => one.lost || undefined);
    expect(performance.now() - started).to.be.lessThan(900);
    expect(one.leading()).to.equal(false);
  });

  it('survives a renewal that was made and whose answer never came', async () => {
    // As in life: 4 s for a request, 10 s until it is lost, 2 s from renewal to renewal.
    const one = candidate('one', { ...TIMINGS, retryMs: 120 });
    await elected(one);
    let lost = 0;
    server.fault = (request, _, body) => {
      if (request.method !== 'PUT' || lost > 0) return undefined;
      lost += 1;
      server.put(PATH, 'svc-controller', JSON.parse(body) as Record<string, unknown>);
      return true;
    };
    await until('an answer is lost', () => lost || undefined);
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect([one.lost, one.leading()]).to.deep.equal([false, true]);
    expect(spec()).to.include({ holderIdentity: 'one', leaseTransitions: 0 });
  });

  it('is looked at and renewed in the same try when somebody else has written to it', async () => {
    const one = candidate('one', { ...TIMINGS, retryMs: 400 });
    await elected(one);
    server.put(PATH, 'svc-controller', { spec: { ...spec() } });
    const before = server.requests.length;
    await until('three requests', () => server.requests.length >= before + 3 || undefined);
    const methods = server.requests.slice(before).map((request) => request.split(' ')[0]);
    expect(methods.slice(0, 3)).to.deep.equal(['PUT', 'GET', 'PUT']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([one.lost, one.leading()]).to.deep.equal([false, true]);
  });

  it('is lost at once when another has taken it', async () => {
    const one = candidate('one', { ...TIMINGS, durationMs: 60_000, renewDeadlineMs: 50_000 });
    await elected(one);
    server.put(PATH, 'svc-controller', { spec: { holderIdentity: 'thief', leaseDurationSeconds: 60 } });
    await until('it is lost', () => one.lost || undefined);
    expect(spec().holderIdentity).to.equal('thief');
  });

  it('is made again when somebody deleted it', async () => {
    const one = candidate('one');
    await elected(one);
    server.remove(PATH, 'svc-controller');
    await until('it is there again', () => server.objects(PATH).length === 1 || undefined);
    expect([one.lost, one.leading()]).to.deep.equal([false, true]);
  });

  it('knows by itself that its time is up, also when no timer could run', async () => {
    const one = candidate('one', { ...TIMINGS, durationMs: 300, renewDeadlineMs: 290 });
    await elected(one);
    const until = performance.now() + 350;
    while (performance.now() < until);
    expect(one.leading()).to.equal(false);
  });

  it('gives back what was taken while it was being stopped', async () => {
    const one = candidate('one');
    let stopped: Promise<void> | undefined;
    server.fault = ({ method }) => {
      if (method === 'POST') stopped = one.stop();
      return undefined;
    };
    await until('it is being taken', () => stopped !== undefined);
    await stopped;
    expect(server.requests.map((request) => request.split(' ')[0])).to.deep.equal(['GET', 'POST', 'PUT']);
    expect(spec().holderIdentity).to.equal('');
    expect(one.elected).to.equal(false);
  });

  it('stops within 2 s when nothing answers', async () => {
    const one = candidate('one');
    await elected(one);
    server.fault = () => true;
    const started = performance.now();
    await one.stop();
    expect(performance.now() - started).to.be.lessThan(2100);
    expect(one.lost).to.equal(false);
  });
});

describe('k8s: the times of a leader', () => {
  it('are 15 s for the others to wait; it gives up before, after 10 s', () => {
    expect(DEFAULT_TIMINGS).to.deep.equal({ durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 });
  });
});
