import { createHmac } from 'node:crypto';
import type { V1EnvVar, V1Secret } from '@kubernetes/client-node';
import { withoutLineEnds } from '../../../src/common/truncate.ts';
import { RESOURCES } from '../k8s/api.ts';
import { type Manifest, manifest } from './labels.ts';
import { objectNames } from './names.ts';
import { type Mount, secretMount } from './pod.ts';
import type { ComponentName, SecretValues, Situation } from './types.ts';

/** Keys whose values come from the Secrets of `spec.storage`. */
export const STORE_KEYS = {
  postgres: ['database-url'],
  s3: ['s3-access-key-id', 's3-secret-access-key'],
} as const;
const ALL_STORE_KEYS = Object.values(STORE_KEYS).flat();

/** Such as node:crypto's `randomBytes`. */
export type Random = (size: number) => Uint8Array;

/** Values of the Secrets that the spec names. */
export interface GivenSecrets {
  /** The Secret that `spec.secrets` names. */
  values?: SecretValues | undefined;
  /** The Secrets that `spec.storage` names. */
  store?: SecretValues | undefined;
  /** Keys whose Secret is missing or unusable: the values copied from it before stay in effect. */
  gone?: readonly SecretKey[] | undefined;
  /** The Secret `spec.editor.adminSecretName`: `username` and `password`. */
  admin?: SecretValues | undefined;
  /** `spec.embed.allowUnsigned`: no `embed-jwt-secret` is made. */
  allowUnsigned?: boolean | undefined;
}

/** Folder of the pods with a file for each key. */
const SECRETS_PATH = '/run/svc/secrets';

const hex = (random: Random): string => Buffer.from(random(32)).toString('hex');

/** Makes the value of a key that was not supplied; undefined: the key is left out, and its feature is off. */
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
/** The keys that each component reads. */
const READ_BY: Record<ComponentName, readonly SecretKey[]> = {
  gate: [...KEYS.filter((key) => key.startsWith('embed-')), ...ADMIN_KEYS, ...ALL_STORE_KEYS],
  docbuilder: [...KEYS.filter((key) => key.startsWith('docbuilder-')), ...ALL_STORE_KEYS],
  editor: ADMIN_KEYS,
  front: [],
};

/**
 * The secret values in force: those given, else those that exist, else new ones. An empty value counts as absent.
 * @param existing of the Secret `<instance>-secrets`
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

/** Returns the keys of `values` that `effectiveSecrets` has made. */
export function madeKeys(given: GivenSecrets, existing: SecretValues, values: SecretValues): SecretKey[] {
  return KEYS.filter((key) => values[key] !== undefined && !givenValue(given, key) && !trimmed(existing[key]));
}

function keysReadBy(component: ComponentName, secrets: SecretValues): SecretKey[] {
  return READ_BY[component].filter((key) => secrets[key] !== undefined);
}

/**
 * Digest of the values that a component reads at its start only; another one restarts it. It is keyed, since those who may see
 * pods could guess a weak password from a plain hash.
 */
export function secretsDigest(component: ComponentName, secrets: SecretValues): string {
  const values = keysReadBy(component, secrets).map((key) => [key, secrets[key]]);
  const key = secrets['digest-key' satisfies SecretKey] ?? '';
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('hex').slice(0, 16);
}

/** Mounts the keys that a component reads. */
export function secretFiles({ instance, secrets }: Situation, component: ComponentName): Mount {
  const { secrets: name } = objectNames(instance.metadata.name);
  return secretMount('secrets', SECRETS_PATH, name, keysReadBy(component, secrets));
}

/** Returns the path of a key's file; undefined where there is no such value. */
export function secretFile({ secrets }: Situation, key: SecretKey): string | undefined {
  return secrets[key] === undefined ? undefined : `${SECRETS_PATH}/${key}`;
}

/** A variable with the value of a key, for images that read no file. */
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

/** Returns a value without line ends at its end. */
export function trimmed(value: string | undefined): string {
  return withoutLineEnds(value ?? '');
}
