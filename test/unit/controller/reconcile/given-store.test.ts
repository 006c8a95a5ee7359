import { expect } from 'chai';
import { metadata } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject } from '../../../../cmd/controller/k8s/types.ts';
import { parseBucketSecret, parseDatabaseSecret } from '../../../../cmd/controller/reconcile/given-store.ts';
import type { SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { readSecrets } from '../../../../cmd/controller/reconcile/secrets.ts';
import { SHARED } from '../desired/instances.ts';
import { situationOf } from '../desired/situation.ts';
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

describe('the Secret of a database', () => {
  it('of CloudNativePG has its address', () => {
    const { values, problems } = parseDatabaseSecret(CLOUDNATIVEPG);
    expect([values, problems]).to.deep.equal([{ 'database-url': CLOUDNATIVEPG.uri }, []]);
  });

  it('may have the parts of an address, whatever characters are in them', () => {
    const { uri: _, ...parts } = CLOUDNATIVEPG;
    const url = (given: Record<string, string>) => parseDatabaseSecret(given).values['database-url'];
    expect(url(parts)).to.equal('postgresql://app:p@office-db-rw:5432/app');
    const odd = new URL(url({ host: 'db', username: 'a@b', password: 'p:/?#%\n', dbname: 'my db' }) ?? '');
    expect([odd.username, odd.password, odd.pathname].map(decodeURIComponent)).to.deep.equal([
      'a@b',
      'p:/?#%',
      '/my db',
    ]);
    expect(url({ host: 'fd00::5', port: '5432' })).to.equal('postgresql://[fd00::5]:5432/');
  });

  it('that has no address is told so, without a value of it', () => {
    for (const given of [{}, { password: 'hidden' }, { uri: 'mysql://u:hidden@h/d' }, { uri: 'hidden' }]) {
      const { values, problems } = parseDatabaseSecret(given as Record<string, string>);
      expect(values).to.deep.equal({});
      expect(problems).to.have.length(1);
      expect(problems.join()).not.to.include('hidden');
    }
  });
});

describe('the Secret of a bucket', () => {
  it("has the names of AWS' tools, or those of CloudNativePG's backups", () => {
    const values = { 's3-access-key-id': 'id', 's3-secret-access-key': 'secret' };
    const given = [
      { AWS_ACCESS_KEY_ID: 'id\n', AWS_SECRET_ACCESS_KEY: 'secret\n' },
      { ACCESS_KEY_ID: 'id', ACCESS_SECRET_KEY: 'secret', REGION: 'x' },
    ];
    for (const one of given) expect(parseBucketSecret(one)).to.deep.equal({ values, problems: [] });
  });

  it('is of no use with one of the two', () => {
    const { values, problems } = parseBucketSecret({ ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: '' });
    expect([values, problems]).to.deep.equal([{}, ['has no AWS_SECRET_ACCESS_KEY or ACCESS_SECRET_KEY']]);
  });
});

describe('the Secrets of a shared store', () => {
  const { settings } = situationOf();
  const instance = situationOf({ spec: { storage: SHARED } }).instance as SvcInstance;
  const base64 = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

  function world(labels: Record<string, string>) {
    const server = memoryClient();
    const put = (name: string, values: Record<string, string>, more = {}) =>
      server.put({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'documents', labels, ...more },
        data: base64(values),
      } as KubernetesObject);
    const read = () => readSecrets(server.client, instance, (size) => new Uint8Array(size), settings);
    return { put, read };
  }

  it('are copied for gate and DocBuilder', async () => {
    const { put, read } = world({ 'svc.internal/instance': 'office' });
    put('office-db-app', CLOUDNATIVEPG);
    put('office-bucket', { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
    const { values, troubles, remarks } = await read();
    expect([troubles, remarks]).to.deep.equal([[], []]);
    expect(values).to.include({ 'database-url': CLOUDNATIVEPG.uri, 's3-access-key-id': 'id' });
  });

  it('stop everything while they have never been read: pods without them would begin with nothing', async () => {
    const { put, read } = world({ 'svc.internal/instance': 'office' });
    const [owner] = metadata(situationOf(), 'office-secrets').ownerReferences;
    // The instance was there before, and has secrets, but none of these.
    put('office-secrets', { 'digest-key': 'k' }, { ownerReferences: [owner] });
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

  it('count on when they go, with a remark', async () => {
    const { put, read } = world({});
    const [owner] = metadata(situationOf(), 'office-secrets').ownerReferences;
    const before = { 'database-url': 'postgresql://of/before', 's3-access-key-id': 'i', 's3-secret-access-key': 's' };
    put('office-secrets', before, { ownerReferences: [owner] });
    // Somebody else's: the instance is not told what is in it.
    put('office-db-app', CLOUDNATIVEPG);
    const { values, troubles, remarks } = await read();
    expect(troubles).to.deep.equal([]);
    expect(values).to.include(before);
    expect(remarks).to.have.length(2);
    expect(remarks[0]).to.match(/kubectl label secret office-db-app .*The values last read from it stay in effect\.$/);
  });
});
