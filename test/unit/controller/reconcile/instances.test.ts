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

  it('are news with each change of the spec, of an annotation or of the status, once', () => {
    expect(instances.observe(office('10'))).to.equal(undefined);
    expect(instances.observe(office('11'))).to.equal('status');
    expect(instances.observe(office('12', { generation: 2 }))).to.equal('spec');
    expect(instances.observe(office('13', { generation: 2, annotations: { a: 'b' } }))).to.equal('spec');
    expect(instances.observe(office('13', { generation: 2, annotations: { a: 'b' } }))).to.equal(undefined);
  });

  it('are no news with the status that the controller has written, but with a spec that came with it', () => {
    expect(instances.recordStatus(office('20'), 'digest')).to.equal(false);
    expect(instances.observe(office('20'))).to.equal(undefined);
    expect(instances.writtenStatus(KEY)).to.equal('digest');
    instances.recordStatus(office('31', { generation: 2 }), 'digest');
    expect(instances.observe(office('30', { generation: 2 }))).to.equal('spec');
  });

  it('tell when somebody else has written one since it was read', () => {
    instances.observe(office('25'));
    expect(instances.recordStatus(office('20'), 'digest')).to.equal(true);
    expect(instances.recordStatus(office('25'), 'digest')).to.equal(false);
  });

  it('are found by the Secrets that they name and by their host', () => {
    const other = { name: 'other', creationTimestamp: '2030-01-01T00:00:00Z' };
    instances.observe(office('11', other, { license: { secretName: 'svc-license' } }));
    expect(instances.withSecret('documents', 'svc-license')).to.deep.equal(['documents/other']);
    expect(instances.withSecret('elsewhere', 'svc-license')).to.deep.equal([]);
    expect(instances.withSameHost(KEY)).to.deep.equal(['documents/other']);
    expect(instances.olderWithSameHost(KEY)).to.deep.equal([]);
    expect(instances.olderWithSameHost('documents/other')).to.deep.equal([KEY]);
    instances.delete(KEY);
    expect([instances.has(KEY), instances.keys()]).to.deep.equal([false, ['documents/other']]);
  });
});
