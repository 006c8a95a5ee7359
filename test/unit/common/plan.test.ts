import { expect } from 'chai';
import { effectivePlan, maxFileBytes } from '../../../cmd/docbuilder/jobs/limits.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';

const FEATURES = ['api_full', 'callback'];

function license(state: LicenseState['state'], features = FEATURES, conns = 120): LicenseState {
  const claims = { sub: 'Company', conns, features, issuedAt: 0, expiresAt: 0 };
  return { state, graceDaysLeft: null, claims: state === 'none' || state === 'invalid' ? null : claims, problem: null };
}

/** Contract: the table of the editions. */
const COMMUNITY = {
  ...{ rate_per_minute: 10, rate_per_day: 200, parallel_jobs: 1, max_queued_jobs: 10, max_file_mb: 10 },
  ...{ result_ttl_minutes: 15, sync_timeout_seconds: 60, job_timeout_seconds: 120, async: true, callback: false },
  ...{ max_script_units: 500, max_outputs_per_build: 1 },
};
const ENTERPRISE = {
  ...{ rate_per_minute: 180, rate_per_day: null, parallel_jobs: null, max_queued_jobs: 1000, max_file_mb: 300 },
  ...{ result_ttl_minutes: 1440, sync_timeout_seconds: 60, job_timeout_seconds: 600, async: true, callback: true },
  ...{ max_script_units: 20_000, max_outputs_per_build: 5 },
};
const NO_CALLBACK = { ...ENTERPRISE, callback: false };
const RENDER = 'POST /v1/template/render';

describe('the plan', () => {
  for (const [what, state, edition, limits, features] of [
    ['no licence', license('none'), 'community', COMMUNITY, []],
    ['a valid licence', license('valid'), 'enterprise', ENTERPRISE, FEATURES],
    ['a licence in its grace', license('grace'), 'enterprise', ENTERPRISE, FEATURES],
    ['an expired licence', license('expired'), 'community', COMMUNITY, []],
    ['an invalid licence', license('invalid'), 'community', COMMUNITY, []],
    ['a licence without api_full', license('valid', ['callback', 'api']), 'community', COMMUNITY, []],
    ['a licence without callback', license('valid', ['api_full']), 'enterprise', NO_CALLBACK, ['api_full']],
  ] as const) {
    it(`of ${what} is ${edition}`, () => {
      expect(docbuilderPlan(state)).to.deep.include({ edition, limits, features });
    });
  }

  it('has 60 requests a minute for each 50 connections that are begun, and at most 3000', () => {
    const conns = [1, 50, 51, 120, 200, 201, 500, 800, 2500, 5000];
    const rates = conns.map((count) => docbuilderPlan(license('valid', FEATURES, count)).limits.rate_per_minute);
    expect(rates).to.deep.equal([60, 60, 120, 180, 240, 300, 600, 960, 3000, 3000]);
  });

  it('lets Community call every endpoint but the one that fills templates', () => {
    const community = docbuilderPlan(license('none')).allowed_endpoints;
    const enterprise = docbuilderPlan(license('valid')).allowed_endpoints;
    expect(enterprise).to.have.lengthOf(11).and.include(RENDER);
    expect(enterprise.filter((endpoint) => !community.includes(endpoint))).to.deep.equal([RENDER]);
  });
});

describe('the limits in force', () => {
  it('have one parallel job in Community however many workers there are, and as many as those in Enterprise', () => {
    for (const workers of [1, 4, 32]) {
      expect(effectivePlan(license('none'), workers, {}).limits.parallel_jobs).to.equal(1);
      expect(effectivePlan(license('valid'), workers, {}).limits.parallel_jobs).to.equal(workers);
    }
  });

  it('are lowered and never raised by what the operator set', () => {
    const raised = effectivePlan(license('none'), 1, { maxFileMb: 300, jobTimeoutSeconds: 600 });
    expect(raised.limits).to.deep.equal(COMMUNITY);
    const lowered = effectivePlan(license('valid'), 1, { maxFileMb: 7, jobTimeoutSeconds: 30 });
    expect(lowered.limits).to.deep.equal({ ...ENTERPRISE, parallel_jobs: 1, max_file_mb: 7, job_timeout_seconds: 30 });
    expect(maxFileBytes(lowered)).to.equal(7 * 1024 * 1024);
  });
});
