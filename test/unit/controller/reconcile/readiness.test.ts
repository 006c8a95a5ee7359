import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { toConditions } from '../../../../cmd/controller/reconcile/conditions.ts';
import {
  type ComponentState,
  componentFindings,
  readinessFindings,
} from '../../../../cmd/controller/reconcile/readiness.ts';
import { parseRollout } from '../../../../cmd/controller/reconcile/rollout.ts';

const DONE: ComponentState = { rollout: { desired: 1, ready: 1, available: true, complete: true } };
const STARTING: ComponentState = { rollout: { desired: 1, ready: 0, available: false, complete: false } };
const ALL = { gate: DONE, docbuilder: DONE, editor: DONE, front: DONE };
const brief = (findings: ReturnType<typeof readinessFindings>) =>
  findings.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('whether an instance is ready', () => {
  it('is true when all components run as wanted; nothing else is true then', () => {
    expect(brief(readinessFindings([], ALL, []))).to.deep.equal(['Ready=True AllAvailable']);
  });

  it('is false while one starts, which kstatus takes for progress', () => {
    const findings = readinessFindings([], { ...ALL, editor: STARTING, front: {} }, []);
    expect(brief(findings)).to.deep.equal(['Ready=False Progressing', 'Reconciling=True Progressing']);
    expect(findings[0]?.message).to.equal('The editor is starting. The front has not been created yet.');
  });

  it('is false while a new version is on its way, though the old one answers', () => {
    const rolling = { rollout: { desired: 2, ready: 2, available: true, complete: false } };
    expect(brief(readinessFindings([], { ...ALL, front: rolling }, []))[0]).to.equal('Ready=False Progressing');
    expect(componentFindings({ ...ALL, front: rolling })[3]).to.include({ type: 'FrontAvailable', status: 'True' });
  });

  it('names the most telling reason', () => {
    const pods = { reason: 'ImagePullFailed', message: 'Pod x cannot pull y.', stalled: false };
    const findings = readinessFindings([], { ...ALL, gate: STARTING, editor: { ...STARTING, pods } }, []);
    expect(findings[0]).to.include({
      reason: 'ImagePullFailed',
      message: 'The gate is starting. Pod x cannot pull y.',
    });
  });

  it('is false when all runs and nobody gets through, and tells that beside what does not run', () => {
    const edge = { reason: 'NoAddress', stalled: true, message: 'No address yet.' };
    const findings = readinessFindings([], ALL, ['The host is taken.'], edge);
    expect(brief(findings)).to.deep.equal(['Ready=False NoAddress', 'Stalled=True NoAddress']);
    expect(findings[0]?.message).to.equal('All components are available. No address yet. The host is taken.');
    const waiting = readinessFindings([], ALL, [], { ...edge, stalled: false });
    expect(brief(waiting)[1]).to.equal('Reconciling=True NoAddress');
    const both = readinessFindings([], { ...ALL, gate: STARTING }, [], edge);
    expect(brief(both)).to.deep.equal(['Ready=False Progressing', 'Reconciling=True Progressing']);
    expect(both[0]?.message).to.equal('The gate is starting. No address yet.');
  });

  it('is stalled when a pod has not run for long, though the Deployment knows no deadline for one that replaces another', () => {
    const pods = (stalled: boolean) => ({ reason: 'FailedMount', message: 'Pod x cannot mount a volume.', stalled });
    const of = (stalled: boolean) =>
      brief(readinessFindings([], { ...ALL, gate: { ...STARTING, pods: pods(stalled) } }, []));
    expect(of(false)).to.deep.equal(['Ready=False FailedMount', 'Reconciling=True FailedMount']);
    expect(of(true)).to.deep.equal(['Ready=False FailedMount', 'Stalled=True FailedMount']);
  });

  it('says what to do where the namespace lets the editor not in', () => {
    const message = 'pods "x" is forbidden: violates PodSecurity "restricted:latest": unrestricted capabilities';
    const failure = { reason: 'FailedCreate', message };
    const rollout = { desired: 1, ready: 0, available: false, complete: false, failure };
    expect(readinessFindings([], { ...ALL, editor: { rollout }, front: STARTING }, [])[0]?.message).to.equal(
      `The editor cannot start: ${message}. Label the namespace pod-security.kubernetes.io/enforce=baseline: the editor needs that. The front is starting.`,
    );
  });

  it('is stalled when a Deployment has given up, and when a person is needed', () => {
    const failure = { reason: 'FailedCreate', message: 'exceeded quota' };
    const rollout = { desired: 1, ready: 0, available: false, complete: false, failure };
    expect(brief(readinessFindings([], { ...ALL, gate: { rollout } }, []))[1]).to.equal(
      'Reconciling=True FailedCreate',
    );
    const gaveUp = { ...rollout, gaveUp: true } as const;
    expect(brief(readinessFindings([], { ...ALL, gate: { rollout: gaveUp } }, []))[1]).to.equal(
      'Stalled=True FailedCreate',
    );
    const taken = { reason: 'NameTaken', stalled: true, message: 'Service x exists.' };
    expect(brief(readinessFindings([taken], ALL, []))).to.deep.equal([
      'Ready=False NameTaken',
      'Stalled=True NameTaken',
    ]);
  });

  it('is stalled when somebody has paused the Deployment whose newest version should come, and only then', () => {
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'office-gate', generation: 3 } };
    const full = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const conditions = [{ type: 'Available', status: 'True' }];
    const gateWith = (status: object) => ({
      rollout: parseRollout({
        ...object,
        ...{ spec: { paused: true }, status: { observedGeneration: 3, ...full, conditions, ...status } },
      } as KubernetesObject),
    });
    const findings = readinessFindings([], { ...ALL, gate: gateWith({ updatedReplicas: 0 }) }, []);
    expect(brief(findings)).to.deep.equal(['Ready=False RolloutPaused', 'Stalled=True RolloutPaused']);
    expect(findings[0]?.message).to.include('kubectl rollout resume deployment/office-gate');
    expect(brief(readinessFindings([], { ...ALL, gate: gateWith({}) }, []))).to.deep.equal(['Ready=True AllAvailable']);
  });

  it('says what is remarkable all the same, where `kubectl get` shows it', () => {
    expect(readinessFindings([], ALL, ['Claim x keeps its size.'])[0]).to.include({
      status: 'True',
      reason: 'AvailableWithRemarks',
      message: 'All components are available. Claim x keeps its size.',
    });
  });

  it('tells remarks also while it is not ready, for which they may be the reason', () => {
    const starting = { ...ALL, gate: {} };
    expect(readinessFindings([], starting, ['The image is changed again and again.'])[0]).to.include({
      status: 'False',
      reason: 'Progressing',
      message: 'The gate has not been created yet. The image is changed again and again.',
    });
    const trouble = { reason: 'NameTaken', stalled: true, message: 'Service x is taken.' };
    expect(readinessFindings([trouble], ALL, ['Claim x keeps its size.'])[0]).to.include({
      reason: 'NameTaken',
      message: 'Service x is taken. Claim x keeps its size.',
    });
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

describe('how far a Deployment has got', () => {
  const deployment = (status: object, replicas = 2) => ({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas }, status },
    metadata: { name: 'a', generation: 3 },
  });
  const full = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };

  it('is complete when its newest version is all that runs', () => {
    expect(parseRollout(deployment(full)).complete).to.equal(true);
    for (const less of [{ observedGeneration: 2 }, { updatedReplicas: 1 }, { replicas: 3 }, { availableReplicas: 1 }]) {
      expect(parseRollout(deployment({ ...full, ...less })).complete, JSON.stringify(less)).to.equal(false);
    }
    expect(parseRollout(deployment({})).complete).to.equal(false);
  });

  it('answers when enough pods do, and never without any, whatever its own condition says', () => {
    const conditions = [{ type: 'Available', status: 'True' }];
    expect(parseRollout(deployment({ ...full, conditions })).available).to.equal(true);
    expect(parseRollout(deployment(full)).available).to.equal(false);
    const none = parseRollout(deployment({ observedGeneration: 3, conditions }, 0));
    expect(none.available).to.equal(false);
    const findings = componentFindings({ ...ALL, gate: { rollout: none } });
    expect(findings[0]).to.include({ type: 'GateAvailable', status: 'False', reason: 'ScaledToZero' });
  });

  it('is a failure when it cannot make pods or has tried for too long', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'm' }];
    expect(parseRollout(deployment({ conditions })).failure).to.deep.equal({
      reason: 'ProgressDeadlineExceeded',
      message: 'm',
    });
  });

  it('has given up at its deadline, whatever else keeps it from making pods', () => {
    const late = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'm' };
    const refused = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
    expect(parseRollout(deployment({ conditions: [refused] }))).not.to.have.property('gaveUp');
    const both = parseRollout(deployment({ conditions: [late, refused] }));
    expect(both).to.deep.include({ gaveUp: true, failure: { reason: 'FailedCreate', message: 'exceeded quota' } });
  });
});
