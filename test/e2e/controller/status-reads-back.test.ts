import { expect } from 'chai';
import { RESOURCES } from '../../../cmd/controller/k8s/resources.ts';
import { buildStatus, sameStatus } from '../../../cmd/controller/reconcile/status.ts';
import type { LicenseState } from '../../../src/common/crypto/license.ts';
import { NO_LICENSE } from '../../../src/common/crypto/license.ts';
import { docbuilderPlan } from '../../../src/common/plan.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { enterprise, situationOf } from '../../unit/controller/desired/situation.ts';

/** What is read back otherwise would be taken for another controller's, and contested. */
describe('the status that the controller writes', function () {
  this.timeout(60_000);
  let cluster: TestCluster;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.apply('office');
  });
  after(() => cluster?.close());

  it('is read back as it was written, whatever licence follows on another', async () => {
    const features: (string[] | undefined)[] = [
      ['api_full', 'callback'],
      [],
      undefined,
      [],
      ['callback', 'api_full'],
      ['api_full', 'callback'],
      ['a', 'a'],
      [`${'a'.repeat(127)}\u{1f600}`, `${'a'.repeat(128)}b`, `${'a'.repeat(128)}c`],
      Array.from({ length: 100 }, (_, index) => `feature-${index}`),
      undefined,
    ];
    for (const list of features) {
      const status = statusFor(list === undefined ? NO_LICENSE : licensed(list));
      const { apiVersion, kind } = RESOURCES.svcInstance;
      const metadata = { name: 'office', namespace: cluster.namespace };
      await cluster.client.apply(RESOURCES.svcInstance, { apiVersion, kind, metadata, status } as never, {
        manager: 'svc-controller-status',
        subresource: 'status',
      });
      const read = (await cluster.get('office')).status ?? {};
      expect(sameStatus(read, status), `${JSON.stringify(list)}: ${JSON.stringify(read.license)}`).to.equal(true);
    }
  });
});

function licensed(features: string[]): LicenseState {
  const license = enterprise(100);
  return { ...license, claims: license.claims && { ...license.claims, features } } as LicenseState;
}

function statusFor(license: LicenseState) {
  const situation = { ...situationOf({ license }), plan: docbuilderPlan(license) };
  const components = { gate: {}, docbuilder: {}, editor: {}, front: {} };
  return buildStatus({
    ...{ situation, previous: {}, components, applied: 'everything', paused: false, now: 0 },
    findings: [{ type: 'Ready', status: 'True', reason: 'AllAvailable', message: license.claims?.sub ?? 'None.' }],
  });
}
