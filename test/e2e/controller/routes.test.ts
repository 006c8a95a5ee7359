import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { findCondition } from '../../../cmd/controller/reconcile/conditions.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
import { established } from '../../support/kubectl.ts';

const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

describe('an instance behind a Gateway', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let definition: KubernetesObject;

  before(async function () {
    cluster = await startTestCluster(this);
    definition = await cluster.client.create(DEFINITIONS, anyRoute());
    await established(cluster.server.kubectl, definition.metadata.name);
    await cluster.startController();
  });
  after(async () => {
    await cluster?.stopController();
    if (definition) {
      await cluster.client.remove(DEFINITIONS, undefined, definition.metadata.name, definition.metadata.uid ?? '');
      await cluster.server.kubectl(['wait', '--for=delete', `crd/${definition.metadata.name}`, '--timeout=30s']);
    }
    await cluster?.close();
  });

  it('says what the Gateway has against its route, and that it is over', async () => {
    await cluster.apply('routed', {
      ingress: { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'shared', namespace: 'edge' } },
    });
    await cluster.settled('routed');
    await cluster.completeDeployments();
    const ready = async (reason: string) => {
      const { status } = await cluster.settled('routed', (instance) => readyOf(instance)?.reason === reason);
      return readyOf({ status });
    };
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

  /** As the Gateway's controller does. */
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

function readyOf({ status }: { status?: { conditions?: Parameters<typeof findCondition>[0] } | undefined }) {
  return findCondition(status?.conditions ?? [], 'Ready');
}

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
