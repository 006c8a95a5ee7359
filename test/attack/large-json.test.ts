import { expect } from 'chai';
import type { EffectivePlan } from '../../cmd/docbuilder/jobs/limits.ts';
import { checkScript } from '../../cmd/docbuilder/script/check/check.ts';
import { errorOf, startEnterprise, type TestService } from '../support/service.ts';
import { threadTime } from '../support/thread-time.ts';

const PLAN = { edition: 'enterprise', limits: { max_outputs_per_build: 5, max_script_units: 20_000 } } as EffectivePlan;
const MEGABYTE = 1024 * 1024;

/** A megabyte with about as many mistakes as are all looked for; nothing takes longer. */
const INVALID = JSON.stringify({
  svcscript: 1,
  type: 'text',
  save: [{ format: 'docx' }],
  metadata: { title: 'x'.repeat(MEGABYTE) },
  body: [{ type: 'paragraph', text: Array(7_900).fill(0) }],
});

/** Returns the time of a check in this thread, once its code has been compiled. */
async function timeToCheck(): Promise<number> {
  const check = (): unknown => {
    try {
      return checkScript(JSON.parse(INVALID), PLAN);
    } catch (error) {
      return error;
    }
  };
  check();
  return threadTime(check);
}

describe('attack: an invalid script of a megabyte', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startEnterprise();
  });
  after(() => service.stop());

  it('does not keep the thread busy that answers others', async () => {
    const own = await timeToCheck();
    const taken = await threadTime(async () => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await service.call('/v1/build', { method: 'POST', body: INVALID, headers });
      expect(await errorOf(answer)).to.include({ status: 422, code: 'script_invalid' });
    });
    expect(taken).to.be.below(own / 2);
  });
});
