import { expect } from 'chai';
import { metadata } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import type { SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { readSecrets } from '../../../../cmd/controller/reconcile/secrets.ts';
import { situationOf } from '../desired/situation.ts';
import { memoryClient } from './memory-client.ts';

const { settings } = situationOf();
const MEANT = { 'svc.internal/instance': 'office' };
const GIVEN = { name: 'given', namespace: 'documents', labels: MEANT };

describe('the Secrets that a spec names', () => {
  it('may be there and hold nothing yet: then all is made', async () => {
    const server = memoryClient();
    const spec = { secrets: { secretName: 'given' }, editor: { adminSecretName: 'console' } };
    const instance = situationOf({ spec }).instance as SvcInstance;
    const random = (size: number) => new Uint8Array(size).fill(0x5a);
    const missing = await readSecrets(server.client, instance, random, settings);
    expect(missing.troubles.map(({ reason }) => reason)).to.deep.equal(['SecretNotFound', 'SecretNotFound']);

    for (const name of ['given', 'console']) {
      server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'documents', labels: MEANT } });
    }
    const { troubles, remarks, made } = await readSecrets(server.client, instance, random, settings);
    expect([troubles, remarks]).to.deep.equal([[], []]);
    expect(made).to.include.members(['docbuilder-api-keys', 'embed-jwt-secret', 'editor-admin-password']);
  });

  it('are used as they are, with a remark on a key that is misspelt', async () => {
    const server = memoryClient();
    const instance = situationOf({ spec: { secrets: { secretName: 'given' } } }).instance as SvcInstance;
    const data = { 'docbuilder-api-key': 'aGlkZGVu' };
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: GIVEN, data } as KubernetesObject);
    const { remarks, troubles } = await readSecrets(server.client, instance, (size) => new Uint8Array(size), settings);
    expect([troubles, remarks.length]).to.deep.equal([[], 1]);
    expect(remarks[0]).to.include('docbuilder-api-key,').and.not.to.include('hidden');
  });

  it('are not copied where they do not say that they are meant; what was copied before stays, with a remark', async () => {
    const server = memoryClient();
    const instance = situationOf({ spec: { editor: { adminSecretName: 'payroll-db' } } }).instance as SvcInstance;
    const data = { password: Buffer.from('of the payroll').toString('base64') };
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'payroll-db' }, data } as KubernetesObject);
    const read = () => readSecrets(server.client, instance, (size) => new Uint8Array(size), settings);
    const first = await read();
    expect(first.troubles.map(({ reason }) => reason)).to.deep.equal(['SecretNotMeant']);
    expect(first).not.to.have.property('values');
    const [owner] = metadata(situationOf(), 'office-secrets').ownerReferences;
    const own = { name: 'office-secrets', ownerReferences: owner ? [owner] : [] };
    const kept = { 'editor-admin-password': Buffer.from('of before').toString('base64') };
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: own, data: kept } as KubernetesObject);
    const { values, remarks } = await read();
    expect(values).to.include({ 'editor-admin-password': 'of before' });
    expect(remarks[0]).to.match(
      /does not say that it is for this instance.* The values last read from it stay in effect\.$/,
    );
  });

  it('have a remark when the one before for signing is all that there is for it', async () => {
    const server = memoryClient();
    const spec = { secrets: { secretName: 'given' }, embed: { allowUnsigned: true } };
    const instance = situationOf({ spec }).instance as SvcInstance;
    const data = { 'embed-jwt-secret-previous': Buffer.from('p'.repeat(32)).toString('base64') };
    server.put({ apiVersion: 'v1', kind: 'Secret', metadata: GIVEN, data } as KubernetesObject);
    const { remarks, values } = await readSecrets(server.client, instance, (size) => new Uint8Array(size), settings);
    expect(values).to.not.have.property('embed-jwt-secret-previous');
    expect(remarks).to.have.length(1);
    expect(remarks[0]).to.include('has embed-jwt-secret-previous in vain: add embed-jwt-secret');
  });
});
