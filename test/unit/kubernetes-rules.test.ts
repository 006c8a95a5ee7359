import { expect } from 'chai';
import { desired } from '../../cmd/controller/desired/index.ts';
import type { KubernetesObject } from '../../cmd/controller/k8s/types.ts';
import { ruleBreaks } from '../support/kubernetes-rules.ts';
import { situationOf } from './controller/desired/situation.ts';

/** Members of any depth, as in a path. */
type Change = readonly [object: string, path: string, value: unknown, finding: string];

const POD = 'spec.template.spec';
const CONTAINER = `${POD}.containers.0`;
const CHANGES: readonly Change[] = [
  ['Deployment/office-gate', `${POD}.serviceAccountName`, 'other', 'no ServiceAccount other'],
  ['Deployment/office-gate', `${POD}.automountServiceAccountToken`, true, 'has a token'],
  ['Deployment/office-gate', `${POD}.enableServiceLinks`, undefined, 'has service links'],
  ['Deployment/office-gate', `${POD}.hostNetwork`, true, 'shares a namespace of the host'],
  ['Deployment/office-gate', `${POD}.volumes.0.hostPath`, { path: '/' }, 'mounts a folder of the host'],
  ['Deployment/office-gate', `${POD}.securityContext.runAsNonRoot`, undefined, 'may run as root'],
  ['Deployment/office-gate', `${POD}.securityContext.seccompProfile`, undefined, 'has no seccomp profile'],
  ['Deployment/office-gate', 'spec.replicas', 2, 'may all be on one node'],
  ['Deployment/office-gate', 'spec.selector.matchLabels.x', 'y', 'selector does not match its pods'],
  ['Deployment/office-gate', 'metadata.labels', {}, 'no label name'],
  ['Deployment/office-gate', `${CONTAINER}.image`, 'registry.example:5000/gate', 'has no version'],
  ['Deployment/office-gate', `${CONTAINER}.image`, 'gate:latest', 'image latest'],
  ['Deployment/office-gate', `${CONTAINER}.resources.requests.cpu`, undefined, 'requests no CPU'],
  ['Deployment/office-gate', `${CONTAINER}.resources.limits`, {}, 'has no memory limit'],
  ['Deployment/office-gate', `${CONTAINER}.securityContext.allowPrivilegeEscalation`, undefined, 'may escalate'],
  ['Deployment/office-gate', `${CONTAINER}.securityContext.privileged`, true, 'is privileged'],
  ['Deployment/office-gate', `${CONTAINER}.securityContext.readOnlyRootFilesystem`, false, 'writes to its root'],
  ['Deployment/office-gate', `${CONTAINER}.securityContext.capabilities.drop`, ['NET_RAW'], 'keeps capabilities'],
  ['Deployment/office-gate', `${CONTAINER}.securityContext.capabilities.add`, ['KILL'], 'adds capabilities'],
  ['Deployment/office-gate', `${CONTAINER}.env.0`, { name: 'A_SECRET', value: 'x' }, 'secret in variable A_SECRET'],
  ['Deployment/office-gate', `${CONTAINER}.env.0.name`, 'SVC_DEV_MODE', 'a variable twice'],
  ['Deployment/office-gate', `${CONTAINER}.livenessProbe`, undefined, 'no liveness probe'],
  ['Deployment/office-gate', `${CONTAINER}.readinessProbe.httpGet.port`, 'other', 'probe of port other'],
  ['Service/office-gate', 'spec.selector.x', 'y', 'selects no pod'],
  ['Service/office-gate', 'spec.ports.0.targetPort', 'other', 'no pod has port other'],
  ['PodDisruptionBudget/office-gate', 'spec.maxUnavailable', 0, 'stops every drain'],
  ['PodDisruptionBudget/office-gate', 'spec.selector.matchLabels.x', 'y', 'no budget'],
  ['PodDisruptionBudget/office-gate', 'spec.unhealthyPodEvictionPolicy', undefined, 'a broken pod'],
  ['NetworkPolicy/office-gate', 'spec.podSelector.matchLabels.x', 'y', 'selects no pod'],
  ['Ingress/office', 'spec.rules.0.http.paths.0.backend.service.name', 'other', 'no Service other'],
];

describe('the rules for Kubernetes objects', () => {
  for (const [name, path, value, finding] of CHANGES) {
    it(`see ${path.replace('spec.template.spec', '…')} = ${JSON.stringify(value)} of ${name}: ${finding}`, () => {
      const objects = structuredClone(desired(situationOf()));
      const before = ruleBreaks(objects);
      const object = objects.find(({ kind, metadata }) => `${kind}/${metadata.name}` === name);
      set(object as KubernetesObject, path.split('.'), value);
      const found = ruleBreaks(objects).filter((broken) => !before.includes(broken));
      expect(found.join('\n')).to.include(finding);
    });
  }

  it('see wildcards in roles', () => {
    const labels = Object.fromEntries(
      ['name', 'instance', 'managed-by', 'part-of'].map((name) => [`app.kubernetes.io/${name}`, 'x']),
    );
    const role = (rule: object) =>
      ({ apiVersion: 'v1', kind: 'Role', metadata: { name: 'a', labels }, rules: [rule] }) as KubernetesObject;
    expect(ruleBreaks([role({ apiGroups: [''], resources: ['pods'], verbs: ['get'] })])).to.deep.equal([]);
    expect(ruleBreaks([role({ apiGroups: [''], resources: ['*'], verbs: ['get'] })])).to.deep.equal([
      'Role/a: wildcard',
    ]);
  });
});

function set(object: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const members = object as Record<string, unknown>;
  if (rest.length > 0) {
    members[name] ??= {};
    set(members[name] as object, rest, value);
  } else if (value === undefined) delete members[name];
  else members[name] = value;
}
