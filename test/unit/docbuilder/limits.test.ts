import { expect } from 'chai';
import { effectivePlan, maxFileBytes } from '../../../cmd/docbuilder/jobs/limits.ts';
import { type LicenseState, NO_LICENSE } from '../../../src/common/crypto/license.ts';

const claims = { sub: 'Company', conns: 200, features: ['api_full'], issuedAt: 0, expiresAt: 1 };
const licensed: LicenseState = { state: 'valid', graceDaysLeft: null, claims, problem: null };

describe('the limits in force', () => {
  it('have one parallel job in Community however many workers there are, and as many as those in Enterprise', () => {
    for (const workers of [1, 4, 32]) {
      expect(effectivePlan(NO_LICENSE, workers, {}).limits.parallel_jobs).to.equal(1);
      expect(effectivePlan(licensed, workers, {}).limits.parallel_jobs).to.equal(workers);
    }
  });

  it('are lowered and never raised by what the operator set', () => {
    const raised = effectivePlan(NO_LICENSE, 1, { maxFileMb: 300, jobTimeoutSeconds: 600 });
    expect(raised.limits).to.include({ max_file_mb: 10, job_timeout_seconds: 120 });
    const lowered = effectivePlan(licensed, 1, { maxFileMb: 7, jobTimeoutSeconds: 30 });
    expect(lowered.limits).to.include({ max_file_mb: 7, job_timeout_seconds: 30 });
    expect(maxFileBytes(lowered)).to.equal(7 * 1024 * 1024);
  });
});
