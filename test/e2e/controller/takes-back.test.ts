import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

type Deployment = KubernetesObject & {
  spec: { strategy: { type: string }; template: { spec: { nodeSelector?: Record<string, string> } } };
};

describe('what the controller has overwritten, since others had made it unfit to be merged', function () {
  this.timeout(60_000);
  let cluster: TestCluster;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController();
  });
  after(() => cluster?.close());

  const gate = () => cluster.object<Deployment>(RESOURCES.deployment, 'office-gate');

  it('goes again when the spec no longer has it', async () => {
    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.stopController();
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
    const patch = ['patch', 'deployment', 'office-gate', '-n', cluster.namespace, '--type=merge'];
    await cluster.server.kubectl([...patch, `-p=${JSON.stringify({ spec: { strategy } })}`]);
    await cluster.apply('office', { gate: { pod: { nodeSelector: { pool: 'office' } } } });
    await cluster.startController();
    await until('the gate is as it should be', async () => {
      const { strategy: now, template } = (await gate())?.spec ?? ({} as never);
      return (now.type === 'Recreate' && template.spec.nodeSelector?.['pool'] === 'office') || undefined;
    });
    await cluster.idle();
    const owners = ((await gate())?.metadata.managedFields ?? []).map(
      ({ manager, operation }) => `${manager} ${operation}`,
    );
    expect(owners).to.include('svc-controller Apply').and.to.not.include('svc-controller Update');

    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.idle();
    expect((await gate())?.spec.template.spec.nodeSelector).to.equal(undefined);
  });
});
