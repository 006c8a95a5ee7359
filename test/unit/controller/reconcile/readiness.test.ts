import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { toConditions } from '../../../../cmd/controller/reconcile/conditions.ts';
import {
  type ComponentState,
  componentFindings,
  parseRollout,
  readinessFindings,
  storageFindings,
} from '../../../../cmd/controller/reconcile/readiness.ts';
import { expectGolden } from '../../../support/golden.ts';
import { SHARED } from '../desired/instances.ts';
import { makeSituation } from '../desired/situation.ts';

const DONE: ComponentState = { rollout: { desired: 1, ready: 1, available: true, complete: true } };
const STARTING: ComponentState = { rollout: { desired: 1, ready: 0, available: false, complete: false } };
const ROLLING: ComponentState = { rollout: { desired: 2, ready: 2, available: true, complete: false } };
const ALL = { gate: DONE, docbuilder: DONE, editor: DONE, front: DONE };
const pods = (reason: string, message: string, stalled = false) => ({
  ...STARTING,
  pods: { reason, message, stalled },
});
const failing = (message: string, more: object = {}): ComponentState => ({
  rollout: { ...STARTING.rollout, failure: { reason: 'FailedCreate', message }, ...more } as ComponentState['rollout'],
});
const edge = { reason: 'NoAddress', stalled: true, message: 'No address yet.' };
const taken = { reason: 'NameTaken', stalled: true, message: 'Service x exists.' };
const FORBIDDEN = 'pods "x" is forbidden: violates PodSecurity "restricted:latest": unrestricted capabilities';

const NEWEST = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
const AVAILABLE = { type: 'Available', status: 'True' };
const LATE = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'm' };
const REFUSED = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
const rollout = (status: object, spec: object = { replicas: 2 }) =>
  parseRollout({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec, status },
    metadata: { name: 'office-gate', generation: 3 },
  } as KubernetesObject);
const paused = (status: object): ComponentState => ({
  rollout: rollout({ ...NEWEST, conditions: [AVAILABLE], ...status }, { replicas: 2, paused: true }),
});

const READINESS: Readonly<Record<string, Parameters<typeof readinessFindings>>> = {
  'it is true when all components run as wanted; nothing else is true then': [[], ALL, []],
  'it is false while one starts, which kstatus takes for progress': [[], { ...ALL, editor: STARTING, front: {} }, []],
  'it is false while a new version is on its way, though the old one answers': [[], { ...ALL, front: ROLLING }, []],
  'it names the most telling reason': [
    [],
    { ...ALL, gate: STARTING, editor: pods('ImagePullFailed', 'Pod x cannot pull y.') },
    [],
  ],
  'it is false when all runs and nobody gets through': [[], ALL, ['The host is taken.'], edge],
  'it is progress while the edge may come by itself': [[], ALL, [], { ...edge, stalled: false }],
  'it tells the edge beside what does not run': [[], { ...ALL, gate: STARTING }, [], edge],
  'it is progress while a pod has not run for a moment': [[], { ...ALL, gate: pods('FailedMount', 'No volume.') }, []],
  'it is stalled when a pod has not run for long': [[], { ...ALL, gate: pods('FailedMount', 'No volume.', true) }, []],
  'it says what to do where the namespace lets the editor not in': [
    [],
    { ...ALL, editor: failing(FORBIDDEN), front: STARTING },
    [],
  ],
  'it is progress while a Deployment tries': [[], { ...ALL, gate: failing('exceeded quota') }, []],
  'it says what to do where a quota has no more pods, whatever their size': [
    [],
    { ...ALL, gate: failing('exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5') },
    [],
  ],
  'it says what to do where a LimitRange lets a pod not in': [
    [],
    { ...ALL, editor: failing('maximum memory usage per Container is 2Gi, but limit is 4Gi') },
    [],
  ],
  'it is stalled when a Deployment has given up': [[], { ...ALL, gate: failing('quota', { gaveUp: true }) }, []],
  'it is stalled when a person is needed': [[taken], ALL, []],
  'it is stalled when somebody has paused a Deployment whose newest version should come': [
    [],
    { ...ALL, gate: paused({ updatedReplicas: 0 }) },
    [],
  ],
  'it is true when somebody has paused a Deployment whose newest version runs': [[], { ...ALL, gate: paused({}) }, []],
  'it says what is remarkable all the same': [[], ALL, ['Claim x keeps its size.']],
  'it tells remarks also while it is not ready, for which they may be the reason': [[], { ...ALL, gate: {} }, ['Hm.']],
  'it tells remarks beside troubles': [[taken], ALL, ['Claim x keeps its size.']],
};

