import { expect } from 'chai';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import { ownershipTrouble } from '../../../../cmd/controller/reconcile/live-object.ts';
import { OwnedObjects } from '../../../../cmd/controller/reconcile/owned-objects.ts';

const OWNER = { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', name: 'office', uid: 'office-1', controller: true };
const OTHERS = [{ ...OWNER, name: 'other' }];

function object(kind: string, metadata: Partial<ObjectMeta>, more: object = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'office-gate', namespace: 'shop', uid: 'uid-1', ownerReferences: [OWNER], ...metadata },
    ...more,
  };
}

const service = (resourceVersion: string, metadata: Partial<ObjectMeta> = {}) =>
  object('Service', { resourceVersion, ...metadata });

/** What `managedFields` has of an apply. */
const appliedIn = (second: number) => [
  { manager: 'svc-controller', operation: 'Apply', time: new Date(second * 1000).toISOString() as never },
];

describe('the objects that the controller made', () => {
  let owned: OwnedObjects;
  beforeEach(() => {
    owned = new OwnedObjects();
  });
  const record = (version: string, digest = 'digest', seconds = 1, generation = 1) =>
    owned.recordApply(service(version, { managedFields: appliedIn(seconds), generation }), digest);

  it('concern their instance until they are as they were applied, and again with each change', () => {
    expect(owned.observe(service('1'))).to.deep.equal(['shop/office']);
    expect(owned.isApplied(service('1'), 'digest')).to.equal(false);
    record('2');
    expect(owned.isApplied(service('2'), 'digest'), 'before a watch has shown it').to.equal(false);
    expect(owned.observe(service('2'))).to.deep.equal([]);
    expect(owned.isApplied(service('2'), 'digest')).to.equal(true);
    expect(owned.isApplied(service('2'), 'another')).to.equal(false);
    expect(owned.observe(service('3'))).to.deep.equal(['shop/office']);
    expect(owned.isApplied(service('3'), 'digest')).to.equal(false);
    record('3');
    owned.forgetApplies('shop/office');
    expect(owned.isApplied(service('3'), 'digest')).to.equal(false);
    record('3');
    owned.observe(service('4', { deletionTimestamp: '2026-11-21T12:00:00Z' }));
    record('4');
    expect(owned.isApplied(service('4'), 'digest'), 'one that goes').to.equal(false);
  });

  it('were repaired when the same apply has changed them once more, whatever else their versions tell of', () => {
    const applies: [version: string, digest: string, seconds: number, generation: number, repaired: boolean][] = [
      ['2', 'digest', 1, 1, false],
      ['2', 'digest', 1, 1, false],
      // Their status, which a watch need not have shown yet.
      ['4', 'digest', 1, 1, false],
      ['5', 'digest', 3, 1, true],
      // Another controller and this one in the same second.
      ['7', 'digest', 3, 3, true],
      ['8', 'another', 4, 4, false],
      ['9', 'another', 5, 4, true],
    ];
    for (const [version, digest, seconds, generation, repaired] of applies) {
      expect(record(version, digest, seconds, generation), version).to.equal(repaired);
    }
  });

  const APPLIES: [what: string, shown: string[], answer: string | undefined, changed: string[]][] = [
    ['as the answer has them', ['2'], '2', []],
    ['not at all', [], '2', []],
    ['as somebody else has made them since', ['2', '3'], '2', ['shop/office']],
    ['as somebody else has made them, and the apply fails', ['2'], undefined, ['shop/office']],
  ];
  for (const [what, shown, answer, changed] of APPLIES) {
    it(`concern nobody while they are applied; afterwards, when a watch has shown them ${what}, ${changed.join() || 'nobody'}`, async () => {
      const found: string[] = [];
      owned = new OwnedObjects((instance) => found.push(instance));
      owned.observe(service('1'));
      const apply = owned.whileApplied(service('1'), async () => {
        for (const version of shown) expect(owned.observe(service(version))).to.deep.equal([]);
        if (answer === undefined) throw new Error('failed on purpose');
        record(answer);
      });
      await apply.catch(() => undefined);
      expect(found).to.deep.equal(changed);
      expect(owned.observe(service('4'))).to.deep.equal(['shop/office']);
    });
  }

  it('concern both instances when somebody changes the owner', () => {
    owned.observe(service('1'));
    expect(owned.observe(service('2', { ownerReferences: OTHERS }))).to.deep.equal(['shop/other', 'shop/office']);
    expect(owned.of('shop/office')).to.deep.equal([]);
  });

  it('were not repaired where the first apply of a new claim adds the class that Kubernetes gave it', () => {
    const repaired = [1, 3, 3, 5].map((second, index) => {
      const claim = object('PersistentVolumeClaim', { managedFields: appliedIn(second) });
      return owned.recordApply(claim, 'digest', index === 0 ? undefined : 'with its class');
    });
    expect(repaired).to.deep.equal([false, false, false, true]);
  });

  it('are forgotten when they are gone, also by name and uid alone, but not the next of that name', () => {
    owned.observe(service('1'));
    record('1');
    const gone = (uid: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'office-gate', namespace: 'shop', uid },
    });
    expect(owned.remove(gone('uid-0'))).to.deep.equal([]);
    expect(owned.remove(gone('uid-1'))).to.deep.equal(['shop/office']);
    expect([owned.size, owned.of('shop/office').length]).to.deep.equal([0, 0]);
    owned.observe(service('1'));
    expect(owned.isApplied(service('1'), 'digest')).to.equal(false);
    record('2');
    owned.remove(service('2'));
    record('2');
    expect(owned.find(service('2')), 'by an answer that comes late').to.equal(undefined);
    expect(owned.isApplied(service('2'), 'digest')).to.equal(false);
  });
});

