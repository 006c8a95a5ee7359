import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { findCondition } from '../../../cmd/controller/reconcile/conditions.ts';
import type { SvcInstance } from '../../../cmd/controller/reconcile/instances.ts';
import { startTestCluster, type TestCluster } from '../../support/controller.ts';
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
  let cluster: TestCluster;

  before(async function () {
    cluster = await startTestCluster(this);
    await cluster.startController();
  });
  after(() => cluster?.close());

  const ready = ({ status }: SvcInstance) => findCondition(status?.conditions ?? [], 'Ready');

  it('with pods of which the API server does not know a member, or not in that form', async () => {
    const nodeAffinities = [{ requiredDuringScheduling: {} }, { requiredDuringSchedulingIgnoredDuringExecution: 'x' }];
    for (const [index, nodeAffinity] of nodeAffinities.entries()) {
      await cluster.apply(`typo-${index}`, { editor: { pod: { affinity: { nodeAffinity } } } });
      const { status } = await cluster.settled(`typo-${index}`);
      const stalled = findCondition(status?.conditions ?? [], 'Stalled');
      expect(stalled).to.include({ reason: 'Refused' });
      expect(stalled?.message).to.include('nodeAffinity');
    }
  });

  it('and has a status also for resources that are written as numbers', async () => {
    await cluster.apply('numbers', { docbuilder: { pod: { resources: { limits: { cpu: 2 } } } } });
    const { status } = await cluster.settled('numbers');
    expect(status?.docbuilder).to.include({ cpu: '2' });
  });

  it('with an API server that goes on failing, and that it is over', async () => {
    const webhook = await brokenWebhook();
    try {
      await cluster.apply('webhook');
      const failing = await cluster.settled('webhook', (instance) => ready(instance)?.reason === 'ApiServerFails');
      expect(ready(failing)?.message).to.include('failed calling webhook');
    } finally {
      await cluster.client.remove(WEBHOOKS, undefined, webhook.metadata.name, webhook.metadata.uid ?? '');
    }
    await cluster.settled('webhook', (instance) => ready(instance)?.reason === 'Progressing');
  });

  it('when secrets that people use are made anew, by their keys alone', async () => {
    await cluster.apply('lost');
    await cluster.settled('lost');
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

  it('with a given value that a service would not start with, and goes on with the one before', async () => {
    await cluster.putSecret('given', { 'embed-jwt-secret': LONG }, 'given');
    await cluster.apply('given', { secrets: { secretName: 'given' } });
    await cluster.settled('given');
    await cluster.completeDeployments();
    await cluster.settled('given', (instance) => ready(instance)?.reason === 'AllAvailable');
    const before = await cluster.object<KubernetesObject>(RESOURCES.deployment, 'given-gate');
    await cluster.putSecret('given', { 'embed-jwt-secret': 'too short' }, 'given');
    const remarked = await cluster.settled('given', (instance) => ready(instance)?.reason === 'AvailableWithRemarks');
    expect(ready(remarked)?.message).to.include('embed-jwt-secret has fewer than 32 characters');
    const after = await cluster.object<KubernetesObject>(RESOURCES.deployment, 'given-gate');
    expect(after?.metadata.generation).to.equal(before?.metadata.generation);
  });

  it('with a value that somebody has changed by hand to one that a service would not start with: no pod is restarted for it', async () => {
    await cluster.apply('edited');
    await cluster.settled('edited');
    await cluster.completeDeployments();
    await cluster.settled('edited', (instance) => ready(instance)?.reason === 'AllAvailable');
    const before = await cluster.object<KubernetesObject>(RESOURCES.deployment, 'edited-gate');
    await cluster.putSecret('edited-secrets', { 'embed-jwt-secret': 'hunter2 again' });
    const told = await cluster.settled('edited', (instance) => ready(instance)?.reason === 'SecretUnusable');
    expect(ready(told)?.message).to.match(/^Secret edited-secrets cannot be used: embed-jwt-secret has fewer than 32/);
    expect(ready(told)?.message).to.not.include('hunter2 again');
    const after = await cluster.object<KubernetesObject>(RESOURCES.deployment, 'edited-gate');
    expect(after?.metadata.generation).to.equal(before?.metadata.generation);
    await cluster.putSecret('edited-secrets', { 'embed-jwt-secret': LONG });
    await until('the gate is given the new value', async () => {
      const now = await cluster.object<KubernetesObject>(RESOURCES.deployment, 'edited-gate');
      return now?.metadata.generation !== before?.metadata.generation || undefined;
    });
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
