import type { V1Secret } from '@kubernetes/client-node';
import { expect } from 'chai';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/types.ts';
import { permissionTrouble } from '../../../../cmd/controller/reconcile/secret-permission.ts';

const FIELD = 'spec.editor.adminSecretName';

function trouble(metadata: Partial<ObjectMeta>, type = 'Opaque', secrets: readonly string[] = []) {
  const secret = { apiVersion: 'v1', kind: 'Secret', type, metadata: { name: 'payroll-db', ...metadata } };
  return permissionTrouble(FIELD, secret as V1Secret & KubernetesObject, 'office', { secrets });
}

describe('whether a Secret is meant for an instance', () => {
  it('is said by a label with its name, or by its type', () => {
    expect(trouble({ labels: { 'svc.internal/instance': 'office' } })).to.equal(undefined);
    expect(trouble({}, 'svc.internal/secrets')).to.equal(undefined);
  });

  it('is not said by a password in it, nor by a label for another', () => {
    const message =
      'Secret payroll-db, which spec.editor.adminSecretName names, does not say that it is for this instance: ' +
      'kubectl label secret payroll-db svc.internal/instance=office, or create it with --type=svc.internal/secrets.';
    for (const found of [
      trouble({}),
      trouble({}, 'kubernetes.io/basic-auth'),
      trouble({ labels: { 'svc.internal/instance': 'other' } }),
      trouble({}, 'Opaque', ['payroll']),
    ]) {
      expect(found).to.deep.equal({ reason: 'SecretNotMeant', stalled: true, message });
    }
  });

  it('is for the administrator to say otherwise', () => {
    expect(trouble({}, 'Opaque', ['payroll-*'])).to.equal(undefined);
  });

  it('is never so of one that another instance owns', () => {
    const owner = { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', name: 'other', uid: 'u', controller: true };
    const labels = { 'svc.internal/instance': 'office' };
    const found = trouble({ labels, ownerReferences: [owner] }, 'svc.internal/secrets', ['*']);
    expect(found).to.include({ reason: 'SecretNotMeant' });
    expect(found?.message).to.include('belongs to another SvcInstance');
  });
});
