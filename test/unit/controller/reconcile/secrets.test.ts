import type { V1Secret } from '@kubernetes/client-node';
import { expect } from 'chai';
import { metadata } from '../../../../cmd/controller/desired/labels.ts';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import {
  givenRemark,
  givenTrouble,
  keptTrouble,
  parseBucketSecret,
  parseDatabaseSecret,
  parseGivenSecret,
  permissionTrouble,
} from '../../../../cmd/controller/reconcile/given-secrets.ts';
import type { SvcInstance } from '../../../../cmd/controller/reconcile/instances.ts';
import { readSecrets } from '../../../../cmd/controller/reconcile/secrets.ts';
import { expectGolden } from '../../../support/golden.ts';
import { SHARED } from '../desired/instances.ts';
import { makeSituation, type PartialSpec } from '../desired/situation.ts';
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
const LABELS = { 'svc.internal/instance': 'office' };

describe('the Secrets that a spec names', () => {
  const { settings } = makeSituation();
  const own = { ownerReferences: metadata(makeSituation(), { name: 'office-secrets' }).ownerReferences };

  function world(spec: PartialSpec) {
    const server = memoryClient();
    const instance = makeSituation({ spec }).instance as SvcInstance;
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
    // It is somebody else's: the instance does not get its content.
    put('office-db-app', CLOUDNATIVEPG, {});
    const { values, troubles, remarks } = await read();
    expect(troubles).to.deep.equal([]);
    expect(values).to.include(before);
    expect(remarks).to.have.length(2);
    expect(remarks[0]).to.match(/kubectl label secret office-db-app .*The values last read from it stay in effect\.$/);
  });
});

type Values = Record<string, string | Buffer>;

const LONG = 'a secret of more than thirty-two characters';
const of = (values: Values) =>
  givenTrouble('spec.secrets.secretName', 'given', parseGivenSecret(encode(values)).problems);
const remark = (...keys: string[]) => givenRemark('spec.secrets.secretName', 'given', keys);
const admin = (...keys: string[]) => givenRemark('spec.editor.adminSecretName', 'console', keys);
const OWN = encode({
  ...{ 'embed-jwt-secret': 'hunter2', 'editor-admin-username': 'a:b', 'digest-key': 'anything' },
  'embed-link-secret': Buffer.from([0xff]),
});
const MEANT = { labels: { 'svc.internal/instance': 'office' } };
const OTHERS = { apiVersion: 'svc.internal/v1', kind: 'SvcInstance', name: 'other', uid: 'u', controller: true };

function meant(metadata: Partial<ObjectMeta>, type = 'Opaque', secrets: readonly string[] = []) {
  const secret = { apiVersion: 'v1', kind: 'Secret', type, metadata: { name: 'payroll-db', ...metadata } };
  return permissionTrouble('spec.editor.adminSecretName', secret as V1Secret & KubernetesObject, 'office', { secrets });
}

const database = (values: Values) => parseDatabaseSecret(encode(values));
const bucket = (values: Values) => parseBucketSecret(encode(values));

/** Troubles and remarks by the Secret that they are about, or what it gives; values of people are in no trouble. */
const FOUND: Readonly<Record<string, unknown>> = {
  'values that the services take': of({
    ...{ 'docbuilder-api-keys': `portal:${'k'.repeat(24)}\n`, 'embed-jwt-secret': `${LONG}\n` },
  }),
  'an account, and an empty value, which is none': of({
    username: 'admin',
    password: 'pässword',
    'embed-link-secret': '',
  }),
  'no value at all': of({}),
  'anything under keys that nobody reads': of({ 'tls.key': Buffer.from([0xff, 0xfe]), other: 'x' }),
  'values with which a service would not start': of({
    'docbuilder-api-keys': `portal:${'k'.repeat(24)}, other:hunter2`,
    'docbuilder-jwt-secret': `-----BEGIN PUBLIC KEY-----\n${LONG}`,
    'embed-jwt-secret': 'hunter2\r\n',
    'embed-callback-secret': Buffer.from([0xc3, 0x28]),
  }),
  'a user name that no login can have': of({ username: 'portal:admin', password: 'a:b' }),
  ...Object.fromEntries(
    ['two\nlines', 'nul\0', 'tab\t', '\u009b'].map((value) => [
      `an account with ${JSON.stringify(value)}, with which no container starts`,
      [of({ username: value }), of({ password: value })],
    ]),
  ),
  'the database of CloudNativePG': database(CLOUDNATIVEPG),
  'a database with another password beside the address, as CloudNativePG leaves it where somebody has changed that':
    database({ ...CLOUDNATIVEPG, password: 'new/%' }),
  "a database with a password of somebody else's beside the address": database({
    ...{ uri: CLOUDNATIVEPG.uri, user: 'postgres', password: 'q' },
  }),
  'the parts of an address of a database': database(PARTS),
  'parts of an address with any characters': database({
    ...{ host: 'db', username: 'a@b', password: 'p:/?#%\n', dbname: 'my db' },
  }),
  'a database at an IPv6 address': database({ host: 'fd00::5', port: '5432' }),
  'no address of a database': [{}, { password: 'hidden' }, { uri: 'mysql://u:hidden@h/d' }, { uri: 'hidden' }].map(
    (values) => database(values as Values),
  ),
  "keys of a bucket by the names of AWS' tools": bucket({
    ...{ AWS_ACCESS_KEY_ID: 'id\n', AWS_SECRET_ACCESS_KEY: 'secret\n' },
  }),
  "keys of a bucket by the names of CloudNativePG's backups": bucket({
    ...{ ACCESS_KEY_ID: 'id', ACCESS_SECRET_KEY: 'secret', REGION: 'x' },
  }),
  'one of the two keys of a bucket': bucket({ ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: '' }),

  'no Secret of that name': givenTrouble('spec.editor.adminSecretName', 'console', undefined),

  'keys of ours and of others': remark('docbuilder-api-keys', 'embed-jwt-secret', 'tls.key', 'other'),
  'a key that looks like one of ours': remark('docbuilder-api-key', 'embed-jwt-secret'),
  'an account, none, and others': [admin('username', 'password', 'embed-x'), admin(), admin('other')],
  'half of an account': admin('username', 'Password'),

  'one of the instance itself, which somebody has changed': keptTrouble('office-secrets', OWN, Object.keys(OWN)),
  'one of the instance itself, whose changed values come from elsewhere': keptTrouble('office-secrets', OWN, [
    'digest-key',
  ]),

  'a label with the name of the instance': meant(MEANT),
  'a type of ours': meant({}, 'svc.internal/secrets'),
  'no word whom it is for': meant({}),
  'a password, which says nothing': meant({}, 'kubernetes.io/basic-auth'),
  'a label for another': meant({ labels: { 'svc.internal/instance': 'other' } }),
  'a name that the administrator allows only as the beginning of none': meant({}, 'Opaque', ['payroll']),
  'a name that the administrator allows': meant({}, 'Opaque', ['payroll-*']),
  'another instance as its owner, whatever else it says': meant(
    { ...MEANT, ownerReferences: [OTHERS] },
    'svc.internal/secrets',
    ['*'],
  ),
};

describe('a Secret that the spec names', () => {
  it('is used, refused or remarked on as golden/given-secrets.yaml says (UPDATE_GOLDEN=1 writes it)', () => {
    const found = Object.entries(FOUND).map(([secret, told]) => ({ secret, told: told ?? null }));
    expectGolden(new URL('golden/given-secrets.yaml', import.meta.url), found);
  });
});

function encode(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  );
}
