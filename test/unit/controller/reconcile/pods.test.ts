import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { troubleOf } from '../../../../cmd/controller/reconcile/pods.ts';

const pod = (status: object) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'office-gate-x' }, status }) as V1Pod & KubernetesObject;
const container = (state: object, lastState = {}) =>
  pod({ containerStatuses: [{ name: 'gate', image: 'svc/gate:9', state, lastState }] });

describe('what keeps a pod from running', () => {
  it('is nothing while it starts or runs', () => {
    expect(troubleOf(pod({}))).to.equal(undefined);
    expect(troubleOf(container({ waiting: { reason: 'ContainerCreating' } }))).to.equal(undefined);
    expect(troubleOf(container({ running: {} }, { terminated: { exitCode: 1 } }))).to.equal(undefined);
  });

  it('is an image that cannot be pulled, and what to do about it', () => {
    for (const reason of ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName']) {
      expect(troubleOf(container({ waiting: { reason } }))).to.deep.equal({
        reason: 'ImagePullFailed',
        message:
          'Pod office-gate-x cannot pull svc/gate:9: check the name, and spec.images.pullSecrets for a private registry.',
      });
    }
  });

  it('is that no node takes it, or its volume', () => {
    const unscheduled = (message: string) =>
      troubleOf(pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] }));
    expect(unscheduled('0/3 nodes are available: 3 Insufficient cpu.')).to.deep.equal({
      reason: 'Unschedulable',
      message: 'No node can take pod office-gate-x: 0/3 nodes are available: 3 Insufficient cpu.',
    });
    expect(unscheduled('pod has unbound immediate PersistentVolumeClaims')?.reason).to.equal('VolumePending');
  });

  it('is that it ends again and again, without figures that change each time', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 2m40s restarting failed container' };
    expect(troubleOf(container({ waiting }, { terminated: { exitCode: 2, reason: 'Error' } }))).to.deep.equal({
      reason: 'Crashing',
      message: 'Pod office-gate-x keeps ending (exit code 2): see kubectl logs --previous office-gate-x.',
    });
    expect(troubleOf(container({ waiting }, { terminated: { exitCode: 137, reason: 'OOMKilled' } }))?.reason).to.equal(
      'OutOfMemory',
    );
  });

  it('is a Secret or key that is missing', () => {
    const waiting = { reason: 'CreateContainerConfigError', message: 'secret "x" not found' };
    expect(troubleOf(container({ waiting }))).to.deep.equal({
      reason: 'ContainerRefused',
      message: 'Pod office-gate-x cannot start: secret "x" not found.',
    });
  });

  it('is nothing when what comes first in it has ended well, as what a service mesh adds does', () => {
    const first = (exitCode: number) => ({ name: 'first', image: 'mesh:1', state: { terminated: { exitCode } } });
    const starting = { name: 'gate', image: 'svc/gate:9', state: { waiting: { reason: 'PodInitializing' } } };
    const status = (exitCode: number) => ({
      initContainerStatuses: [first(exitCode)],
      containerStatuses: [starting],
    });
    expect(troubleOf(pod(status(0)))).to.equal(undefined);
    expect(troubleOf(pod(status(1)))?.reason).to.equal('Crashing');
  });

  it('is nothing of one that is over, in whose place there is another', () => {
    const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown' };
    const evicted = container({ terminated });
    evicted.status = { ...evicted.status, phase: 'Failed', reason: 'Evicted' };
    expect(troubleOf(evicted)).to.equal(undefined);
  });

  it('is nothing once it is being deleted', () => {
    const gone = container({ waiting: { reason: 'ErrImagePull' } });
    gone.metadata.deletionTimestamp = '2026-11-21T12:00:00Z' as never;
    expect(troubleOf(gone)).to.equal(undefined);
  });
});
