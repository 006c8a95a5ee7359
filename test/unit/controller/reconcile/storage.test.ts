import { expect } from 'chai';
import type { ComponentState } from '../../../../cmd/controller/reconcile/readiness.ts';
import { storageFindings } from '../../../../cmd/controller/reconcile/storage.ts';
import { SHARED } from '../desired/instances.ts';
import { situationOf } from '../desired/situation.ts';

const DONE: ComponentState = { rollout: { desired: 2, ready: 2, available: true, complete: true } };
const STARTING: ComponentState = { rollout: { desired: 2, ready: 0, available: false, complete: false } };
const ALL = { gate: DONE, docbuilder: DONE, editor: STARTING, front: STARTING };
const { instance } = situationOf({ spec: { storage: SHARED } });
const brief = (components: typeof ALL) =>
  storageFindings(instance, components).map(({ status, reason }) => `${status} ${reason}`);

describe('whether the database and the bucket of an instance are ready', () => {
  it('is no question where documents are in volumes', () => {
    expect(storageFindings(situationOf().instance, ALL)).to.deep.equal([]);
  });

  it('is told once gate and DocBuilder have started with them', () => {
    expect(brief(ALL)).to.deep.equal(['True Accepted']);
    expect(brief({ ...ALL, docbuilder: STARTING })).to.deep.equal(['Unknown Progressing']);
    expect(brief({ ...ALL, gate: {} })).to.deep.equal(['Unknown Progressing']);
  });

  it('is false when a new pod is refused, though those of before go on', () => {
    const pods = { reason: 'StorageRefused', message: 'Pod x does not start: no such bucket.', stalled: false };
    expect(storageFindings(instance, { ...ALL, docbuilder: { ...DONE, pods } })).to.deep.equal([
      { type: 'StorageReady', status: 'False', reason: 'StorageRefused', message: pods.message },
    ]);
    expect(brief({ ...ALL, gate: { ...DONE, pods: { ...pods, reason: 'Unschedulable' } } })).to.deep.equal([
      'True Accepted',
    ]);
  });
});
