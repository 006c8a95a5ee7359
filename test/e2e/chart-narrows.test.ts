import type { V1Deployment } from '@kubernetes/client-node';
import { expect } from 'chai';
import { desired } from '../../cmd/controller/desired/index.ts';
import type { KubernetesObject } from '../../cmd/controller/k8s/api.ts';
import type { ApiServer } from '../support/api-server.ts';
import { only } from '../support/helm.ts';
import { minorVersion } from '../support/kubectl.ts';
import { until } from '../support/until.ts';
import { makeSituation } from '../unit/controller/desired/situation.ts';
import { type ChartServer, sharedChartServer } from './support/chart-server.ts';

const CONTROLLER = 'system:serviceaccount:svc-system:svc-controller';
const NAMESPACE = 'documents';
const METADATA = { name: 'office-of-somebody', namespace: NAMESPACE };
const STRANGERS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: METADATA };

type Members = Record<string, unknown>;
type Change = (object: Members & { metadata: Members; spec: Members }) => void;
type Container = Pod['containers'][number];
type Pod = NonNullable<NonNullable<V1Deployment['spec']>['template']['spec']>;

describe('the chart narrows what the controller may write', function () {
  this.timeout(60_000);
  let server: ApiServer;
  let chart: ChartServer;
  const objects = desired(makeSituation());

  before(async function () {
    chart = await sharedChartServer(this);
    server = chart.server;
    await server.kubectl(['create', 'namespace', NAMESPACE]);
    await server.kubectl(['create', '-f', '-'], JSON.stringify(STRANGERS));
    // The API server takes a moment to know of it.
    await until('the policy is in force', async () => (await create(STRANGERS, 'probe')) !== undefined);
  });

  /** The API server's answer where it refuses; undefined: it does not. */
  function attempt(parameters: readonly string[], input?: object, as = CONTROLLER): Promise<string | undefined> {
    const flags = ['--namespace', NAMESPACE, '--dry-run=server', '--as', as, '--as-group=system:masters'];
    return server.kubectl([...parameters, ...flags], input && JSON.stringify(input)).then(
      () => undefined,
      (error: { stderr: string }) => error.stderr,
    );
  }
  const create = (object: object, name?: string, as = CONTROLLER) => {
    const { metadata, ...rest } = object as KubernetesObject;
    return attempt(['create', '-f', '-'], { ...rest, metadata: { ...metadata, ...(name && { name }) } }, as);
  };
  function changed(kind: string, name: string, change: Change): object {
    const object = structuredClone(only<KubernetesObject>(objects, kind, name));
    change(object as unknown as Parameters<Change>[0]);
    return object;
  }
  const getPod = ({ spec }: { spec: Members }): Pod => (spec as unknown as { template: { spec: Pod } }).template.spec;

  it('to all that an instance is made of', async () => {
    expect(await attempt(['create', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects })).to.equal(
      undefined,
    );
  });

  const GATE = ['Deployment', 'office-gate'] as const;
  const { ownerReferences } = only<KubernetesObject>(objects, ...GATE).metadata;
  /** A patch that makes an object the instance's. */
  const owned = JSON.stringify({ metadata: { ownerReferences } });
  const pods = (change: (pod: Pod) => unknown) => changed(...GATE, (object) => change(getPod(object)));
  const podsWith = (members: Partial<Pod>) => pods((pod) => Object.assign(pod, members));
  const withMetadata = (members: Members) => changed(...GATE, ({ metadata }) => Object.assign(metadata, members));
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'office', uid: 'a' };
  const token = changed('Secret', 'office-secrets', (object) => {
    object['type'] = 'kubernetes.io/service-account-token';
    object.metadata['annotations'] = { 'kubernetes.io/service-account.name': 'default' };
  });
  const addresses = changed('Service', 'office-front', ({ spec }) =>
    Object.assign(spec, { externalIPs: ['192.0.2.1'] }),
  );
  const INIT = { name: 'first', image: 'registry.example/any' };
  const withContainer = (members: Partial<Container>) =>
    pods(({ containers: [first] }) => Object.assign(first ?? {}, members));
  const capable = (...add: string[]) => ({ securityContext: { capabilities: { add } } });
  const onNode = { ports: [{ containerPort: 8080, hostPort: 80 }] };
  const REFUSED: readonly [what: string, object: object, why: string][] = [
    ['an object without an owner', withMetadata({ ownerReferences: undefined }), 'of an SvcInstance'],
    ['an object of another owner', withMetadata({ ownerReferences: [replicaSet] }), 'of an SvcInstance'],
    ['another name', withMetadata({ name: 'payroll' }), 'named'],
    ['pods of another account', podsWith({ serviceAccountName: 'default' }), 'ServiceAccounts'],
    ['pods of an account with a longer name', podsWith({ serviceAccountName: 'office-dns' }), 'ServiceAccounts'],
    ['pods with a token', podsWith({ automountServiceAccountToken: true }), 'ServiceAccounts'],
    ['pods in the network of their node', podsWith({ hostNetwork: true }), 'node'],
    ['pods with a folder of their node', pods(mountHost), 'node'],
    ['privileged pods', withContainer({ securityContext: { privileged: true } }), 'node'],
    [
      'pods with a privileged container before the others',
      podsWith({ initContainers: [{ ...INIT, securityContext: { privileged: true } }] }),
      'node',
    ],
    ['pods with more rights than any of an instance', withContainer(capable('CHOWN', 'SYS_ADMIN')), 'node'],
    ['pods with all rights', podsWith({ initContainers: [{ ...INIT, ...capable('ALL') }] }), 'node'],
    ['pods with a port of their node', withContainer(onNode), 'node'],
    ['pods with a port of their node at first', podsWith({ initContainers: [{ ...INIT, ...onNode }] }), 'node'],
    ['a token of an account as a Secret', token, 'credentials'],
    ['a Service for addresses of others', addresses, 'traffic'],
  ];
  for (const [what, object, why] of REFUSED) {
    it(`and refuses ${what}, which others may make`, async () => {
      expect(await create(object))
        .to.include('ValidatingAdmissionPolicy')
        .and.to.include(why);
      expect(await create(object, undefined, 'somebody')).to.not.match(/ValidatingAdmissionPolicy/);
    });
  }

  it('and refuses pods that see the whole of /proc', async function () {
    // Before that the API server leaves the member out.
    if ((await minorVersion(server.kubectl)) < 33) this.skip();
    const unmasked = pods((pod) => {
      Object.assign(pod, { hostUsers: false });
      Object.assign(pod.containers[0] ?? {}, { securityContext: { procMount: 'Unmasked' } });
    });
    expect(await create(unmasked)).to.include('node');
    expect(await create(unmasked, undefined, 'somebody')).to.equal(undefined);
  });

  it('and lets it neither change nor delete the objects of others, even to make them its own', async () => {
    const what = `configmap/${STRANGERS.metadata.name}`;
    for (const parameters of [
      ['patch', what, '--type=merge', '--patch', owned],
      ['delete', what],
    ]) {
      expect(await attempt(parameters)).to.include('belongs to somebody else');
      expect(await attempt(parameters, undefined, 'somebody')).to.equal(undefined);
    }
  });

  it('and to a claim that outlives its instance, which has no owner but our labels', async () => {
    const claim = (change: Change) => create(changed('PersistentVolumeClaim', 'office-gate', change));
    const free = ({ metadata }: { metadata: Members }) => delete metadata['ownerReferences'];
    expect(await claim(free)).to.equal(undefined);
    const others = await claim((object) => {
      free(object);
      delete (object.metadata['labels'] as Members)['app.kubernetes.io/managed-by'];
    });
    expect(others).to.include('of an SvcInstance');
    expect(await claim((object) => free(object) && Object.assign(object.metadata, { name: 'payroll' }))).to.include(
      'named after',
    );
  });

  it('and to the size of pods of instances, and of no others', async function () {
    if ((await minorVersion(server.kubectl)) < 33) this.skip();
    const resize = async (name: string, labels: object) => {
      const resources = { requests: { cpu: '1' } };
      const spec = { containers: [{ name: 'c', image: 'i', resources }] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE, labels }, spec };
      await server.kubectl(['create', '-f', '-'], JSON.stringify(pod));
      const patch = JSON.stringify({ spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } });
      return attempt(['patch', 'pod', name, '--subresource=resize', '--patch', patch]);
    };
    const labels = { 'app.kubernetes.io/managed-by': 'svc-controller', 'app.kubernetes.io/instance': 'office' };
    expect(await resize('office-docbuilder-x', labels)).to.equal(undefined);
    expect(await resize('payroll-x', { app: 'payroll' })).to.include('of an SvcInstance');
  });

  it('but to what an instance left, or a backup brought: that it may take back, and remove', async () => {
    const annotations = { 'svc.internal/applied': 'true' };
    const left = { ...STRANGERS, metadata: { ...METADATA, name: 'office-left', annotations } };
    await server.kubectl(['create', '-f', '-'], JSON.stringify(left));
    expect(await attempt(['patch', 'configmap/office-left', '--type=merge', '--patch', owned])).to.equal(undefined);
    expect(await attempt(['delete', 'configmap/office-left'])).to.equal(undefined);
  });

  it('and lets it correct a Deployment into which others have put a folder of the node', async () => {
    const opened = pods(mountHost);
    await server.kubectl(['create', '-f', '-'], JSON.stringify(opened));
    const scale = JSON.stringify({ spec: { replicas: 2 } });
    expect(await attempt(['patch', 'deployment/office-gate', '--type=merge', '--patch', scale])).to.equal(undefined);
  });
});

function mountHost({ volumes }: Pod): void {
  volumes?.push({ name: 'x', hostPath: { path: '/' } });
}
