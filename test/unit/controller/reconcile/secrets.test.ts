import { expect } from 'chai';
import type { SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { readSecrets } from '../../../../cmd/controller/reconcile/secrets.ts';
import { situationOf } from '../desired/situation.ts';
import { memoryClient } from './memory-client.ts';

describe('the Secrets that a spec names', () => {
  it('may be there and hold nothing yet: then all is made', async () => {
    const server = memoryClient();
    const spec = { secrets: { secretName: 'given' }, editor: { adminSecretName: 'console' } };
    const instance = situationOf({ spec }).instance as SvcInstance;
    const random = (size: number) => new Uint8Array(size).fill(0x5a);
    const missing = await readSecrets(server.client, instance, random);
    expect(missing.troubles.map(({ reason }) => reason)).to.deep.equal(['SecretNotFound', 'SecretNotFound']);

    for (const name of ['given', 'console']) {
      server.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'documents' } });
    }
    const { troubles, remarks, made } = await readSecrets(server.client, instance, random);
    expect([troubles, remarks]).to.deep.equal([[], []]);
    expect(made).to.include.members(['docbuilder-api-keys', 'embed-jwt-secret', 'editor-admin-password']);
  });
});
