import type { V1Secret } from '@kubernetes/client-node';
import type { KubernetesObject, ObjectMeta } from '../../../../cmd/controller/k8s/api.ts';
import {
  givenRemark,
  givenTrouble,
  keptTrouble,
  parseGivenSecret,
  permissionTrouble,
} from '../../../../cmd/controller/reconcile/given-secrets.ts';
import { expectGolden } from '../../../support/golden.ts';

type Values = Record<string, string | Buffer>;

const LONG = 'a secret of more than thirty-two characters';
const encode = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
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

/** Troubles and remarks by the Secret that they are about; values of people are in none. */
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
