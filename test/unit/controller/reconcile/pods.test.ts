import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { eventTrouble, findPodTrouble, podRefusals, podTroubles } from '../../../../cmd/controller/reconcile/pods.ts';
import { expectGolden } from '../../../support/golden.ts';
import { memoryClient } from './memory-client.ts';

type Pod = V1Pod & KubernetesObject;

const pod = (status: object, metadata: object = {}) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'office-gate-x', ...metadata }, status }) as Pod;
const container = (state: object, lastState = {}, more: object = {}, metadata: object = {}) =>
  pod({ containerStatuses: [{ name: 'gate', image: 'svc/gate:9', state, lastState }], ...more }, metadata);
const waiting = (reason: string, message?: string) => container({ waiting: { reason, message } });
const pull = (words: string) => waiting('ImagePullBackOff', `Back-off pulling image "svc/gate:9": ${words}`);
const unscheduled = (message: string) =>
  pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
const crashed = (terminated: object) =>
  container({ waiting: { reason: 'CrashLoopBackOff', message: 'back-off 2m40s' } }, { terminated });
const said = (exitCode: number, lines: string[]) => crashed({ exitCode, reason: 'Error', message: lines.join('\n') });
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
const afterInit = (exitCode: number) =>
  pod({
    initContainerStatuses: [{ name: 'first', image: 'mesh:1', state: { terminated: { exitCode } } }],
    containerStatuses: [{ name: 'gate', image: 'svc/gate:9', state: { waiting: { reason: 'PodInitializing' } } }],
  });
const PULLING = { waiting: { reason: 'ErrImagePull' } };
const DELETED = { deletionTimestamp: '2026-11-21T12:00:00Z' };

const PODS: Readonly<Record<string, Pod>> = {
  'nothing while it is new': pod({}),
  'nothing while it starts': waiting('ContainerCreating'),
  'nothing once it runs': container({ running: {} }, { terminated: { exitCode: 1 } }),
  'nothing when an init container, as of a service mesh, has ended well': afterInit(0),
  'nothing of one that is over, in whose place there is another': container(PULLING, {}, { phase: 'Failed' }),
  'nothing once it is being deleted': container(PULLING, {}, {}, DELETED),
  'an image': waiting('ErrImagePull'),
  'an image without a name': waiting('InvalidImageName'),
  'an image that the registry does not have': pull('failed to resolve reference: svc/gate:9: not found'),
  'an image that the registry does not give': pull('unexpected status: 401 Unauthorized'),
  'an image that the registry denies': pull('pull access denied, repository does not exist'),
  'a registry without a name': pull('dial tcp: lookup registry.example: no such host'),
  'a registry with a certificate of its own': pull('tls: failed to verify certificate: x509: unknown'),
  'a full disk': pull('write /var/lib: no space left on device'),
  'something else about an image': pull('something else'),
  'that no node takes it': unscheduled('3 Insufficient cpu.'),
  'its volume': unscheduled('pod has unbound immediate PersistentVolumeClaims'),
  'that it ends again and again, without figures that change each time': crashed({ exitCode: 2, reason: 'Error' }),
  memory: crashed({ exitCode: 137, reason: 'OOMKilled' }),
  'a bucket that does not exist, in the words of the service': said(2, ['{"level":"info","msg":"half a li', REFUSAL]),
  'another setting': said(2, [
    '{"level":"fatal","mistakes":[{"path":"SVC_BASE_URL","message":"is no URL"}],"msg":"x"}',
  ]),
  'a database that is too old, also where its stack is cut off': said(1, [TOO_OLD.slice(0, 150)]),
  'an end that says nothing that is known': said(1, ['{"mistakes":7}', '[1]', 'no JSON']),
  'a Secret that is missing': waiting('CreateContainerConfigError', 'secret "x" not found'),
  'an init container': afterInit(1),
};

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

/** A pod of an instance `office` on node-1. */
function placed(component: string, status: object, metadata: object = {}, spec: object = {}): Pod {
  const labels = { 'app.kubernetes.io/component': component };
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'node-1', containers: [], ...spec }, status },
    metadata: { name: `office-${component}-x`, namespace: 'documents', uid: component, labels, ...metadata },
  } as unknown as Pod;
}

type Event = readonly [reason: string, note: string, seconds: number];
const CREATING = { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }] };
const MOUNT: Event = ['FailedMount', 'MountVolume.SetUp failed for volume "secrets" : secret "x" not found', 60];
const SUMMARY: Event = ['FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[data]: timed out', 1];
const ATTACH: Event = ['FailedAttachVolume', 'AttachVolume.Attach failed for volume "pvc-1" : rpc error', 90];

