import { expect } from 'chai';
import { findResource, type KubernetesObject, RESOURCES } from '../../../cmd/controller/k8s/api.ts';
import { getCondition, isTrue, useTestCluster } from '../../support/controller.ts';
import { until } from '../../support/until.ts';

type Any = KubernetesObject & { spec: Record<string, never>; data: Record<string, string> };

describe('objects that another version of the controller made', function () {
  this.timeout(60_000);
  let older: Map<string, KubernetesObject>;
  const cluster = useTestCluster(async (cluster) => {
    Object.assign(cluster.environment, { SVC_CONTROLLER_GATE_IMAGE: 'svc/gate:0.9.0' });
    await cluster.startController();
    await cluster.apply('office');
    await cluster.settled('office');
    await cluster.stopController();
    await pretendOlder();
    older = await cluster.objects();
    Object.assign(cluster.environment, { SVC_CONTROLLER_GATE_IMAGE: 'svc/gate:1.0.0' });
    await cluster.startController();
    await cluster.settled('office');
    await until('it is looked at', async () => (await cluster.idle()).done > 0 || undefined);
  });

  /** Applies further fields of the older release, as the same field manager. */
  async function pretendOlder(): Promise<void> {
    const objects = await cluster.objects();
    const applyOlder = async (name: string, change: (object: Any) => void) => {
      const object = structuredClone(objects.get(name)) as Any;
      const { apiVersion, kind, metadata, spec, data } = object;
      const { labels, annotations, ownerReferences } = metadata;
      const applied = {
        ...{ apiVersion, kind, data, spec },
        metadata: { name: metadata.name, namespace: metadata.namespace, labels, annotations, ownerReferences },
      } as unknown as Any;
      change(applied);
      await cluster.client.apply(findResource(applied), JSON.parse(JSON.stringify(applied)), {
        manager: 'svc-controller',
      });
    };
    const HASH = { 'svc.internal/applied': 'true' };
    await applyOlder('ConfigMap/office-docbuilder', ({ metadata, data }) => {
      metadata.annotations = { ...HASH, older: 'yes' };
      data['older.json'] = '{}';
    });
    await applyOlder('ConfigMap/office-docbuilder', ({ metadata }) => {
      metadata.name = 'office-older';
      metadata.annotations = HASH;
    });
    await applyOlder('Service/office-gate', ({ metadata, spec }) => {
      metadata.annotations = HASH;
      (spec['ports'] as unknown as object[]).push({ name: 'older', port: 9999 });
    });
    const { metadata, spec } = objects.get('Deployment/office-editor') as Any;
    await cluster.client.remove(RESOURCES.deployment, cluster.namespace, metadata.name, metadata.uid ?? '');
    const { labels, annotations, ownerReferences } = metadata;
    const { selector, template } = spec as unknown as {
      selector: { matchLabels: object };
      template: { metadata: { labels: object } };
    };
    Object.assign(selector.matchLabels, { 'app.kubernetes.io/part-of': 'svc' });
    const deployment = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: { ...(spec as object), selector, template } },
      metadata: { name: metadata.name, namespace: cluster.namespace, labels, annotations, ownerReferences },
    } as unknown as KubernetesObject;
    await cluster.client.apply(RESOURCES.deployment, deployment, { manager: 'svc-controller' });
  }

  it('are changed in place, and lose what is no longer wanted', async () => {
    const now = await cluster.objects();
    const workers = now.get('ConfigMap/office-docbuilder') as Any;
    expect(Object.keys(workers.data)).to.deep.equal(['workers']);
    expect(workers.metadata.annotations).not.to.include({ older: 'yes' });
    expect(JSON.stringify(now.get('Service/office-gate'))).not.to.include('9999');
    expect(JSON.stringify(now.get('Deployment/office-gate'))).to.include('svc/gate:1.0.0');
    for (const [name, { metadata }] of now) {
      if (name !== 'Deployment/office-editor') expect(metadata.uid, name).to.equal(older.get(name)?.metadata.uid);
    }
  });

  it('go when the newer one has none of that name', async () => {
    expect([...older.keys()]).to.include('ConfigMap/office-older');
    expect([...(await cluster.objects()).keys()]).not.to.include('ConfigMap/office-older');
  });

  it('are made anew where they can never become what is wanted', async () => {
    const editor = (await cluster.objects()).get('Deployment/office-editor') as Any;
    expect(editor.metadata.uid).not.to.equal(older.get('Deployment/office-editor')?.metadata.uid);
    expect(JSON.stringify(editor.spec['selector'])).not.to.include('part-of');
  });

  it('keep their volume where it cannot grow, and that stops nothing else', async () => {
    const { metadata } = await cluster.apply('office', { host: 'other.example', storage: { gate: { size: '30Gi' } } });
    await cluster.settled('office', ({ status }) => status?.observedGeneration === metadata.generation);
    const claim = await cluster.object<Any>(RESOURCES.persistentVolumeClaim, 'office-gate');
    expect(JSON.stringify(claim?.spec)).to.include('"storage":"20Gi"');
    expect(JSON.stringify(await cluster.object(RESOURCES.deployment, 'office-gate'))).to.include('other.example');
    await cluster.completeDeployments();
    await cluster.settled('office', isTrue('Ready'));
    expect((await cluster.condition('office', 'Ready'))?.message).to.equal(
      'All components are available. Claim office-gate has no volume yet: it grows from 20Gi to 30Gi once it has one.',
    );
    await bind('office-gate');
    // Its class cannot enlarge it.
    const refused = /^All components are available\. The API server refused: .*office-gate.* resize\.$/;
    await cluster.settled('office', (found) => refused.test(getCondition(found, 'Ready')?.message ?? ''));
  });

  /** Says, as the controller of volumes would, that a claim has one. */
  async function bind(name: string): Promise<void> {
    const { apiVersion, kind } = RESOURCES.persistentVolumeClaim;
    const metadata = { name, namespace: cluster.namespace };
    const claim = { apiVersion, kind, metadata, status: { phase: 'Bound' } } as KubernetesObject;
    const by = { manager: 'volumes', subresource: 'status' } as const;
    await cluster.client.apply(RESOURCES.persistentVolumeClaim, claim, by);
  }
});
