import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { useTestCluster } from '../../support/controller.ts';
import { established } from '../../support/kubectl.ts';
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
  const cluster = useTestCluster(async (cluster) => {
    const usual = await cluster.client.create(CLASSES, {
      ...{ apiVersion: CLASSES.apiVersion, kind: CLASSES.kind },
      metadata: { name: 'usual', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
      spec: { controller: 'example.com/usual' },
    } as KubernetesObject);
    await cluster.startController();
    return () => cluster.client.remove(CLASSES, undefined, 'usual', usual.metadata.uid ?? '');
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

const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

describe('an instance behind a Gateway', function () {
  this.timeout(60_000);
  const cluster = useTestCluster(async (cluster) => {
    const definition = await cluster.client.create(DEFINITIONS, anyRoute());
    await established(cluster.server.kubectl, definition.metadata.name);
    await cluster.startController();
    return async () => {
      await cluster.stopController();
      const { name, uid = '' } = definition.metadata;
      await cluster.client.remove(DEFINITIONS, undefined, name, uid);
      await cluster.server.kubectl(['wait', '--for=delete', `crd/${name}`, '--timeout=30s']);
    };
  });

  it('says what the Gateway has against its route, and that it is over', async () => {
    await cluster.apply('routed', {
      ingress: { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'shared', namespace: 'edge' } },
    });
    await cluster.settled('routed');
    await cluster.completeDeployments();
    const ready = (reason: string) => cluster.readyAs('routed', reason);
    expect(await ready('RouteNotAccepted')).to.include({
      status: 'False',
      message:
        'All components are available. No Gateway has accepted HTTPRoute routed yet: is there a Gateway shared in namespace edge, and does its controller run?',
    });
    await tell({ status: 'False', reason: 'NotAllowedByListeners', message: 'not from this namespace' });
    expect(await ready('RouteRefused')).to.include({
      status: 'False',
      message:
        'All components are available. Gateway shared does not accept HTTPRoute routed: NotAllowedByListeners: not from this namespace.',
    });
    await tell({ status: 'True', reason: 'Accepted', message: '' });
    await ready('AllAvailable');
  });

  /** Writes the status that the Gateway's controller writes. */
  async function tell(condition: object): Promise<void> {
    const route = await cluster.object(RESOURCES.httpRoute, 'routed');
    const { generation, name, namespace } = route?.metadata ?? {};
    const accepted = { type: 'Accepted', observedGeneration: generation, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const parent = { parentRef: { name: 'shared' }, controllerName: 'example.com/gateways' };
    const { apiVersion, kind } = RESOURCES.httpRoute;
    await cluster.client.apply(
      RESOURCES.httpRoute,
      {
        ...{ apiVersion, kind, metadata: { name, namespace } },
        status: { parents: [{ ...parent, conditions: [{ ...accepted, ...condition }] }] },
      } as KubernetesObject,
      { manager: 'gateways', subresource: 'status' },
    );
  }
});

/** The names of the Gateway API's definition; its schema is not part of Kubernetes. */
function anyRoute(): KubernetesObject {
  const { kind, plural } = RESOURCES.httpRoute;
  const group = 'gateway.networking.k8s.io';
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    ...{ apiVersion: DEFINITIONS.apiVersion, kind: DEFINITIONS.kind },
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' } },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural } },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  } as KubernetesObject;
}
