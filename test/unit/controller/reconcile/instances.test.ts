import { expect } from 'chai';
import type { ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import { Instances, type SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { situationOf } from '../desired/situation.ts';

const KEY = 'documents/office';
const office = (resourceVersion: string, metadata: Partial<ObjectMeta> = {}, spec: object = {}) => {
  const { instance } = situationOf({ spec });
  return { ...instance, metadata: { ...instance.metadata, resourceVersion, ...metadata } } as SvcInstance;
};

describe('the instances that the controller knows', () => {
  let instances: Instances;
  beforeEach(() => {
    instances = new Instances();
    instances.observe(office('10'));
  });

  it('are news with each change of the spec or of an annotation, once, and not with their status', () => {
    expect(instances.observe(office('11'))).to.equal(false);
    expect(instances.observe(office('12', { generation: 2 }))).to.equal(true);
    expect(instances.observe(office('13', { generation: 2, annotations: { a: 'b' } }))).to.equal(true);
    expect(instances.observe(office('14', { generation: 2, annotations: { a: 'b' } }))).to.equal(false);
  });

  it('are found by the Secrets that they name and by their host', () => {
    const other = { name: 'other', creationTimestamp: '2030-01-01T00:00:00Z' };
    instances.observe(office('11', other, { license: { secretName: 'svc-license' } }));
    expect(instances.withSecret('documents', 'svc-license')).to.deep.equal(['documents/other']);
    expect(instances.withSecret('elsewhere', 'svc-license')).to.deep.equal([]);
    expect(instances.withSameHost(KEY)).to.deep.equal(['documents/other']);
    expect(instances.olderWithSameHost(KEY)).to.equal(undefined);
    expect(instances.olderWithSameHost('documents/other')).to.equal(KEY);
    instances.delete(KEY);
    expect([instances.has(KEY), instances.keys()]).to.deep.equal([false, ['documents/other']]);
  });
});
