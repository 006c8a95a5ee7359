import { expect } from 'chai';
import {
  ALONE,
  type EffectivePlan,
  effectivePlan,
  type Group,
  getShare,
  type Replica,
  sumOverGroup,
} from '../../../cmd/docbuilder/jobs/limits.ts';
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
  const shares = (plan: EffectivePlan, others: Partial<Replica>[]) =>
    [0, ...others.keys()].map((_, rank) => getShare(plan, rank + 1, makeGroup(rank, others)));

  it('are those of one that is alone', () => {
    expect(getShare(COMMUNITY, 4, ALONE)).to.deep.equal({ parallel: 1, capacity: 10 });
    expect(getShare(ENTERPRISE, 4, ALONE)).to.deep.equal({ parallel: 4, capacity: 1000 });
  });

  it('are parts of the whole: in Community, where one job runs, of the first one alone', () => {
    expect(shares(ENTERPRISE, [{}, {}])).to.deep.equal([
      { parallel: 1, capacity: 334 },
      { parallel: 2, capacity: 333 },
      { parallel: 3, capacity: 333 },
    ]);
    const none = { parallel: 0, capacity: 0 };
    expect(shares(COMMUNITY, [{}, {}])).to.deep.equal([{ parallel: 1, capacity: 10 }, none, none]);
  });

  it('are not for one that leaves, whose figures count', () => {
    const group = makeGroup(0, [{ leaving: true, running: 2 }, { running: 3 }]);
    expect(getShare(ENTERPRISE, 1, group).capacity).to.equal(500);
    expect(sumOverGroup(1, group, (other) => other.running)).to.equal(6);
  });
});
