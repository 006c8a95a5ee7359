import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { differences } from '../../../../cmd/controller/reconcile/diff.ts';

function deployment(change: (spec: Record<string, unknown>, container: Record<string, unknown>) => void = () => {}) {
  const container: Record<string, unknown> = {
    name: 'gate',
    image: 'svc/gate:1',
    args: ['a', 'b'],
    env: [{ name: 'A', value: '1' }],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    resources: { limits: { cpu: '1', memory: '2Gi' } },
    readinessProbe: { httpGet: { path: '/', port: 'http' } },
  };
  const spec: Record<string, unknown> = {
    replicas: 1,
    automountServiceAccountToken: false,
    volumes: [{ name: 'data', emptyDir: {} }],
    containers: [container],
  };
  change(spec, container);
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'office-gate' }, spec } as KubernetesObject;
}
const service = (spec: object) =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec }) as KubernetesObject;
const policy = (spec: object) =>
  ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a' }, spec }) as KubernetesObject;

describe('what differs between the wanted and the live object', () => {
  it('is nothing where only others have set something', () => {
    const live = deployment((spec, container) => {
      Object.assign(spec, { paused: true, terminationGracePeriodSeconds: 30 });
      Object.assign(container, { terminationMessagePath: '/dev/termination-log' });
      container['env'] = [
        { name: 'THEIRS', value: '2' },
        { name: 'A', value: '1' },
      ];
      container['readinessProbe'] = { httpGet: { path: '/', port: 'http', scheme: 'HTTP' }, periodSeconds: 10 };
      spec['containers'] = [{ name: 'sidecar', image: 'x' }, container];
    });
    live.metadata.annotations = { 'deployment.kubernetes.io/revision': '1' };
    expect(differences(deployment(), live)).to.deep.equal([]);
  });

  for (const [what, change, path] of [
    ['a value', (_, container) => (container['image'] = 'other'), 'spec.containers[gate].image'],
    ['a number', (spec) => (spec['replicas'] = 2), 'spec.replicas'],
    ['a list element', (_, container) => (container['args'] = ['a', 'c']), 'spec.containers[gate].args[1]'],
    [
      'a longer list of one owner',
      (_, container) => (container['args'] = ['a', 'b', 'c']),
      'spec.containers[gate].args',
    ],
    [
      'an element by its key',
      (_, container) => (container['env'] = [{ name: 'B', value: '1' }]),
      'spec.containers[gate].env[A]',
    ],
    ['a missing false', (spec) => delete spec['automountServiceAccountToken'], 'spec.automountServiceAccountToken'],
    [
      'a missing empty object',
      (spec) => (spec['volumes'] = [{ name: 'data', hostPath: { path: '/' } }]),
      'spec.volumes[data].emptyDir',
    ],
    [
      'a quantity',
      (_, container) => (container['resources'] = { limits: { cpu: '1', memory: '1Gi' } }),
      'spec.containers[gate].resources.limits.memory',
    ],
    ['a missing container', (spec) => (spec['containers'] = []), 'spec.containers[gate]'],
  ] satisfies [string, Parameters<typeof deployment>[0], string][]) {
    it(`is ${what}`, () => {
      expect(differences(deployment(), deployment(change))).to.deep.equal([path]);
    });
  }

  it('is not the spelling of a quantity', () => {
    const live = deployment((_, container) => {
      container['resources'] = { limits: { cpu: '1000m', memory: '2048Mi' } };
    });
    expect(differences(deployment(), live)).to.deep.equal([]);
  });

  it('is not what the API server leaves out because it is empty', () => {
    const wanted = { ...service({ selector: { a: 'b' } }), metadata: { name: 'a', annotations: {}, labels: {} } };
    expect(differences(wanted, service({ selector: { a: 'b' } }))).to.deep.equal([]);
  });

  it('is a member that others added to a selector: it selects something else', () => {
    const wanted = service({ selector: { a: 'b' } });
    expect(differences(wanted, service({ selector: { a: 'b', c: 'd' } }))).to.deep.equal(['spec.selector.c']);
  });

  it('is what others added to a rule of a policy, but not what the API server did', () => {
    const rule = { from: [{ podSelector: { matchLabels: { a: 'b' } } }], ports: [{ port: 80 }] };
    const wanted = policy({ podSelector: {}, ingress: [rule] });
    const filled = { ...rule, ports: [{ port: 80, protocol: 'TCP' }] };
    expect(differences(wanted, policy({ podSelector: {}, ingress: [filled] }))).to.deep.equal([]);
    const wider = { ...filled, from: [{ podSelector: { matchLabels: {} } }, { ipBlock: { cidr: '0.0.0.0/0' } }] };
    expect(differences(wanted, policy({ podSelector: {}, ingress: [wider] }))).to.deep.equal(['spec.ingress[0].from']);
    const added = { ...filled, from: [{ podSelector: { matchLabels: { a: 'b' } }, namespaceSelector: {} }] };
    expect(differences(wanted, policy({ podSelector: {}, ingress: [added] }))).to.deep.equal([
      'spec.ingress[0].from[0].namespaceSelector',
    ]);
  });

  it('finds ports of a Service by number and protocol', () => {
    const wanted = service({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] });
    const [theirs, ours] = [
      { name: 'x', port: 80, protocol: 'UDP' },
      { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
    ];
    expect(differences(wanted, service({ ports: [theirs, ours] }))).to.deep.equal([]);
    expect(differences(wanted, service({ ports: [theirs] }))).to.deep.equal(['spec.ports[80,TCP]']);
  });

  it('is a missing label, annotation or owner of ours', () => {
    const metadata = {
      name: 'a',
      labels: { l: '1' },
      annotations: { a: '1' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true }],
    };
    expect(differences({ ...service({}), metadata }, service({}))).to.deep.equal([
      'metadata.labels',
      'metadata.annotations',
      'metadata.ownerReferences',
    ]);
  });
});
