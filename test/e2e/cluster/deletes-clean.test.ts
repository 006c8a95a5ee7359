import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type InstanceHandle, instanceHandle, uids } from './support/instance.ts';
import { makeNamespace, type Office, officeFor } from './support/office.ts';
import { SYSTEM } from './support/release.ts';

const COMPONENTS = ['gate', 'docbuilder', 'editor', 'front'];
const NAMESPACE = 'brief';
/** All kinds that an instance has objects of, and what these make. */
const KINDS = [
  ...['deployments', 'replicasets', 'pods', 'services', 'endpointslices', 'serviceaccounts', 'configmaps', 'secrets'],
  ...['persistentvolumeclaims', 'poddisruptionbudgets', 'networkpolicies', 'ingresses'],
].join(',');
/** What every namespace has. */
const ALWAYS = ['configmap/kube-root-ca.crt', 'serviceaccount/default'];
const SMALL = { pod: { resources: { requests: { cpu: '10m', memory: '64Mi' } } } };

interface Claim {
  metadata: { uid: string };
  status: { phase: string };
}

describe('on a cluster: deletes clean', function () {
  this.timeout(240_000);
  let office: Office;
  let brief: InstanceHandle;

  before(async function () {
    office = await officeFor(this);
    await makeNamespace(office.cluster, NAMESPACE, 'baseline');
    brief = instanceHandle(office.cluster, NAMESPACE, 'brief');
  });
  after(async () => {
    await office?.cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
  });

  /** Beside `office`, on a machine with two cores. */
  const apply = async (onDelete: 'Retain' | 'Delete') => {
    const spec = {
      host: 'brief.example',
      storage: { onDelete },
      gate: SMALL,
      docbuilder: SMALL,
      editor: SMALL,
      front: { ...SMALL, replicas: 1 },
    };
    const object = { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', metadata: { name: 'brief' }, spec };
    await office.cluster.kubectl(['apply', '--namespace', NAMESPACE, '-f', '-'], JSON.stringify(object));
  };
  const objects = async () => {
    const names = (await brief.kubectl('get', KINDS, '--output', 'name')).split('\n').filter((name) => name !== '');
    return names.filter((name) => !ALWAYS.includes(name));
  };
  const onlyIsLeft = (...names: string[]) =>
    until('nothing else is left', async () => (await objects()).join(' ') === names.join(' '), 90_000).catch(
      async () => {
        expect((await objects()).join(' ')).to.equal(names.join(' '));
      },
    );
  const claims = async () => {
    const { items } = await brief.get<{ items: Claim[] }>('persistentvolumeclaims');
    return items;
  };
  let kept: string[];

  it('an instance that is deleted while it starts takes all with it but its documents', async () => {
    await apply('Retain');
    await until('it is being made', async () => (await objects()).includes('deployment.apps/brief-front'));
    kept = (await claims()).map(({ metadata }) => metadata.uid);
    await brief.kubectl('delete', 'svcinstance', 'brief');
    await onlyIsLeft(...['docbuilder', 'editor', 'gate'].map((name) => `persistentvolumeclaim/brief-${name}`));
  });

  it('without the chart instances and their definition stay, run on, and are deleted as cleanly', async () => {
    await apply('Delete');
    await brief.ready();
    // Those of its predecessor.
    expect((await claims()).map(({ metadata }) => metadata.uid)).to.deep.equal(kept);
    expect((await claims()).map(({ status }) => status.phase)).to.deep.equal(['Bound', 'Bound', 'Bound']);

    const before = await uids(office, ...COMPONENTS);
    await office.release.helm('uninstall', 'svc', '--wait');
    expect(await office.cluster.kubectl(['get', 'deployments', '--namespace', SYSTEM, '-o', 'name'])).to.equal('');
    await office.cluster.kubectl(['get', 'crd', 'svcinstances.svc.internal']);
    await brief.kubectl('delete', 'svcinstance', 'brief');
    // The claims go, too, as the spec says: docs/kubernetes-operations.md, Delete an instance.
    await onlyIsLeft();
    expect((await fetch(`${office.outside.url}/v1/status`)).status).to.equal(200);

    expect(await office.release.install()).to.include('STATUS: deployed');
    await office.ready();
    expect(await uids(office, ...COMPONENTS)).to.deep.equal(before);
  });
});
