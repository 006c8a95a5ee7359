import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { getCondition, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

const WEBHOOKS: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
const LONG = 'a secret of more than thirty-two characters';

describe('the controller tells what is wrong', function () {
  this.timeout(60_000);
  const cluster = useTestCluster();

  it('with pods of which the API server does not know a member, or not in that form', async () => {
    const preferred = [{ weight: 1.5, preference: {} }];
    const cases: [nodeAffinity: object, reported: string][] = [
      [{ requiredDuringScheduling: {} }, 'nodeAffinity'],
      [{ requiredDuringSchedulingIgnoredDuringExecution: 'x' }, 'nodeAffinity'],
      [{ preferredDuringSchedulingIgnoredDuringExecution: preferred }, 'cannot convert float64 to int32'],
    ];
    for (const [index, [nodeAffinity, reported]] of cases.entries()) {
      await cluster.apply(`typo-${index}`, { editor: { pod: { affinity: { nodeAffinity } } } });
      const stalled = getCondition(await cluster.settled(`typo-${index}`), 'Stalled');
      expect(stalled).to.include({ reason: 'Refused' });
      expect(stalled?.message).to.include(reported);
    }
  });

  it('with an API server that goes on failing, and that it is over', async () => {
    const webhook = await brokenWebhook();
    try {
      await cluster.apply('webhook');
      const failing = await cluster.readyAs('webhook', 'ApiServerFails');
      expect(failing.message).to.include('failed calling webhook');
    } finally {
      await cluster.client.remove(WEBHOOKS, undefined, webhook.metadata.name, webhook.metadata.uid ?? '');
    }
    await cluster.readyAs('webhook', 'Progressing');
  });

  it('when secrets that people use are made anew, by their keys alone', async () => {
    await cluster.apply('lost');
    await cluster.settled('lost');
    // A reconcile that has read the Secret before would put it back as it was.
    await cluster.idle();
    const secret = await cluster.object<KubernetesObject>(RESOURCES.secret, 'lost-secrets');
    await cluster.client.remove(RESOURCES.secret, cluster.namespace, 'lost-secrets', secret?.metadata.uid ?? '');
    const event = await until('an event', async () => {
      const { items } = await cluster.client.list<KubernetesObject & { reason: string; note: string; type: string }>(
        RESOURCES.event,
        { namespace: cluster.namespace, limit: 500 },
      );
      return items.find(({ reason }) => reason.startsWith('Secrets'));
    });
    expect(event).to.include({ type: 'Warning', reason: 'SecretsLost' });
    expect(event.note).to.include('docbuilder-api-keys');
    expect(event.note).not.to.include('svc_');
  });

  it('with a value that somebody has changed by hand to one that a service would not start with: no pod is restarted for it', async () => {
    await cluster.apply('edited');
    await cluster.settled('edited');
    await cluster.completeDeployments();
    await cluster.readyAs('edited', 'AllAvailable');
    const before = await cluster.deployment('edited-gate');
    await cluster.putSecret('edited-secrets', { 'embed-jwt-secret': 'hunter2 again' });
    const reported = await cluster.readyAs('edited', 'SecretUnusable');
    expect(reported.message).to.match(/^Secret edited-secrets cannot be used: embed-jwt-secret has fewer than 32/);
    expect(reported.message).to.not.include('hunter2 again');
    const after = await cluster.deployment('edited-gate');
    expect(after.metadata.generation).to.equal(before.metadata.generation);
    await cluster.putSecret('edited-secrets', { 'embed-jwt-secret': LONG });
    await until('the gate is given the new value', async () => {
      const now = await cluster.deployment('edited-gate');
      return now.metadata.generation !== before.metadata.generation || undefined;
    });
  });

  it('with a spec that the API server refuses, and takes nothing away that is of others', async () => {
    await cluster.apply('others');
    await cluster.settled('others');
    const kubectl = (...words: string[]) => cluster.server.kubectl([...words, '-n', cluster.namespace]);
    await kubectl('rollout', 'restart', 'deployment/others-gate');
    await kubectl('patch', 'deployment', 'others-gate', '--type=merge', '-p', '{"spec":{"minReadySeconds":7}}');
    const theirs = async () => {
      const { spec } = await cluster.deployment('others-gate');
      const { 'kubectl.kubernetes.io/restartedAt': restarted } = spec?.template.metadata?.annotations ?? {};
      return { restarted, minReadySeconds: spec?.minReadySeconds };
    };
    const before = await theirs();
    expect(before.restarted).to.be.a('string');
    const preference = { matchExpressions: [{ key: 'disk', operator: 'Exists' }] };
    const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1000, preference }];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution } };
    await cluster.apply('others', { gate: { pod: { affinity } } });
    const { message } = await cluster.readyAs('others', 'Refused');
    expect(message).to.match(/^The API server refused: .*others-gate.*\.weight: .*must be in the range 1-100/);
    await cluster.apply('others', { logLevel: 'Debug' });
    await cluster.readyAs('others', 'Progressing');
    expect(JSON.stringify((await cluster.deployment('others-gate')).spec)).to.include('"debug"');
    expect(await theirs()).to.deep.equal(before);
  });

  it('with what somebody has made of an object so that it goes together with nothing that it is to be', async () => {
    await cluster.apply('strategy');
    await cluster.settled('strategy');
    const patch = (what: object) =>
      cluster.server.kubectl(
        ...[
          ['patch', 'deployment', 'strategy-gate', '-n', cluster.namespace, '--type=merge', '-p', JSON.stringify(what)],
        ],
      );
    await patch({ spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } });
    const { message } = await cluster.readyAs('strategy', 'Refused');
    expect(message).to.match(/^The API server refused: .*strategy-gate.*spec\.strategy\.rollingUpdate: Forbidden/);
    await patch({ spec: { strategy: { rollingUpdate: null, type: 'Recreate' } } });
    await cluster.readyAs('strategy', 'Progressing');
  });

  /** Asked about each ConfigMap of the namespace, where nobody answers. */
  function brokenWebhook(): Promise<KubernetesObject> {
    const { apiVersion, kind } = WEBHOOKS;
    return cluster.client.create(WEBHOOKS, {
      ...{ apiVersion, kind, metadata: { name: cluster.namespace } },
      webhooks: [
        {
          name: 'broken.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': cluster.namespace } },
          ...{ sideEffects: 'None', failurePolicy: 'Fail', admissionReviewVersions: ['v1'], timeoutSeconds: 2 },
        },
      ],
    } as KubernetesObject);
  }
});

