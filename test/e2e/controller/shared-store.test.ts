import { expect } from 'chai';
import { useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const STORAGE = {
  postgres: { secretName: 'office-db-app' },
  s3: { bucket: 'documents', endpoint: 'http://s3.storage:3900', secretName: 'office-bucket' },
};

/** The API server is real; no pod runs. */
describe('the controller makes an instance without volumes', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(async (cluster) => {
    await cluster.putSecret('office-db-app', { uri: 'postgresql://app:p@office-db-rw:5432/app' }, 'office');
    await cluster.putSecret(
      'office-bucket',
      { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'of-the-bucket' },
      'office',
    );
    await cluster.startController();
    const docbuilder = { workers: 16, autoscaling: { minReplicas: 2 } };
    await cluster.apply('office', { storage: STORAGE, docbuilder });
    await cluster.settled('office');
  });

  const replicas = async (name: string) => (await cluster.deployment(name)).spec?.replicas;
  const scale = (count: number) =>
    cluster.server.kubectl(['-n', cluster.namespace, 'scale', 'deployment/office-docbuilder', `--replicas=${count}`]);

  it('with as many pods as the plan wants, an autoscaler, and one volume', async () => {
    const objects = [...(await cluster.objects()).keys()];
    expect(objects.filter((id) => id.startsWith('PersistentVolumeClaim'))).to.deep.equal([
      'PersistentVolumeClaim/office-editor',
    ]);
    expect(objects).to.include('HorizontalPodAutoscaler/office-docbuilder');
    expect([await replicas('office-gate'), await replicas('office-docbuilder')]).to.deep.equal([2, 2]);
  });

  it('leaves the number of pods to the autoscaler within its bounds, and tells how many workers that makes', async () => {
    await scale(3);
    await cluster.settled('office', ({ status }) => status?.docbuilder?.workers === 12);
    await cluster.idle();
    expect(await replicas('office-docbuilder')).to.equal(3);
    await scale(9);
    await until('the most that the plan allows', async () => (await replicas('office-docbuilder')) === 4);
    await cluster.settled('office', ({ status }) => status?.docbuilder?.workers === 16);
  });

  it('replaces the pods when the password of the database is another one, and the editor is left alone', async () => {
    const digest = async (name: string) =>
      (await cluster.deployment(name)).spec?.template.metadata?.annotations?.['svc.internal/config-hash'];
    const names = ['office-gate', 'office-docbuilder', 'office-editor'];
    const before = await Promise.all(names.map(digest));
    await cluster.putSecret('office-db-app', { uri: 'postgresql://app:rotated@office-db-rw:5432/app' }, 'office');
    await until('the gate is told', async () => (await digest('office-gate')) !== before[0]);
    await cluster.idle();
    const after = await Promise.all(names.map(digest));
    expect(after.map((one, index) => one === before[index])).to.deep.equal([false, false, true]);
  });
});
