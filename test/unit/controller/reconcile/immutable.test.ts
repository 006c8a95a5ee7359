import { expect } from 'chai';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { mustBeReplaced, toAttainable } from '../../../../cmd/controller/reconcile/immutable.ts';
import { takeOverSpec } from '../../../../cmd/controller/reconcile/managed-fields.ts';

const object = (kind: string, spec: object) =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'office-gate' }, spec }) as KubernetesObject & { spec: object };
const claim = (storage: string, storageClassName?: string) =>
  object('PersistentVolumeClaim', {
    accessModes: ['ReadWriteOnce'],
    ...(storageClassName !== undefined && { storageClassName }),
    resources: { requests: { storage } },
  });

describe('what the API server never changes', () => {
  it('lets a claim grow and says that it does not shrink', () => {
    expect(toAttainable(claim('30Gi'), claim('20Gi')).object).to.deep.include({ spec: claim('30Gi').spec });
    const { object: kept, notes } = toAttainable(claim('10Gi'), claim('20Gi'));
    expect(kept).to.deep.include({ spec: claim('20Gi').spec });
    expect(notes).to.deep.equal(['Claim office-gate stays at 20Gi: a volume cannot shrink to 10Gi.']);
  });

  it('lets a claim grow when it has a volume only, as the API server does', () => {
    const [pending, bound] = ['Pending', 'Bound'].map((phase) => ({ ...claim('20Gi'), status: { phase } }));
    const { object: kept, notes } = toAttainable(claim('30Gi'), pending as KubernetesObject);
    expect(kept).to.deep.include({ spec: claim('20Gi').spec });
    expect(notes).to.deep.equal(['Claim office-gate has no volume yet: it grows from 20Gi to 30Gi once it has one.']);
    expect(toAttainable(claim('20Gi'), pending as KubernetesObject).notes).to.deep.equal([]);
    expect(toAttainable(claim('30Gi'), bound as KubernetesObject)).to.deep.include({ notes: [] });
  });

  it('leaves the class of a claim as it is', () => {
    const { object: kept, notes } = toAttainable(claim('20Gi', 'fast'), claim('20Gi', 'slow'));
    expect(kept).to.deep.include({ spec: claim('20Gi', 'slow').spec });
    expect(notes).to.deep.equal(['Claim office-gate keeps its class slow: it cannot become fast.']);
    expect(toAttainable(claim('20Gi'), claim('20Gi', 'slow')).notes).to.deep.equal([]);
  });

  it('makes another Deployment for another selector, another Service to have or have no address', () => {
    const selector = (app: string) => object('Deployment', { selector: { matchLabels: { app } } });
    expect(mustBeReplaced(selector('a'), selector('a'))).to.equal(false);
    expect(mustBeReplaced(selector('a'), selector('b'))).to.equal(true);
    const service = (clusterIP?: string) => object('Service', { ...(clusterIP && { clusterIP }) });
    expect(mustBeReplaced(service(), service('10.0.0.1'))).to.equal(false);
    expect(mustBeReplaced(service('None'), service('None'))).to.equal(false);
    expect(mustBeReplaced(service('None'), service('10.0.0.1'))).to.equal(true);
    expect(mustBeReplaced(service(), service('None'))).to.equal(true);
  });

  it('makes another Ingress for the default class, which an Ingress is given at its birth only', () => {
    const ingress = (ingressClassName?: string, applied: object = {}) => ({
      ...object('Ingress', { ...(ingressClassName !== undefined && { ingressClassName }) }),
      metadata: {
        name: 'office',
        managedFields: [{ manager: 'svc-controller', operation: 'Apply', fieldsV1: { 'f:spec': applied } }],
      },
    });
    const ours = ingress('nginx', { 'f:ingressClassName': {} });
    expect(mustBeReplaced(ingress(), ours)).to.equal(true);
    expect(mustBeReplaced(ingress('nginx'), ours)).to.equal(false);
    expect(mustBeReplaced(ingress('other'), ours)).to.equal(false);
    expect(mustBeReplaced(ingress(), ingress('given'))).to.equal(false);
    expect(mustBeReplaced(ingress('nginx'), ingress('given'))).to.equal(false);
    expect(mustBeReplaced(ingress(), ingress())).to.equal(false);
  });
});

describe('a live object of which others own parts', () => {
  const entry = (manager: string, operation: string, fieldsV1: object, more: object = {}) => ({
    ...{ manager, operation, fieldsV1, apiVersion: 'v1' },
    ...more,
  });
  const live = (...managedFields: object[]) =>
    ({ ...object('Service', {}), metadata: { name: 'office-gate', managedFields } }) as KubernetesObject;
  const ports = (port: number) => ({ 'f:spec': { 'f:ports': { [`k:{"port":${port}}`]: {} } } });

  it('becomes ours below its spec alone, so that the next apply takes theirs out', () => {
    const label = { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } };
    const status = entry('kubelet', 'Update', { 'f:spec': {} }, { subresource: 'status' });
    const taken = takeOverSpec(
      live(entry('svc-controller', 'Apply', ports(80)), entry('edit', 'Update', { ...label, ...ports(81) }), status),
    );
    expect(taken?.metadata.managedFields).to.deep.equal([
      status,
      entry('edit', 'Update', label),
      entry('svc-controller', 'Apply', {
        'f:spec': { 'f:ports': { 'k:{"port":80}': {}, 'k:{"port":81}': {} } },
      }),
    ]);
  });

  it('stays as it is where nobody else owns anything of its spec', () => {
    expect(takeOverSpec(live(entry('svc-controller', 'Apply', ports(80)), entry('edit', 'Update', {})))).to.equal(
      undefined,
    );
  });
});
