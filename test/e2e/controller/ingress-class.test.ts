import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

type Ingress = KubernetesObject & { spec?: { ingressClassName?: string } };

const CLASSES: Resource = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
};

describe('an instance that names no class of Ingress', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let usual: KubernetesObject;

  before(async function () {
    cluster = await startTestCluster(this);
    usual = await cluster.client.create(CLASSES, {
      ...{ apiVersion: CLASSES.apiVersion, kind: CLASSES.kind },
      metadata: { name: 'usual', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: { controller: 'example.com/usual' },
    } as KubernetesObject);
    await cluster.startController();
  });
  after(async () => {
    if (usual) await cluster.client.remove(CLASSES, undefined, 'usual', usual.metadata.uid ?? '');
    await cluster?.close();
  });

  /** The class of its Ingress, once that is `name`. */
  const classIs = (name: string) =>
    until(`its class is ${name}`, async () => {
      const ingress = await cluster.object<Ingress>(RESOURCES.ingress, 'office');
      return ingress?.spec?.ingressClassName === name || undefined;
    });

  it('has the default one of the cluster, also after another', async () => {
    await cluster.apply('office', { ingress: { gating: 'AuthUrl' } });
    await classIs('nginx');
    await cluster.apply('office', { ingress: { gating: 'Front' } });
    await classIs('usual');
    await cluster.apply('office', { ingress: { gating: 'Front', className: 'other' } });
    await classIs('other');
    await cluster.apply('office', { ingress: { gating: 'Front' } });
    await classIs('usual');
  });

  it('keeps the Ingress that has it, whatever else changes', async () => {
    const before = await cluster.object(RESOURCES.ingress, 'office');
    await cluster.apply('office', { ingress: { gating: 'Front', annotations: { 'kubernetes.io/tls-acme': 'yes' } } });
    const after = await until('it is changed', async () => {
      const ingress = await cluster.object<Ingress>(RESOURCES.ingress, 'office');
      return ingress?.metadata.annotations?.['kubernetes.io/tls-acme'] === 'yes' ? ingress : undefined;
    });
    expect(after.metadata.uid).to.equal(before?.metadata.uid);
    expect(after.spec?.ingressClassName).to.equal('usual');
  });
});
