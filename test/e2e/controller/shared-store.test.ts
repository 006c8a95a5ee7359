import type { V1Deployment } from '@kubernetes/client-node';
import { expect } from 'chai';
import { type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { appliedFields } from '../../../cmd/controller/reconcile/live-object.ts';
import { useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const STORAGE = {
  postgres: { secretName: 'office-db-app' },
  s3: { bucket: 'documents', endpoint: 'http://s3.storage:3900', secretName: 'office-bucket' },
};

const SCALED = { workers: 16, autoscaling: { minReplicas: 2 } };

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
    await cluster.apply('office', { storage: STORAGE, docbuilder: SCALED });
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

  it('leaves the number to the autoscaler from the start, and no pod goes when one is switched on', async () => {
    await cluster.apply('office', { storage: STORAGE, docbuilder: { workers: 16 } });
    await until(
      'there is no autoscaler',
      async () => !(await cluster.objects()).has('HorizontalPodAutoscaler/office-docbuilder'),
    );
    const { resourceVersion = '' } = (await cluster.deployment('office-docbuilder')).metadata;
    const numbers = new Set<number | undefined>();
    const watching = new AbortController();
    const seen = cluster.client.watch<V1Deployment & KubernetesObject>(
      RESOURCES.deployment,
      { namespace: cluster.namespace, resourceVersion, signal: watching.signal },
      ({ object }) => object.metadata?.name === 'office-docbuilder' && numbers.add(object.spec?.replicas),
    );
    await cluster.apply('office', { storage: STORAGE, docbuilder: { ...SCALED, workerMaxJobs: 100 } });
    await until('the number is not the controllers own', async () => {
      const live = await cluster.deployment('office-docbuilder');
      return appliedFields(live)?.['f:spec']?.['f:replicas'] === undefined || undefined;
    });
    await scale(3);
    await cluster.apply('office', { storage: STORAGE, docbuilder: { ...SCALED, workerMaxJobs: 101 } });
    await cluster.settled('office');
    await cluster.idle();
    watching.abort();
    await seen.catch(() => undefined);
    expect([...numbers]).to.deep.equal([4, 3]);
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