describe('an object with a name of ours', () => {
  const APPLIED = { 'svc.internal/applied': 'true' };
  const deleting = { deletionTimestamp: '2026-11-21T12:00:00Z' };
  const CASES: [what: string, kind: string, metadata: Partial<ObjectMeta>, trouble: object | undefined][] = [
    ['is ours by its owner', 'Service', {}, undefined],
    ['is ours without one, by what was applied', 'Service', { ownerReferences: [], annotations: APPLIED }, undefined],
    ['of nobody is not taken', 'Service', { ownerReferences: [] }, { reason: 'NameTaken', stalled: true }],
    [
      'of somebody else is not taken',
      'Service',
      { ownerReferences: [{ ...OWNER, kind: 'Chart', uid: 'u' }], annotations: APPLIED },
      {
        reason: 'NameTaken',
        stalled: true,
        message:
          'Service office-gate exists already and belongs to Chart office: delete or rename it, or give the SvcInstance another name.',
      },
    ],
    ['is waited for while it goes', 'Service', deleting, { reason: 'Deleting', stalled: false }],
    [
      'of the former instance is waited for',
      'Service',
      { ownerReferences: [{ ...OWNER, uid: 'office-0' }] },
      { reason: 'Deleting', stalled: false },
    ],
    [
      'takes a person when it is a claim: it goes with its pod, which nobody ends',
      'PersistentVolumeClaim',
      deleting,
      {
        reason: 'Deleting',
        stalled: true,
        message:
          'PersistentVolumeClaim office-gate is being deleted: it is lost, with all its data, as soon as its pod ends. ' +
          'Save the data first, then end the pod: a new, empty claim will be created.',
      },
    ],
  ];
  for (const [what, kind, metadata, trouble] of CASES) {
    it(what, () => {
      const found = ownershipTrouble(object(kind, metadata), { name: 'office', uid: 'office-1' });
      if (trouble) expect(found).to.include(trouble);
      else expect(found).to.equal(undefined);
    });
  }
});
