import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { secret } from '../../support/logs.ts';
import { form } from '../../support/service.ts';
import { type Sessions, sessionsAt } from '../../support/sessions.ts';
import { sharedStoreMissing } from '../../support/test-store.ts';
import { until } from '../../support/until.ts';
import { conditionIs, type InstanceHandle, instanceHandle, type Pod } from './support/instance.ts';
import { answers, makeNamespace, type Office, officeFor } from './support/office.ts';
import { type Outside, startOutside } from './support/outside.ts';
import { type ClusterStore, clusterStore } from './support/store.ts';

const NAMESPACE = 'paper';
const NODE_PORT = 30081;
const SMALL = { resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '1500Mi' } } };

describe('on a cluster: an instance on PostgreSQL and S3', function () {
  this.timeout(300_000);
  let office: Office;
  let paper: InstanceHandle;
  let store: ClusterStore;
  let outside: Outside;
  let sessions: Sessions;
  let apiKey: string;

  before(async function () {
    const missing = await sharedStoreMissing();
    if (missing) {
      process.stderr.write(`      skipped: ${missing}\n`);
      this.skip();
    }
    office = await officeFor(this);
    const { cluster } = office;
    outside = await startOutside({ address: cluster.nodeAddress, port: NODE_PORT }, cluster.hostAddress);
    await makeNamespace(cluster, NAMESPACE, 'baseline');
    paper = instanceHandle(cluster, NAMESPACE, 'paper');
    store = await clusterStore(cluster, NAMESPACE);
    await store.putSecret('svc-license', { token: await office.licence() });
    await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(instance()));
    await paper.ready();
    const jwtSecret = secret(await paper.secret('paper-secrets', 'embed-jwt-secret'));
    apiKey = secret((await paper.secret('paper-secrets', 'docbuilder-api-keys')).replace(/^.*:/, ''));
    const { url, documentUrl, portal, receiver } = outside;
    sessions = sessionsAt(url, { origin: portal, documentUrl, callbackUrl: receiver.url, jwtSecret });
    await until('the gates know the editor', () =>
      sessions.status().then(
        ({ upstream }) => upstream.editor_server === 'ok' || undefined,
        () => undefined,
      ),
    );
    await answers(url);
  });
  after(async () => {
    await office?.cluster.kubectl(['delete', 'namespace', NAMESPACE, '--ignore-not-found', '--wait=false']);
    await outside?.stop();
  });

  function instance(): object {
    return {
      apiVersion: 'svc.internal/v1',
      kind: 'SvcInstance',
      metadata: { name: 'paper', namespace: NAMESPACE },
      spec: {
        host: 'localhost',
        port: outside.edgePort,
        tls: { mode: 'Disabled' },
        ingress: { gating: 'None' },
        front: { replicas: 1, service: { type: 'NodePort', nodePort: NODE_PORT }, pod: SMALL },
        gate: { replicas: 2, pod: SMALL },
        license: { secretName: 'svc-license' },
        docbuilder: { replicas: 2, pod: SMALL },
        editor: { pod: SMALL },
        embed: { allowedOrigins: [outside.portal] },
        outbound: { allowHosts: [office.cluster.hostAddress] },
        storage: store.storage,
      },
    };
  }

  async function areGone(component: string, before: readonly string[]): Promise<boolean> {
    const { items } = await paper.get<{ items: Pod[] }>('pods', '-l', `app.kubernetes.io/component=${component}`);
    return items.every(({ metadata }) => !before.includes(metadata.uid));
  }

  /** Asks again and again until it is told to end. @returns what was not answered as it should be */
  function ask(path = '/svc/status', pauseMs = 25, body?: () => FormData): () => Promise<string[]> {
    const failures: string[] = [];
    let ended = false;
    const asking = (async () => {
      while (!ended) {
        const init = body && { method: 'POST', body: body(), headers: { Authorization: `Bearer ${apiKey}` } };
        const answer = await sessions.call(path, init).then(
          async (response) => (response.ok ? '' : `${response.status} ${await response.text()}`),
          (error: Error) => error.message,
        );
        if (answer !== '') failures.push(answer);
        await delay(pauseMs);
      }
    })();
    return async () => {
      ended = true;
      await asking;
      return failures;
    };
  }

  it('is Ready with two gates and one volume, and says that its store is', async () => {
    expect(await paper.pods('gate')).to.have.length(2);
    const { items } = await paper.get<{ items: Pod[] }>('persistentvolumeclaims');
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['paper-editor']);
    expect(await paper.condition('StorageReady')).to.include({ status: 'True', reason: 'Accepted' });
  });

  it('replaces its gates without a failed request, and without a lost version', async () => {
    const session = await sessions.create({ key: 'rollout' });
    const client = await sessions.open(session);
    await client.addLine('trước');
    const version = await sessions.save(session, client);
    const before = (await paper.pods('gate')).map(({ metadata }) => metadata.uid);
    const end = ask();
    await paper.kubectl('rollout', 'restart', 'deployment/paper-gate');
    await paper.kubectl('rollout', 'status', 'deployment/paper-gate', '--timeout=200s');
    await until('the old ones are gone', () => areGone('gate', before), 90_000);
    expect(await end()).to.deep.equal([]);
    await client.addLine('sau');
    expect(await sessions.save(session, client)).to.equal(version + 1);
    await client.leave();
  });

  it('replaces its DocBuilders while documents are converted, and none fails', async () => {
    expect(await paper.pods('docbuilder')).to.have.length(2);
    const before = (await paper.pods('docbuilder')).map(({ metadata }) => metadata.uid);
    // The licence allows 120 a minute.
    const end = ask('/v1/convert', 700, () => form(Buffer.from('Xin chào\n'), 'a.txt', { to: 'pdf' }));
    await paper.kubectl('rollout', 'restart', 'deployment/paper-docbuilder');
    await paper.kubectl('rollout', 'status', 'deployment/paper-docbuilder', '--timeout=240s');
    await until('the old ones are gone', () => areGone('docbuilder', before), 90_000);
    expect(await end()).to.deep.equal([]);
  });

  it('says which credentials are wrong, and goes on with the pods of before', async () => {
    const end = ask();
    await store.putSecret(store.bucketSecret, { ...store.keys, AWS_SECRET_ACCESS_KEY: secret('not-the-secret-of-it') });
    const { message } = await conditionIs(paper, 'StorageReady', 'False', 'StorageRefused');
    expect(message).to.include('the secret key in the Secret of spec.storage.s3 is not the secret of the access key');
    await store.putSecret(store.bucketSecret, store.keys);
    await conditionIs(paper, 'StorageReady', 'True');
    await paper.ready();
    expect(await end()).to.deep.equal([]);
  });
});
