import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { eventTrouble } from '../../../../cmd/controller/reconcile/pod-events.ts';
import { findPodTrouble, podTroubles } from '../../../../cmd/controller/reconcile/pods.ts';
import { memoryClient } from './memory-client.ts';

const pod = (status: object) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'office-gate-x' }, status }) as V1Pod & KubernetesObject;
const container = (state: object, lastState = {}) =>
  pod({ containerStatuses: [{ name: 'gate', image: 'svc/gate:9', state, lastState }] });

const PULL = 'Pod office-gate-x cannot pull svc/gate:9: ';
const pullBackOff = (words: string) =>
  container({ waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "svc/gate:9": ${words}` } });
const unscheduled = (message: string) =>
  pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
const crashed = (exitCode: number, reason: string) =>
  container(
    { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 2m40s' } },
    { terminated: { exitCode, reason } },
  );
const REFUSAL = JSON.stringify({
  level: 'fatal',
  mistakes: [
    { path: 'SVC_S3_BUCKET', message: 'names a bucket that does not exist' },
    { path: 'SVC_DATABASE_URL', message: 'is missing' },
  ],
  msg: 'the configuration is wrong',
});
const TOO_OLD = JSON.stringify({
  level: 'fatal',
  err: {
    type: 'Error',
    message: 'the database cannot be used: PostgreSQL 13 is "too old": 14 or later is needed',
    stack: 'Error: '.repeat(20),
  },
});
const said = (exitCode: number, lines: string[]) =>
  container(
    { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 2m40s' } },
    { terminated: { exitCode, reason: 'Error', message: lines.join('\n') } },
  );
const afterInit = (exitCode: number) =>
  pod({
    initContainerStatuses: [{ name: 'first', image: 'mesh:1', state: { terminated: { exitCode } } }],
    containerStatuses: [{ name: 'gate', image: 'svc/gate:9', state: { waiting: { reason: 'PodInitializing' } } }],
  });
const over = (more: object, metadata: object = {}) => {
  const found = container({ waiting: { reason: 'ErrImagePull' } });
  return {
    ...found,
    status: { ...found.status, ...more },
    metadata: { ...found.metadata, ...metadata },
  } as typeof found;
};

describe('what keeps a pod from running', () => {
  const CASES: [what: string, pod: ReturnType<typeof pod>, reason: string | undefined, message?: string][] = [
    ['nothing while it is new', pod({}), undefined],
    ['nothing while it starts', container({ waiting: { reason: 'ContainerCreating' } }), undefined],
    ['nothing once it runs', container({ running: {} }, { terminated: { exitCode: 1 } }), undefined],
    [
      'an image',
      container({ waiting: { reason: 'ErrImagePull' } }),
      'ImagePullFailed',
      `${PULL}check the name, and spec`,
    ],
    ['an image without a name', container({ waiting: { reason: 'InvalidImageName' } }), 'ImagePullFailed'],
    ...(
      [
        ['failed to resolve reference: svc/gate:9: not found', 'the registry does not have it: check the name'],
        ['unexpected status: 401 Unauthorized', 'the registry refuses: check spec.images.pullSecrets'],
        ['pull access denied, repository does not exist', 'the registry refuses: check spec.images.pullSecrets'],
        ['dial tcp: lookup registry.example: no such host', 'the node does not reach the registry'],
        ['tls: failed to verify certificate: x509: unknown', 'the node does not reach the registry'],
        ['write /var/lib: no space left on device', 'the disk of the node is full'],
        ['something else', 'check the name, and spec.images.pullSecrets'],
      ] as const
    ).map(([words, advice]): (typeof CASES)[number] => [
      `an image: ${words}`,
      pullBackOff(words),
      'ImagePullFailed',
      PULL + advice,
    ]),
    [
      'that no node takes it',
      unscheduled('3 Insufficient cpu.'),
      'Unschedulable',
      'No node can take pod office-gate-x: 3',
    ],
    ['its volume', unscheduled('pod has unbound immediate PersistentVolumeClaims'), 'VolumePending'],
    [
      'that it ends again and again, without figures that change each time',
      crashed(2, 'Error'),
      'Crashing',
      'Pod office-gate-x keeps ending (exit code 2): see kubectl logs --previous office-gate-x.',
    ],
    ['memory', crashed(137, 'OOMKilled'), 'OutOfMemory'],
    [
      'a bucket that does not exist, in the words of the service',
      said(2, ['{"level":"info","msg":"half a li', REFUSAL]),
      'StorageRefused',
      'Pod office-gate-x does not start: spec.storage.s3.bucket names a bucket that does not exist; ' +
        'the address in the Secret of spec.storage.postgres is missing.',
    ],
    [
      'another setting',
      said(2, ['{"level":"fatal","mistakes":[{"path":"SVC_BASE_URL","message":"is no URL"}],"msg":"x"}']),
      'ConfigurationRefused',
      'Pod office-gate-x does not start: SVC_BASE_URL is no URL.',
    ],
    [
      'a database that is too old, also where its stack is cut off',
      said(1, [TOO_OLD.slice(0, 150)]),
      'StorageRefused',
      'Pod office-gate-x does not start: the database cannot be used: PostgreSQL 13 is "too old": 14 or later is needed.',
    ],
    ['an end that says nothing that is known', said(1, ['{"mistakes":7}', '[1]', 'no JSON']), 'Crashing'],
    [
      'a Secret that is missing',
      container({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } }),
      'ContainerRefused',
      'Pod office-gate-x cannot start: secret "x" not found.',
    ],
    ['nothing when what comes first in it has ended well, as what a service mesh adds does', afterInit(0), undefined],
    ['what comes first in it', afterInit(1), 'Crashing'],
    [
      'nothing of one that is over, in whose place there is another',
      over({ phase: 'Failed', reason: 'Evicted' }),
      undefined,
    ],
    ['nothing once it is being deleted', over({}, { deletionTimestamp: '2026-11-21T12:00:00Z' }), undefined],
  ];
  for (const [what, found, reason, message = ''] of CASES) {
    it(`is ${what}`, () => {
      const trouble = findPodTrouble(found);
      expect(trouble?.reason).to.equal(reason);
      expect(trouble?.message ?? '').to.include(message);
    });
  }
});

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

/** A pod of an instance `office` on node-1. */
function placed(component: string, status: object, metadata: object = {}): V1Pod & KubernetesObject {
  const labels = { 'app.kubernetes.io/component': component };
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'node-1', containers: [] }, status },
    metadata: { name: `office-${component}-x`, namespace: 'documents', uid: component, labels, ...metadata },
  } as unknown as V1Pod & KubernetesObject;
}

describe('what events tell of a pod whose containers cannot even be made', () => {
  const CREATING = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] };

  function told(
    events: readonly (readonly [reason: string, note: string, seconds: number])[],
    status: object = CREATING,
  ) {
    const server = memoryClient();
    for (const [index, [reason, note, seconds]] of events.entries()) {
      const metadata = { name: `e-${index}`, namespace: 'documents' };
      const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, reason, note };
      server.put({ ...event, deprecatedLastTimestamp: ago(seconds) } as KubernetesObject);
    }
    return eventTrouble(server.client, placed('gate', status));
  }

  it('is the newest that says why, and nothing while there is none', async () => {
    expect(await told([])).to.equal(undefined);
    expect(await told([['Unhealthy', 'probe failed', 1]])).to.equal(undefined);
    const mount = ['FailedMount', 'MountVolume.SetUp failed for volume "secrets" : secret "x" not found', 60] as const;
    const summary = [
      'FailedMount',
      'Unable to attach or mount volumes: unmounted volumes=[data]: timed out',
      1,
    ] as const;
    const attach = ['FailedAttachVolume', 'AttachVolume.Attach failed for volume "pvc-1" : rpc error', 90] as const;
    expect(await told([attach, mount, summary])).to.deep.equal({
      reason: 'FailedMount',
      message:
        'Pod office-gate-x cannot mount a volume: MountVolume.SetUp failed for volume "secrets" : secret "x" not found. ' +
        'Look at the storage driver of its node.',
    });
    expect((await told([attach]))?.message).to.include(
      'Look at the storage driver, and at kubectl get volumeattachments.',
    );
    expect((await told([summary]))?.message).to.include('Unable to attach or mount');
    expect(await told([['FailedCreatePodSandBox', 'plugin type="calico" failed', 1]])).to.deep.equal({
      reason: 'FailedCreatePodSandBox',
      message:
        'Pod office-gate-x cannot get a network: plugin type="calico" failed. ' +
        'Look at the network plug-in and the container runtime of its node.',
    });
  });

  it('says what frees a volume that another node still has', async () => {
    const note = 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) office-gate-y';
    const found = await told([['FailedAttachVolume', note, 1]]);
    expect(found).to.include({ reason: 'FailedAttachVolume' });
    expect(found?.message).to.include(
      'kubectl taint node <node> node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    );
  });

  it('is nothing once something of it runs', async () => {
    const failed = [['FailedMount', 'm', 1]] as const;
    expect(await told(failed, { ...CREATING, containerStatuses: [{ state: { running: {} } }] })).to.equal(undefined);
    expect(await told(failed, { ...CREATING, phase: 'Running' })).to.equal(undefined);
  });
});

describe('why pods of an instance do not run', () => {
  async function of(...pods: (V1Pod & KubernetesObject)[]) {
    const server = memoryClient();
    for (const each of pods) server.put(each);
    return podTroubles(server.client, 'documents', 'office', NOW);
  }
  const condition = (type: string, status: string, seconds: number) => ({
    type,
    status,
    lastTransitionTime: ago(seconds),
  });
  const crashing = [{ name: 'c', state: { terminated: { exitCode: 1 } } }];

  it('is that their node does not answer, before what keeps others from taking their place', async () => {
    const conditions = [condition('Ready', 'False', 30), condition('ContainersReady', 'True', 9_000)];
    const lost = placed('gate', { phase: 'Running', conditions }, { name: 'office-gate-z' });
    const next = placed('gate', { phase: 'Pending', containerStatuses: crashing });
    expect((await of(next, lost)).get('gate')).to.deep.equal({
      reason: 'NodeLost',
      stalled: false,
      message:
        'Node node-1 of pod office-gate-z does not answer: bring it back. If it is gone for good, kubectl taint node ' +
        'node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute frees the volume for another node.',
    });
  });

  it('is not that of a pod that says itself that it is not ready, or that somebody else does not let be', async () => {
    const busy = [condition('Ready', 'False', 30), condition('ContainersReady', 'False', 30)];
    expect((await of(placed('gate', { phase: 'Running', conditions: busy }))).size).to.equal(0);
    const gated = placed('gate', { phase: 'Running', conditions: [busy[0], condition('ContainersReady', 'True', 1)] });
    Object.assign(gated.spec ?? {}, { readinessGates: [{ conditionType: 'theirs' }] });
    expect((await of(gated)).size).to.equal(0);
    expect((await of(placed('gate', { phase: 'Failed', reason: 'NodeLost' }))).size).to.equal(0);
  });

  it('is a lost node also when a pod has not gone long after its time', async () => {
    const deleted = (seconds: number) => placed('editor', { phase: 'Running' }, { deletionTimestamp: ago(seconds) });
    expect((await of(deleted(-300))).size).to.equal(0);
    expect((await of(deleted(59))).size).to.equal(0);
    expect((await of(deleted(61))).get('editor')).to.include({ reason: 'NodeLost' });
  });

  it('takes a person ten minutes after a pod was last ready, or was made', async () => {
    const stalled = async (status: object, metadata: object = {}) =>
      (await of(placed('gate', { containerStatuses: crashing, ...status }, metadata))).get('gate')?.stalled;
    expect(
      await stalled({ conditions: [condition('Ready', 'False', 599)] }, { creationTimestamp: ago(9_000) }),
    ).to.equal(false);
    expect(await stalled({ conditions: [condition('Ready', 'False', 600)] })).to.equal(true);
    expect(await stalled({ conditions: [condition('PodScheduled', 'False', 600)] })).to.equal(true);
    expect(await stalled({}, { creationTimestamp: ago(600) })).to.equal(true);
  });
});
