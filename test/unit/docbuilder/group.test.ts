import { expect } from 'chai';
import { ALONE, type Group, getShare, type Replica, sumOverGroup } from '../../../cmd/docbuilder/jobs/group.ts';
import { type EffectivePlan, effectivePlan } from '../../../cmd/docbuilder/jobs/limits.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';

const COMMUNITY = effectivePlan(NO_LICENSE, 3, {});
const ENTERPRISE: EffectivePlan = {
  ...COMMUNITY,
  parallelJobs: null,
  limits: { ...COMMUNITY.limits, parallel_jobs: 7, max_queued_jobs: 1000 },
};

/** The group as the replica sees it that joined after `rank` of the others. */
function makeGroup(rank: number, others: Partial<Replica>[]): Group {
  return { rank: () => rank, others: () => others.map((other) => ({ leaving: false, ...other }) as Replica) };
}

describe('the limits of several DocBuilders', () => {
  it('are those of one that is alone', () => {
    expect(getShare(COMMUNITY, 4, ALONE)).to.deep.equal({ parallel: 1, capacity: 10 });
    expect(getShare(ENTERPRISE, 4, ALONE)).to.deep.equal({ parallel: 4, capacity: 1000 });
  });

  it('are parts of the whole in Enterprise: each runs what its workers can, and lets its part wait', () => {
    const shares = [0, 1, 2].map((rank) => getShare(ENTERPRISE, rank + 1, makeGroup(rank, [{}, {}])));
    expect(shares.map(({ parallel }) => parallel)).to.deep.equal([1, 2, 3]);
    expect(shares.map(({ capacity }) => capacity)).to.deep.equal([334, 333, 333]);
  });

  it('belong to the first one in Community, where one job runs', () => {
    const shares = [0, 1, 2].map((rank) => getShare(COMMUNITY, 4, makeGroup(rank, [{}, {}])));
    expect(shares).to.deep.equal([
      { parallel: 1, capacity: 10 },
      { parallel: 0, capacity: 0 },
      { parallel: 0, capacity: 0 },
    ]);
  });

  it('are not for one that leaves', () => {
    expect(getShare(ENTERPRISE, 1, makeGroup(0, [{ leaving: true }, {}])).capacity).to.equal(500);
  });

  it('add up figures of all, also of those that leave', () => {
    expect(
      sumOverGroup(1, makeGroup(0, [{ running: 2 }, { running: 3, leaving: true }]), (other) => other.running),
    ).to.equal(6);
  });
});
