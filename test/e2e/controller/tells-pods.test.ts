import { expect } from 'chai';
import type { KubernetesObject, Resource } from '../../../cmd/controller/k8s/api.ts';
import { findCondition } from '../../../cmd/controller/reconcile/conditions.ts';
import type { SvcInstance } from '../../../cmd/controller/reconcile/instances.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';

const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
/** The kubelet writes events of the older group, and the API server shows them in both. */
const EVENTS: Resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };
const MULTI_ATTACH =
  'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another';

describe('the controller tells why pods do not start, as kubelet and controller-manager leave it behind', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  /** Milliseconds that the controller's clock is ahead of the machine's. */
  let ahead = 0;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController({ clock: () => Date.now() + ahead });
  });
  after(() => cluster?.close());

  const of = ({ status }: SvcInstance, type: 'Ready' | 'Stalled' | 'Reconciling') =>
    findCondition(status?.conditions ?? [], type);
  const settledAs = (name: string, reason: string) =>
    cluster.settled(name, (instance) => of(instance, 'Ready')?.reason === reason);

  it('with a volume that is still attached elsewhere, which takes a person after ten minutes', async () => {
    await cluster.apply('attach');
    await settledAs('attach', 'Progressing');
    const waiting = { state: { waiting: { reason: 'ContainerCreating' } } };
    const pod = await makePod('attach', 'gate', { phase: 'Pending', containerStatuses: [containerStatus(waiting)] });
    await warn(pod, 'FailedAttachVolume', MULTI_ATTACH, -30_000);
    await warn(pod, 'FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[data]: timed out', 0);
    const told = await settledAs('attach', 'FailedAttachVolume');
    expect(of(told, 'Ready')?.message).to.include(MULTI_ATTACH).and.to.include('node.kubernetes.io/out-of-service');
    expect(of(told, 'Reconciling')).to.include({ reason: 'FailedAttachVolume' });
    expect(findCondition(told.status?.conditions ?? [], 'GateAvailable')).to.include({ reason: 'FailedAttachVolume' });
    ahead += 600_000;
    const stalled = await cluster.settled('attach', (instance) => of(instance, 'Stalled') !== undefined);
    expect(of(stalled, 'Stalled')).to.include({ reason: 'FailedAttachVolume' });
    expect(of(stalled, 'Reconciling')).to.equal(undefined);
  });

  function containerStatus(more: object): object {
    return { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, ...more };
  }

  /** As controller-manager makes it, with the status that a kubelet gave it. */
  async function makePod(instance: string, component: string, status: object): Promise<KubernetesObject> {
    const name = `${instance}-${component}-0`;
    const labels = {
      'app.kubernetes.io/name': 'svc',
      'app.kubernetes.io/instance': instance,
      'app.kubernetes.io/component': component,
    };
    const metadata = { name, namespace: cluster.namespace, labels };
    const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
    const head = { apiVersion: PODS.apiVersion, kind: PODS.kind };
    const pod = await cluster.client.create(PODS, { ...head, metadata, spec } as KubernetesObject);
    await cluster.client.apply(PODS, { ...head, metadata, status } as KubernetesObject, {
      ...{ manager: 'kubelet', subresource: 'status' },
    });
    return pod;
  }

  function warn({ metadata }: KubernetesObject, reason: string, message: string, at: number): Promise<unknown> {
    const time = new Date(Date.now() + at).toISOString().replace(/\.\d+Z$/, 'Z');
    const { name, namespace, uid } = metadata;
    return cluster.client.create(EVENTS, {
      ...{ apiVersion: EVENTS.apiVersion, kind: EVENTS.kind, metadata: { name: `${name}.${reason}`, namespace } },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      ...{ type: 'Warning', reason, message, firstTimestamp: time, lastTimestamp: time, count: 1 },
      source: { component: 'kubelet', host: 'node-1' },
    } as KubernetesObject);
  }
});
