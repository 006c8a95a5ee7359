import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type InstanceHandle, instanceHandle } from './support/instance.ts';
import { makeNamespace, type Office, officeFor } from './support/office.ts';

const NAMESPACE = 'brief';
/** All kinds that an instance has objects of, and what these make. */
const KINDS = [
  ...['deployments', 'replicasets', 'pods', 'services', 'endpointslices', 'serviceaccounts', 'configmaps', 'secrets'],
  ...['persistentvolumeclaims', 'poddisruptionbudgets', 'networkpolicies', 'ingresses'],
].join(',');
/** Objects of every namespace. */
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

  it('its successor has those documents, and takes them with it where its spec says so', async () => {
    await apply('Delete');
    const areBound = async () => (await claims()).every(({ status }) => status.phase === 'Bound');
    await until('its claims are in use', areBound, 90_000);
    expect((await claims()).map(({ metadata }) => metadata.uid)).to.deep.equal(kept);
    await brief.kubectl('delete', 'svcinstance', 'brief');
    await onlyIsLeft();
  });
});
