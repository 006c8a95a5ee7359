import { createHmac } from 'node:crypto';
import type { V1EnvVar, V1Secret } from '@kubernetes/client-node';
import { withoutLineEnds } from '../../../src/common/truncate.ts';
import { RESOURCES } from '../k8s/api.ts';
import { type Manifest, manifest } from './labels.ts';
import { objectNames } from './names.ts';
import { type Mount, secretMount } from './pod.ts';
import type { ComponentName, SecretValues, Situation } from './types.ts';

/** Keys of the database and the object store, whose Secrets `spec.storage` names. */
export const STORE_KEYS = {
  postgres: ['database-url'],
  s3: ['s3-access-key-id', 's3-secret-access-key'],
} as const;
const ALL_STORE_KEYS = Object.values(STORE_KEYS).flat();

/** Source of random bytes, such as node:crypto's `randomBytes`. */
export type Random = (size: number) => Uint8Array;

/** Values that people gave, as far as the Secrets that the spec names exist. */
export interface GivenSecrets {
  /** Values of `spec.secrets`. */
  values?: SecretValues | undefined;
  /** Values of the Secrets of `spec.storage`. */
  store?: SecretValues | undefined;
  /** Keys whose Secret the spec names, and which cannot be found or used: what was copied from it counts on. */
  gone?: readonly SecretKey[] | undefined;
  /** Values of `spec.editor.adminSecretName`: `username` and `password`. */
  admin?: SecretValues | undefined;
  /** `spec.embed.allowUnsigned`: then no secret is made for what need not be signed. */
  allowUnsigned?: boolean | undefined;
}

/** The folder in which the pods have their secrets, one file a key. */
const SECRETS_PATH = '/run/svc/secrets';

/** 256 bits in a form that stands in any file, variable or command line as it is. */
const hex = (random: Random): string => Buffer.from(random(32)).toString('hex');

/** The generated value of a key that was not supplied; absent: the key is left out, and the feature is off. */
const MAKE = {
  'docbuilder-api-keys': (random: Random) => `default:svc_${hex(random)}`,
  'docbuilder-jwt-secret': undefined,
  'docbuilder-callback-secret': hex,
  'embed-jwt-secret': hex,
  'embed-jwt-secret-previous': undefined,
  'embed-callback-secret': hex,
  'embed-link-secret': hex,
  'editor-admin-username': () => 'admin',
  'editor-admin-password': hex,
  'database-url': undefined,
  's3-access-key-id': undefined,
  's3-secret-access-key': undefined,
  'digest-key': hex,
} as const satisfies Record<string, ((random: Random) => string) | undefined>;

/** Keys of the Secret `<instance>-secrets`. The one that `spec.secrets` names has the same but those of editor and store. */
export type SecretKey = keyof typeof MAKE;
const KEYS = Object.keys(MAKE) as SecretKey[];

const ADMIN_KEYS = ['editor-admin-username', 'editor-admin-password'] as const;
/** The keys that each component reads. A key that is nobody's goes nowhere. */
const READ_BY: Record<ComponentName, readonly SecretKey[]> = {
  gate: [...KEYS.filter((key) => key.startsWith('embed-')), ...ADMIN_KEYS, ...ALL_STORE_KEYS],
  docbuilder: [...KEYS.filter((key) => key.startsWith('docbuilder-')), ...ALL_STORE_KEYS],
  editor: ADMIN_KEYS,
  front: [],
};

/**
 * The secret values in force: what was given, else what is there already, else made now. An empty value counts as not
 * given.
 * @param existing of the Secret `<instance>-secrets` as the API server has it
 */
export function effectiveSecrets(given: GivenSecrets, existing: SecretValues, random: Random): SecretValues {
  const values: Record<string, string> = {};
  for (const key of KEYS) {
    const make = MAKE[key];
    // With a generated secret the gate would refuse unsigned configurations.
    const unwanted = make === undefined || (key === 'embed-jwt-secret' && given.allowUnsigned === true);
    const kept = unwanted && !given.gone?.includes(key) ? '' : trimmed(existing[key]);
    const value = givenValue(given, key) || kept || (unwanted ? '' : make(random));
    if (value) values[key] = value;
  }
  // Without a secret in force the gate refuses a former one, and does not start.
  if (values['embed-jwt-secret'] === undefined) delete values['embed-jwt-secret-previous'];
  return values;
}

/** The keys whose values nobody gave and that were not there: what `effectiveSecrets` has made for `values`. */
export function madeKeys(given: GivenSecrets, existing: SecretValues, values: SecretValues): SecretKey[] {
  return KEYS.filter((key) => values[key] !== undefined && !givenValue(given, key) && !trimmed(existing[key]));
}

/** The keys that a component reads, of those that there are. */
function keysReadBy(component: ComponentName, secrets: SecretValues): SecretKey[] {
  return READ_BY[component].filter((key) => secrets[key] !== undefined);
}

/**
 * Digest of the values that a component reads, at its start only: with another one it must be restarted. Whoever may see
 * pods sees it, so it is keyed: a password that people chose could be guessed from a plain hash.
 */
export function secretsDigest(component: ComponentName, secrets: SecretValues): string {
  const values = keysReadBy(component, secrets).map((key) => [key, secrets[key]]);
  const key = secrets['digest-key' satisfies SecretKey] ?? '';
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('hex').slice(0, 16);
}

/** The files of a component: its own keys and no others. */
export function secretFiles({ instance, secrets }: Situation, component: ComponentName): Mount {
  const { secrets: name } = objectNames(instance.metadata.name);
  return secretMount('secrets', SECRETS_PATH, name, keysReadBy(component, secrets));
}

/** The path of a key's file, for a variable `…_FILE`; undefined where there is no such value. */
export function secretFile({ secrets }: Situation, key: SecretKey): string | undefined {
  return secrets[key] === undefined ? undefined : `${SECRETS_PATH}/${key}`;
}

/** A variable with the value of a key, for what reads no file. */
export function secretVariable({ instance }: Situation, name: string, key: SecretKey): V1EnvVar {
  return { name, valueFrom: { secretKeyRef: { name: objectNames(instance.metadata.name).secrets, key } } };
}

/** The Secret `<instance>-secrets`. */
export function secretObjects(situation: Situation): readonly Manifest<V1Secret>[] {
  const { secrets: name } = objectNames(situation.instance.metadata.name);
  const own = { type: 'Opaque', data: encoded(situation.secrets) };
  return [manifest<Manifest<V1Secret>>(situation, RESOURCES.secret, { name }, own)];
}

/** Values as the API has them in `data`: base64. */
export function encoded(values: SecretValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

function givenValue({ values, admin, store }: GivenSecrets, key: SecretKey): string {
  if (key === 'editor-admin-username') return trimmed(admin?.['username']);
  if (key === 'editor-admin-password') return trimmed(admin?.['password']);
  return trimmed(ALL_STORE_KEYS.some((one) => one === key) ? store?.[key] : values?.[key]);
}

/** A value as it counts: line ends at its end, which files tend to have, are no part of it. */
export function trimmed(value: string | undefined): string {
  return withoutLineEnds(value ?? '');
}