const ROLLOUTS: Readonly<Record<string, ReturnType<typeof parseRollout>>> = {
  'complete when its newest version is all that runs': rollout(NEWEST),
  'not complete before it was looked at': rollout({ ...NEWEST, observedGeneration: 2 }),
  'not complete while one is an old one': rollout({ ...NEWEST, updatedReplicas: 1 }),
  'not complete while there is an old one as well': rollout({ ...NEWEST, replicas: 3 }),
  'not complete while one does not answer': rollout({ ...NEWEST, availableReplicas: 1 }),
  'not complete without a status': rollout({}),
  'available when it says so itself': rollout({ ...NEWEST, conditions: [AVAILABLE] }),
  'never available without a pod, whatever it says': rollout(
    { observedGeneration: 3, conditions: [AVAILABLE] },
    { replicas: 0 },
  ),
  'a failure when it has tried for too long': rollout({ conditions: [LATE] }),
  'a failure when it cannot make pods': rollout({ conditions: [REFUSED] }),
  'given up at its deadline, whatever else keeps it from making pods': rollout({ conditions: [LATE, REFUSED] }),
};

describe('whether an instance is ready', () => {
  it(`is as golden/readiness.yaml says, in ${Object.keys(READINESS).length} cases (UPDATE_GOLDEN=1 writes it)`, () => {
    const found = Object.entries(READINESS).map(([rule, given]) => ({ rule, findings: readinessFindings(...given) }));
    expectGolden(new URL('golden/readiness.yaml', import.meta.url), found);
  });

  it('follows from Deployments as golden/rollouts.yaml says (UPDATE_GOLDEN=1 writes it)', () => {
    const found = Object.entries(ROLLOUTS).map(([rule, of]) => {
      const [available] = componentFindings({ ...ALL, gate: { rollout: of } });
      return { rule, rollout: of, available };
    });
    expectGolden(new URL('golden/rollouts.yaml', import.meta.url), found);
  });
});

describe('conditions', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'A', message: 'm' } as const;
  const at = (seconds: number) => Date.parse('2026-11-21T12:00:00.123Z') + seconds * 1000;

  it('keep the time of their last transition while the status is the same', () => {
    const first = toConditions([ready], [], 1, at(0));
    expect(first[0]).to.deep.equal({ ...ready, observedGeneration: 1, lastTransitionTime: '2026-11-21T12:00:00Z' });
    const second = toConditions([{ ...ready, reason: 'B' }], first, 2, at(9));
    expect(second[0]).to.include({ reason: 'B', observedGeneration: 2, lastTransitionTime: '2026-11-21T12:00:00Z' });
    const third = toConditions([{ ...ready, status: 'False' }], second, 2, at(19));
    expect(third[0]?.lastTransitionTime).to.equal('2026-11-21T12:00:19Z');
  });
});

describe('whether the database and the bucket of an instance are ready', () => {
  const { instance } = makeSituation({ spec: { storage: SHARED } });
  const refused = { ...DONE, pods: { reason: 'StorageRefused', message: 'No such bucket.', stalled: false } };
  const unscheduled = { ...DONE, pods: { ...refused.pods, reason: 'Unschedulable' } };
  const STARTED = { ...ALL, editor: STARTING, front: STARTING };

  for (const [what, components, expected] of [
    ['is told once gate and DocBuilder have started with them', STARTED, 'True Accepted'],
    ['is not known while DocBuilder starts', { ...STARTED, docbuilder: STARTING }, 'Unknown Progressing'],
    ['is not known before there is a gate', { ...STARTED, gate: {} }, 'Unknown Progressing'],
    [
      'is false when a new pod is refused, though old ones go on',
      { ...STARTED, docbuilder: refused },
      'False StorageRefused',
    ],
    ['has nothing to do with other troubles of pods', { ...STARTED, gate: unscheduled }, 'True Accepted'],
  ] as const) {
    it(what, () => {
      const [finding] = storageFindings(instance, components);
      expect(`${finding?.status} ${finding?.reason}`).to.equal(expected);
    });
  }

  it('is no question where documents are in volumes', () => {
    expect(storageFindings(makeSituation().instance, ALL)).to.deep.equal([]);
  });
});
