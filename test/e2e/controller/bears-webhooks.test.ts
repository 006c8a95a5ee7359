import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type KubernetesObject, RESOURCES, type Resource } from '../../../cmd/controller/k8s/api.ts';
import { startOffice, useTestCluster } from '../../support/controller.ts';
import { useFolder } from '../../support/folder.ts';
import { listeningPort } from '../../support/listen.ts';
import { makeAuthority, makeIdentity } from '../../support/pki.ts';
import { until } from '../../support/until.ts';

const WEBHOOKS: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
const LABEL = 'app.kubernetes.io/part-of';

describe('the controller with a webhook that changes what it writes', function () {
  this.timeout(60_000);
  const folder = useFolder();
  let configuration: KubernetesObject;
  const cluster = useTestCluster(async (cluster) => {
    const authority = await makeAuthority(folder.path);
    const who = { name: 'webhook', hosts: ['IP:127.0.0.1'] };
    const identity = await makeIdentity(folder.path, 'webhook', authority, who);
    const webhook = insisting({
      key: await readFile(identity.key, 'utf8'),
      cert: await readFile(identity.certificate, 'utf8'),
    });
    const url = `https://127.0.0.1:${await listeningPort(webhook.listen(0, '127.0.0.1'))}/`;
    configuration = await configure(url, await readFile(authority.certificate));
    await until('the webhook is asked', async () => (await probe()).includes('theirs') || undefined);
    await startOffice(cluster);
    await cluster.completeDeployments();
    return () => Promise.all([removeWebhook(), webhook.close()]);
  });

  const label = async () => (await cluster.object(RESOURCES.service, 'office-gate'))?.metadata.labels?.[LABEL];

  it('comes to rest', async () => {
    await cluster.readyAs('office', 'AllAvailable');
    expect(await label()).to.equal('theirs');
    await cluster.idle();
    const before = await cluster.versions();
    await cluster.server.kubectl(['label', 'deployment', 'office-gate', 'theirs=yes', '-n', cluster.namespace]);
    await cluster.idle();
    const { 'Deployment/office-gate': _, ...others } = await cluster.versions();
    expect(before).to.include(others);
  });

  it('has it as it should be once the webhook is gone and it is asked to look again', async () => {
    await removeWebhook();
    await until('the webhook is asked no more', async () => !(await probe()).includes('theirs') || undefined);
    expect(await label()).to.equal('theirs');
    await cluster.apply('office', {}, { 'svc.internal/reconcile-at': 'now' });
    await cluster.settled('office', ({ status }) => status?.lastHandledReconcileAt === 'now');
    expect(await label()).to.equal('svc');
  });

  /** A Service as it would become. */
  function probe(): Promise<string> {
    const create = ['create', 'service', 'clusterip', 'probe', '--tcp=80', '--dry-run=server', '--output=yaml'];
    return cluster.server.kubectl([...create, '--namespace', cluster.namespace]);
  }

  async function removeWebhook(): Promise<void> {
    const { name, uid = '' } = configuration.metadata;
    await cluster.client.remove(WEBHOOKS, undefined, name, uid);
  }

  /** Makes the API server call the webhook for each Service of the namespace. */
  function configure(url: string, authority: Buffer): Promise<KubernetesObject> {
    const { apiVersion, kind } = WEBHOOKS;
    return cluster.client.create(WEBHOOKS, {
      ...{ apiVersion, kind, metadata: { name: cluster.namespace } },
      webhooks: [
        {
          name: 'insists.example.com',
          clientConfig: { url, caBundle: authority.toString('base64') },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': cluster.namespace } },
          ...{ sideEffects: 'None', failurePolicy: 'Fail', admissionReviewVersions: ['v1'], timeoutSeconds: 5 },
        },
      ],
    } as KubernetesObject);
  }
});

/** A webhook that has a label of each object its own way (admission.k8s.io/v1 AdmissionReview). */
function insisting(tls: { key: string; cert: string }): Server {
  const patch = [{ op: 'add', path: `/metadata/labels/${LABEL.replace('/', '~1')}`, value: 'theirs' }];
  return createServer(tls, async (request, response) => {
    const { request: asked } = JSON.parse(await text(request)) as { request: { uid: string } };
    const answer = {
      uid: asked.uid,
      ...{ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
  });
}
