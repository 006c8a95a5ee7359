import { expect } from 'chai';
import { metadata } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/api.ts';
import { parseBucketSecret, parseDatabaseSecret } from '../../../../cmd/controller/reconcile/given-secrets.ts';
import type { SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { readSecrets } from '../../../../cmd/controller/reconcile/secrets.ts';
import { SHARED } from '../desired/instances.ts';
import { type PartialSpec, situationOf } from '../desired/situation.ts';
import { memoryClient } from './memory-client.ts';

/** As CloudNativePG 1.26 makes it. */
const CLOUDNATIVEPG = {
  dbname: 'app',
  host: 'office-db-rw',
  'jdbc-uri': 'jdbc:postgresql://office-db-rw.documents:5432/app?password=p&user=app',
  password: 'p',
  pgpass: 'office-db-rw:5432:app:app:p\n',
  port: '5432',
  uri: 'postgresql://app:p@office-db-rw.documents:5432/app',
  user: 'app',
  username: 'app',
};
const { uri: _, ...PARTS } = CLOUDNATIVEPG;
const BUCKET = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const LABELS = { 'svc.internal/instance': 'office' };

describe('the Secret of a shared store', () => {
  for (const [what, given, url] of [
    ['is that of CloudNativePG', CLOUDNATIVEPG, CLOUDNATIVEPG.uri],
    [
      'has another password beside the address, as CloudNativePG leaves it where somebody has changed that',
      { ...CLOUDNATIVEPG, password: 'new/%' },
      'postgresql://app:new%2F%25@office-db-rw.documents:5432/app',
    ],
    [
      "has a password of somebody else's beside the address",
      { uri: CLOUDNATIVEPG.uri, user: 'postgres', password: 'q' },
      CLOUDNATIVEPG.uri,
    ],
    ['has the parts of an address', PARTS, 'postgresql://app:p@office-db-rw:5432/app'],
    [
      'has parts with any characters',
      { host: 'db', username: 'a@b', password: 'p:/?#%\n', dbname: 'my db' },
      'postgresql://a%40b:p%3A%2F%3F%23%25@db/my%20db',
    ],
    ['names an IPv6 host', { host: 'fd00::5', port: '5432' }, 'postgresql://[fd00::5]:5432/'],
  ] as const) {
    it(`gives the address of a database where it ${what}`, () => {
      const { values, problems } = parseDatabaseSecret(encode(given));
      expect([values['database-url'], problems]).to.deep.equal([url, []]);
    });
  }

  it('that has no address is told so, without a value of it', () => {
    for (const given of [{}, { password: 'hidden' }, { uri: 'mysql://u:hidden@h/d' }, { uri: 'hidden' }]) {
      const { values, problems } = parseDatabaseSecret(encode(given as Record<string, string>));
      expect([values, problems.length]).to.deep.equal([{}, 1]);
      expect(problems.join()).not.to.include('hidden');
    }
  });

  it("has keys by the names of AWS' tools, or those of CloudNativePG's backups, and is of no use with one of the two", () => {
    const values = { 's3-access-key-id': 'id', 's3-secret-access-key': 'secret' };
    for (const given of [
      { AWS_ACCESS_KEY_ID: 'id\n', AWS_SECRET_ACCESS_KEY: 'secret\n' },
      { ACCESS_KEY_ID: 'id', ACCESS_SECRET_KEY: 'secret', REGION: 'x' },
    ]) {
      expect(parseBucketSecret(encode(given))).to.deep.equal({ values, problems: [] });
    }
    expect(parseBucketSecret(encode({ ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: '' }))).to.deep.equal({
      ...{ values: {}, problems: ['has no AWS_SECRET_ACCESS_KEY or ACCESS_SECRET_KEY'] },
    });
  });
});

describe('the Secrets that a spec names', () => {
  const { settings } = situationOf();
  const own = { ownerReferences: metadata(situationOf(), { name: 'office-secrets' }).ownerReferences };

  function world(spec: PartialSpec) {
    const server = memoryClient();
    const instance = situationOf({ spec }).instance as SvcInstance;
    const put = (name: string, values?: Record<string, string>, more: object = { labels: LABELS }) =>
      server.put({
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'documents', ...more } },
        ...(values && { data: encode(values) }),
      } as KubernetesObject);
    return {
      put,
      read: () => readSecrets(server.client, instance, (size) => new Uint8Array(size).fill(0x5a), settings),
    };
  }

  it('may be there and hold nothing yet: then all is made', async () => {
    const { put, read } = world({ secrets: { secretName: 'given' }, editor: { adminSecretName: 'console' } });
    expect((await read()).troubles.map(({ reason }) => reason)).to.deep.equal(['SecretNotFound', 'SecretNotFound']);
    for (const name of ['given', 'console']) put(name);
    const { troubles, remarks, made } = await read();
    expect([troubles, remarks]).to.deep.equal([[], []]);
    expect(made).to.include.members(['docbuilder-api-keys', 'embed-jwt-secret', 'editor-admin-password']);
  });

  it('are used as they are, with a remark on a key that is misspelt', async () => {
    const { put, read } = world({ secrets: { secretName: 'given' } });
    put('given', { 'docbuilder-api-key': 'hidden' });
    const { remarks, troubles } = await read();
    expect([troubles, remarks.length]).to.deep.equal([[], 1]);
    expect(remarks[0]).to.include('docbuilder-api-key,').and.not.to.include('hidden');
  });

  it('are not copied where they do not say that they are meant; values that were copied before stay, with a remark', async () => {
    const { put, read } = world({ editor: { adminSecretName: 'payroll-db' } });
    put('payroll-db', { password: 'of the payroll' }, {});
    const first = await read();
    expect(first.troubles.map(({ reason }) => reason)).to.deep.equal(['SecretNotMeant']);
    expect(first).not.to.have.property('values');
    put('office-secrets', { 'editor-admin-password': 'of before' }, own);
    const { values, remarks } = await read();
    expect(values).to.include({ 'editor-admin-password': 'of before' });
    expect(remarks[0]).to.match(/does not say that it is for this instance.* The values last read from it stay in/);
  });

  it('have a remark when the one before for signing is all that there is for it', async () => {
    const { put, read } = world({ secrets: { secretName: 'given' }, embed: { allowUnsigned: true } });
    put('given', { 'embed-jwt-secret-previous': 'p'.repeat(32) });
    const { remarks, values } = await read();
    expect(values).to.not.have.property('embed-jwt-secret-previous');
    expect(remarks).to.have.length(1);
    expect(remarks[0]).to.include('has embed-jwt-secret-previous in vain: add embed-jwt-secret');
  });

  it('are copied for gate and DocBuilder, when they are of a store', async () => {
    const { put, read } = world({ storage: SHARED });
    put('office-db-app', CLOUDNATIVEPG);
    put('office-bucket', BUCKET);
    const { values, troubles, remarks } = await read();
    expect([troubles, remarks]).to.deep.equal([[], []]);
    expect(values).to.include({ 'database-url': CLOUDNATIVEPG.uri, 's3-access-key-id': 'id' });
  });

  it('of a store stop everything while they have never been read: pods without them would begin with nothing', async () => {
    const { put, read } = world({ storage: SHARED });
    // The instance was there before, and has secrets, but none of these.
    put('office-secrets', { 'digest-key': 'k' }, own);
    put('office-bucket', { AWS_ACCESS_KEY_ID: 'id' });
    const { values, troubles } = await read();
    expect(values).to.equal(undefined);
    expect(troubles.map(({ reason, message }) => [reason, message])).to.deep.equal([
      ['SecretNotFound', 'There is no Secret office-db-app, which spec.storage.postgres.secretName names: create it.'],
      [
        'SecretUnusable',
        'Secret office-bucket, which spec.storage.s3.secretName names, cannot be used: ' +
          'has no AWS_SECRET_ACCESS_KEY or ACCESS_SECRET_KEY.',
      ],
    ]);
  });

  it('of a store count on when they go, with a remark', async () => {
    const { put, read } = world({ storage: SHARED });
    const before = { 'database-url': 'postgresql://of/before', 's3-access-key-id': 'i', 's3-secret-access-key': 's' };
    put('office-secrets', before, own);
    // Somebody else's: the instance is not told its content.
    put('office-db-app', CLOUDNATIVEPG, {});
    const { values, troubles, remarks } = await read();
    expect(troubles).to.deep.equal([]);
    expect(values).to.include(before);
    expect(remarks).to.have.length(2);
    expect(remarks[0]).to.match(/kubectl label secret office-db-app .*The values last read from it stay in effect\.$/);
  });
});

function encode(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
}
