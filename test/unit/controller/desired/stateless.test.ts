import type { V1DeploymentSpec, V1ServiceSpec } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { SHARED } from './instances.ts';
import { container, idOf, objectsOf, specOf } from './objects.ts';
import { enterprise } from './situation.ts';

const OF_DATA = ['gate', 'docbuilder'] as const;

describe('an instance whose documents are in a database and a bucket', () => {
  const alone = objectsOf({ license: enterprise(500) });
  const shared = objectsOf({ license: enterprise(500), spec: { storage: SHARED } });
  const find = (objects: readonly KubernetesObject[], id: string) =>
    objects.find((object) => idOf(object) === id) as KubernetesObject;
  const spec = <T>(objects: readonly KubernetesObject[], id: string) => specOf<T>(find(objects, id));
  const deployment = (objects: readonly KubernetesObject[], component: string) =>
    spec<V1DeploymentSpec>(objects, `Deployment/office-${component}`);

  it("has no volume but the editor's", () => {
    const claims = (objects: readonly KubernetesObject[]) =>
      objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
    expect(claims(alone)).to.deep.equal(['office-gate', 'office-docbuilder', 'office-editor']);
    expect(claims(shared)).to.deep.equal(['office-editor']);
    for (const component of OF_DATA) {
      const data = deployment(shared, component)?.template.spec?.volumes?.find(({ name }) => name === 'data');
      expect(data).to.deep.equal({ name: 'data', emptyDir: { sizeLimit: '20Gi' } });
    }
  });

  it('has two gates and a pod for four workers, which go one after the other once the next is ready', () => {
    expect(OF_DATA.map((component) => deployment(shared, component)?.replicas)).to.deep.equal([2, 3]);
    for (const component of OF_DATA) {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      expect(deployment(shared, component)?.strategy).to.deep.equal(strategy);
      expect(deployment(alone, component)?.strategy).to.deep.equal({ type: 'Recreate' });
      expect(deployment(shared, component)?.template.spec?.topologySpreadConstraints).to.have.length(2);
    }
    for (const component of ['editor', 'front']) {
      expect(deployment(shared, component)?.replicas).to.equal(deployment(alone, component)?.replicas);
    }
  });

  it('gives the front time to hear that a pod goes, on top of what the pod needs to end', () => {
    for (const component of OF_DATA) {
      const grace = (objects: readonly KubernetesObject[]) =>
        deployment(objects, component)?.template.spec?.terminationGracePeriodSeconds ?? 0;
      expect(container(shared, component).lifecycle?.preStop?.sleep).to.deep.equal({ seconds: 10 });
      expect(grace(shared) - grace(alone)).to.equal(10);
    }
  });

  it('lets the front choose among the pods, and the editor reach none that is not ready', () => {
    for (const component of OF_DATA) {
      expect(spec<V1ServiceSpec>(shared, `Service/office-${component}`)?.clusterIP).to.equal('None');
      expect(spec<V1ServiceSpec>(alone, `Service/office-${component}`)?.clusterIP).to.equal(undefined);
    }
    const internal = (objects: readonly KubernetesObject[]) =>
      spec<V1ServiceSpec>(objects, 'Service/office-gate-internal')?.publishNotReadyAddresses;
    expect([internal(shared), internal(alone)]).to.deep.equal([false, true]);
    const asked = (objects: readonly KubernetesObject[]) =>
      container(objects, 'front').env?.find(({ name }) => name === 'SVC_FRONT_GATE_INTERNAL')?.value;
    expect(asked(shared)).to.equal('office-gate.documents.svc.cluster.local:8081 resolve');
    expect(asked(alone)).to.equal('office-gate-internal.documents.svc.cluster.local:8081 resolve');
  });

  it('leaves behind why a pod did not start', () => {
    for (const component of OF_DATA) {
      expect(container(shared, component).terminationMessagePolicy).to.equal('FallbackToLogsOnError');
    }
  });

  it("tells DocBuilder its pod's own address", () => {
    const address = (objects: readonly KubernetesObject[]) =>
      container(objects, 'docbuilder').env?.find(({ name }) => name === 'SVC_POD_IP')?.valueFrom;
    expect(address(shared)).to.deep.equal({ fieldRef: { fieldPath: 'status.podIP' } });
    expect(address(alone)).to.equal(undefined);
  });

  it('has an autoscaler where the spec asks for one', () => {
    const docbuilder = { autoscaling: { minReplicas: 2 } };
    const scaled = objectsOf({ license: enterprise(500), spec: { storage: SHARED, docbuilder } });
    expect(spec(scaled, 'HorizontalPodAutoscaler/office-docbuilder')).to.deep.equal({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'office-docbuilder' },
      minReplicas: 2,
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
      ],
    });
    expect(find(shared, 'HorizontalPodAutoscaler/office-docbuilder')).to.equal(undefined);
  });
});