const PODS: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
/** The kubelet writes events of the older group, and the API server shows them in both. */
const EVENTS: Resource = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };
const MULTI_ATTACH =
  'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another';

describe('the controller tells why pods do not start, as kubelet and controller-manager leave it behind', function () {
  this.timeout(60_000);
  // The times of pods are of the cluster's clock, whatever the controller's says.
  const cluster = useTestCluster((cluster) => cluster.startController({ clock: () => Date.now() + 3_600_000 }));

  it('with a volume that is still attached elsewhere, which takes a person after ten minutes', async () => {
    await cluster.apply('attach');
    await cluster.readyAs('attach', 'Progressing');
    const waiting = { state: { waiting: { reason: 'ContainerCreating' } } };
    const status = { phase: 'Pending', containerStatuses: [containerStatus(waiting)] };
    const pod = await makePod('attach', 'gate', status);
    await warn(pod, 'FailedAttachVolume', MULTI_ATTACH, -30_000);
    await warn(pod, 'FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[data]: timed out', 0);
    const { message } = await cluster.readyAs('attach', 'FailedAttachVolume');
    expect(message).to.include(MULTI_ATTACH).and.to.include('node.kubernetes.io/out-of-service');
    for (const type of ['Reconciling', 'GateAvailable'] as const) {
      expect(await cluster.condition('attach', type), type).to.include({ reason: 'FailedAttachVolume' });
    }
    const lastTransitionTime = new Date(Date.now() - 600_000).toISOString();
    await giveStatus(pod, { ...status, conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] });
    const stalled = await cluster.settled('attach', (instance) => getCondition(instance, 'Stalled') !== undefined);
    expect(getCondition(stalled, 'Stalled')).to.include({ reason: 'FailedAttachVolume' });
    expect(getCondition(stalled, 'Reconciling')).to.equal(undefined);
  });

  function containerStatus(more: object): object {
    return { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, ...more };
  }

  /** A pod as controller-manager makes it, with a kubelet's status. */
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
    await giveStatus(pod, status);
    return pod;
  }

  function giveStatus({ apiVersion, kind, metadata }: KubernetesObject, status: object): Promise<unknown> {
    const { name, namespace } = metadata;
    const given = { apiVersion, kind, metadata: { name, namespace }, status } as KubernetesObject;
    return cluster.client.apply(PODS, given, { manager: 'kubelet', subresource: 'status' });
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
