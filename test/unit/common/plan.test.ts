import { expect } from 'chai';
import fc from 'fast-check';
import { LICENSE_GRACE_DAYS, type LicenseState } from '../../../src/common/crypto/license.ts';
import { applyLowering, docbuilderPlan, MIN_CONNS_PER_ORDER } from '../../../src/common/plan.ts';

function license(
  state: LicenseState['state'],
  features: string[] = ['api_full', 'callback'],
  conns = 120,
): LicenseState {
  const claims = { sub: 'Company', conns, features, issuedAt: 0, expiresAt: 0 };
  return { state, graceDaysLeft: null, claims: state === 'none' || state === 'invalid' ? null : claims, problem: null };
}

const COMMUNITY = {
  rate_per_minute: 10,
  rate_per_day: 200,
  parallel_jobs: 1,
  max_queued_jobs: 10,
  max_file_mb: 10,
  result_ttl_minutes: 15,
  sync_timeout_seconds: 60,
  job_timeout_seconds: 120,
  async: true,
  callback: false,
  max_script_units: 500,
  max_outputs_per_build: 1,
};
const ENTERPRISE = {
  rate_per_minute: 180,
  rate_per_day: null,
  parallel_jobs: null,
  max_queued_jobs: 1000,
  max_file_mb: 300,
  result_ttl_minutes: 1440,
  sync_timeout_seconds: 60,
  job_timeout_seconds: 600,
  async: true,
  callback: true,
  max_script_units: 20_000,
  max_outputs_per_build: 5,
};
const RENDER = 'POST /v1/template/render';

describe('docbuilderPlan', () => {
  it('gives the contract’s Community table without a licence', () => {
    const plan = docbuilderPlan(license('none'));
    expect(plan.edition).to.equal('community');
    expect(plan.limits).to.deep.equal(COMMUNITY);
    expect(plan.features).to.deep.equal([]);
  });

  it('gives the contract’s Enterprise table with one', () => {
    const plan = docbuilderPlan(license('valid'));
    expect(plan.edition).to.equal('enterprise');
    expect(plan.limits).to.deep.equal(ENTERPRISE);
    expect(plan.features).to.deep.equal(['api_full', 'callback']);
  });

  for (const [state, edition] of [
    ['none', 'community'],
    ['valid', 'enterprise'],
    ['grace', 'enterprise'],
    ['expired', 'community'],
    ['invalid', 'community'],
  ] as const) {
    it(`is ${edition} when the licence is ${state}`, () => {
      expect(docbuilderPlan(license(state)).edition).to.equal(edition);
    });
  }

  it('is Community, without features, when the licence lacks api_full', () => {
    const plan = docbuilderPlan(license('valid', ['callback', 'api']));
    expect(plan.edition).to.equal('community');
    expect(plan.limits.callback).to.equal(false);
    expect(plan.features).to.deep.equal([]);
  });

  it('allows callbacks only with their feature', () => {
    expect(docbuilderPlan(license('valid', ['api_full'])).limits.callback).to.equal(false);
  });

  for (const [conns, rate] of [
    [1, 60],
    [50, 60],
    [51, 120],
    [120, 180],
    [200, 240],
    [201, 300],
    [500, 600],
    [800, 960],
    [2500, 3000],
    [5000, 3000],
  ] as const) {
    it(`gives ${conns} connections ${rate} requests a minute`, () => {
      expect(docbuilderPlan(license('valid', ['api_full'], conns)).limits.rate_per_minute).to.equal(rate);
    });
  }

  it('lets Community call every endpoint but the one that fills templates', () => {
    const community = docbuilderPlan(license('none')).allowed_endpoints;
    const enterprise = docbuilderPlan(license('valid')).allowed_endpoints;
    expect(enterprise).to.have.lengthOf(11).and.include(RENDER);
    expect(enterprise.filter((endpoint) => !community.includes(endpoint))).to.deep.equal([RENDER]);
  });
});

describe('applyLowering', () => {
  const limits = docbuilderPlan(license('valid')).limits;

  it('lowers the two limits it knows', () => {
    expect(applyLowering(limits, { maxFileMb: 20, jobTimeoutSeconds: 30 })).to.deep.equal({
      ...limits,
      max_file_mb: 20,
      job_timeout_seconds: 30,
    });
  });

  it('never raises one', () => {
    const positive = fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined });
    fc.assert(
      fc.property(positive, positive, (maxFileMb, jobTimeoutSeconds) => {
        const lowered = applyLowering(limits, { maxFileMb, jobTimeoutSeconds });
        expect(lowered.max_file_mb).to.be.at.most(Math.min(limits.max_file_mb, maxFileMb ?? Infinity));
        expect(lowered.job_timeout_seconds).to.be.at.most(Math.min(600, jobTimeoutSeconds ?? Infinity));
      }),
    );
  });
});

describe('the plan file', () => {
  it('holds the contract’s other numbers', () => {
    expect(LICENSE_GRACE_DAYS).to.equal(30);
    expect(MIN_CONNS_PER_ORDER).to.equal(50);
  });
});
