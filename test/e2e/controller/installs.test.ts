import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { getCondition, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

describe('the controller installs an instance', function () {
  this.timeout(60_000);
  const cluster = useTestCluster();

  it('within 5 s', async () => {
    const started = Date.now();
    await cluster.apply('office');
    await cluster.settled('office');
    expect(Date.now() - started).to.be.lessThan(5_000);
  });

  it('and says that it is ready when its Deployments are', async () => {
    expect(await cluster.condition('office', 'Ready')).to.include({ status: 'False', reason: 'Progressing' });
    expect(await cluster.condition('office', 'Reconciling')).to.include({ status: 'True' });
    await cluster.completeDeployments();
    const wait = ['wait', 'svcinstance/office', '--for=condition=Ready', '--timeout=10s', '-n', cluster.namespace];
    await cluster.server.kubectl(wait);
    const { status } = await cluster.get('office');
    expect(status).to.deep.include({ edition: 'Community', baseUrl: 'https://office.example' });
    expect(status?.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`)).to.deep.equal([
      'Ready=True AllAvailable',
      'GateAvailable=True Available',
      'DocBuilderAvailable=True Available',
      'EditorAvailable=True Available',
      'FrontAvailable=True Available',
      'EdgeReady=True Accepted',
      'LicenseValid=True NoLicense',
      'Paused=False NotAsked',
    ]);
  });

  it('and has as many pods of the front as kubectl scale, or an autoscaler, says', async () => {
    const countFronts = async () => (await cluster.deployment('office-front')).spec?.replicas;
    const scale = async () => {
      const path = `/apis/svc.internal/v1/namespaces/${cluster.namespace}/svcinstances/office/scale`;
      return JSON.parse(await cluster.server.kubectl(['get', '--raw', path])) as {
        spec: object;
        status: { replicas: number; selector: string };
      };
    };
    expect(await countFronts()).to.equal(2);
    await cluster.server.kubectl(['scale', 'svcinstance/office', '--replicas=5', '-n', cluster.namespace]);
    await until('five pods are wanted', async () => (await countFronts()) === 5);
    await cluster.completeDeployments();
    await until('five are told', async () => (await scale()).status.replicas === 5);
    expect(await scale()).to.deep.include({ spec: { replicas: 5 } });
    expect((await scale()).status.selector).to.equal(
      'app.kubernetes.io/name=svc,app.kubernetes.io/instance=office,app.kubernetes.io/component=front',
    );
    // Somebody who applies a spec without the number takes nothing back.
    await cluster.apply('office');
    await cluster.settled('office');
    expect(await countFronts()).to.equal(5);
  });

  it('but takes nothing over that somebody else has', async () => {
    const theirs: KubernetesObject & { spec: object } = {
      ...{ apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 1 }] } },
      metadata: { name: 'third-gate', namespace: cluster.namespace },
    };
    const before = await cluster.client.create(RESOURCES.service, theirs);
    await cluster.apply('third');
    await cluster.settled('third');
    expect(await cluster.condition('third', 'Stalled')).to.include({
      reason: 'NameTaken',
      message:
        'Service third-gate exists already and was made by somebody else: delete or rename it, or give the SvcInstance another name.',
    });
    expect(await cluster.object(RESOURCES.service, 'third-gate')).to.deep.equal(before);
    await cluster.client.remove(RESOURCES.service, cluster.namespace, 'third-gate', before.metadata.uid ?? '');
    await cluster.settled('third', (instance) => !getCondition(instance, 'Stalled'));
  });
});