const EVENTS: Readonly<Record<string, readonly [events: readonly Event[], status?: object]>> = {
  'nothing while there is none': [[]],
  'nothing of events about something else': [[['Unhealthy', 'probe failed', 1]]],
  'the newest that says why': [[ATTACH, MOUNT, SUMMARY]],
  'a volume that cannot be attached': [[ATTACH]],
  'a summary where nothing else is told': [[SUMMARY]],
  'a network that cannot be had': [[['FailedCreatePodSandBox', 'plugin type="calico" failed', 1]]],
  'a volume that another node still has, and what frees it': [
    [['FailedAttachVolume', 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) office-gate-y', 1]],
  ],
  'nothing once something of it runs': [[MOUNT], { ...CREATING, containerStatuses: [{ state: { running: {} } }] }],
  'nothing once it runs': [[MOUNT], { ...CREATING, phase: 'Running' }],
};

const condition = (type: string, status: string, s: number) => ({ type, status, lastTransitionTime: ago(s) });
const crashing = { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1 } } }] };
const lost = [condition('Ready', 'False', 30), condition('ContainersReady', 'True', 9_000)];
const gated = { readinessGates: [{ conditionType: 'theirs' }] };
const unready = (type: string, seconds: number) => ({ ...crashing, conditions: [condition(type, 'False', seconds)] });
const deleted = (seconds: number) => placed('editor', { phase: 'Running' }, { deletionTimestamp: ago(seconds) });

const TROUBLES: Readonly<Record<string, readonly Pod[]>> = {
  'their node does not answer, before what keeps others from taking their place': [
    placed('gate', { phase: 'Pending', ...crashing }),
    placed('gate', { phase: 'Running', conditions: lost }, { name: 'office-gate-z' }),
  ],
  'nothing of a pod that says itself that it is not ready': [
    placed('gate', { phase: 'Running', conditions: [lost[0], condition('ContainersReady', 'False', 30)] }),
  ],
  'nothing of a pod that somebody else does not let be ready': [
    placed('gate', { phase: 'Running', conditions: lost }, {}, gated),
  ],
  'nothing of a pod that was given up': [placed('gate', { phase: 'Failed', reason: 'NodeLost' })],
  'nothing of a pod that is to go': [deleted(-300)],
  'nothing of a pod that has not gone for a moment': [deleted(59)],
  'a lost node when a pod has not gone long after its time': [deleted(61)],
  'no person is needed before ten minutes after a pod was last ready, however old it is': [
    placed('gate', unready('Ready', 599), { creationTimestamp: ago(9_000) }),
  ],
  'a person is needed ten minutes after a pod was last ready': [placed('gate', unready('Ready', 600))],
  'a person is needed ten minutes after a pod found no node': [placed('gate', unready('PodScheduled', 600))],
  'a person is needed ten minutes after a pod was made': [placed('gate', crashing, { creationTimestamp: ago(600) })],
};

describe('what keeps pods from running', () => {
  const compare = (name: string, found: readonly object[]) =>
    expectGolden(new URL(`golden/${name}.yaml`, import.meta.url), found);

  it('is, by the status of a pod, as golden/pods.yaml says (UPDATE_GOLDEN=1 writes it)', () => {
    compare(
      'pods',
      Object.entries(PODS).map(([rule, one]) => ({ rule, trouble: findPodTrouble(one) })),
    );
  });

  it('is, by the events of a pod whose containers cannot even be made, as golden/pod-events.yaml says', async () => {
    const found = Object.entries(EVENTS).map(async ([rule, [events, status = CREATING]]) => {
      const server = memoryClient();
      for (const [index, [reason, note, seconds]] of events.entries()) {
        const metadata = { name: `e-${index}`, namespace: 'documents' };
        const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata, reason, note };
        server.put({ ...event, deprecatedLastTimestamp: ago(seconds) } as KubernetesObject);
      }
      return { rule, trouble: await eventTrouble(server.client, placed('gate', status)) };
    });
    compare('pod-events', await Promise.all(found));
  });

  it('is, where a quota refuses pods, what the newest event says, however many events others have', async () => {
    const server = memoryClient();
    for (let index = 0; index <= 500; index += 1) {
      const [name, note] =
        index < 500 ? [`a-${index}`, 'theirs'] : ['office-gate-5c8', 'Error creating: exceeded quota'];
      const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name, namespace: 'documents' }, note };
      server.put({ ...event, regarding: { name } } as KubernetesObject);
    }
    expect((await podRefusals(server.client, 'documents')).get('office-gate')).to.equal('exceeded quota');
  });

  it('is, by all pods of an instance, as golden/pod-troubles.yaml says', async () => {
    const found = Object.entries(TROUBLES).map(async ([rule, pods]) => {
      const server = memoryClient();
      server.clock = () => NOW;
      for (const one of pods) server.put(one);
      const troubles = await podTroubles(server.client, 'documents', 'office');
      return { rule, troubles: Object.fromEntries(troubles) };
    });
    compare('pod-troubles', await Promise.all(found));
  });
});
