import type { V1Secret } from '@kubernetes/client-node';
import { LICENSE_KEY } from '../desired/data-service.ts';
import { objectNames } from '../desired/names.ts';
import {
  effectiveSecrets,
  type GivenSecrets,
  madeKeys,
  type Random,
  type SecretKey,
  STORE_KEYS,
  trimmed,
} from '../desired/secrets.ts';
import type { Policy, SecretValues, Settings, Situation } from '../desired/types.ts';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import type { Client } from '../k8s/client.ts';

import {
  GIVEN_KEYS,
  givenRemark,
  givenTrouble,
  keptTrouble,
  parseBucketSecret,
  parseDatabaseSecret,
  permissionTrouble,
  type StoreSecret,
  secretTrouble,
} from './given-secrets.ts';

import type { SvcInstance } from './instances.ts';
import type { GivenLicense } from './license.ts';
import { ownershipTrouble, type Trouble } from './live-object.ts';

/** The content of an instance's Secrets, its own and those that its spec names. */
export interface SecretsRead {
  /** The licence that was in force until now, by the instance's own Secret. */
  keptLicense: Situation['licenseFiles'];
  givenLicense: GivenLicense;
  /** Secret values in force; absent when a trouble forbids to make any. */
  values?: SecretValues;
  /** Keys whose values are new, and nowhere but in `values` yet. */
  made: SecretKey[];
  /** Its own Secret is not there. */
  lost: boolean;
  troubles: Trouble[];
  /** Remarks for the user, which stop nothing. */
  remarks: string[];
}

type Secret = V1Secret & KubernetesObject;

/**
 * Reads each Secret by its name. Rejects when one cannot be read: to take that for absent would make new passwords, or
 * end a licence.
 */
export async function readSecrets(
  client: Client,
  instance: SvcInstance,
  random: Random,
  { policy }: Pick<Settings, 'policy'>,
): Promise<SecretsRead> {
  const { namespace, name } = instance.metadata;
  const { license, secrets, editor, embed, storage } = instance.spec;
  const names = objectNames(name);
  const read = async (secretName: string | undefined) =>
    secretName === undefined ? undefined : client.get<Secret>(RESOURCES.secret, namespace, secretName);
  const [own, ownLicense, given, admin, token, database, bucket] = await Promise.all(
    [
      ...[names.secrets, names.license, secrets?.secretName, editor?.adminSecretName, license?.secretName],
      ...[storage?.postgres?.secretName, storage?.s3?.secretName],
    ].map(read),
  );
  const found: SecretsRead = {
    keptLicense: keptLicense(ownLicense),
    givenLicense: givenLicense(license, token),
    made: [],
    lost: own === undefined,
    troubles: [own, ownLicense].flatMap((secret) => (secret && ownershipTrouble(secret, instance.metadata)) ?? []),
    remarks: [],
  };
  const existing = decoded(own);
  const context = { found, existing, instance: name, policy };
  const values = decodeGiven(context, { field: 'spec.secrets.secretName', ...secrets, secret: given });
  const { adminSecretName: secretName } = editor ?? {};
  const rows = { field: 'spec.storage.postgres.secretName', ...storage?.postgres, secret: database };
  const bytes = { field: 'spec.storage.s3.secretName', ...storage?.s3, secret: bucket };
  const stores = [
    decodeStore(context, rows, parseDatabaseSecret, STORE_KEYS.postgres),
    decodeStore(context, bytes, parseBucketSecret, STORE_KEYS.s3),
  ];
  const people: GivenSecrets = {
    values,
    admin: decodeGiven(context, { field: 'spec.editor.adminSecretName', secretName, secret: admin }),
    store: Object.assign({}, ...stores.map((store) => store.values)),
    gone: [...(secrets && !values ? GIVEN_KEYS : []), ...stores.flatMap(({ gone }) => gone)],
    allowUnsigned: embed?.allowUnsigned,
  };
  if (found.troubles.length > 0) return found;
  const effective = effectiveSecrets(people, existing, random);
  const kept = Object.keys(effective).filter((key) => effective[key] === trimmed(existing[key]));
  const unusable = own && keptTrouble(names.secrets, own.data ?? {}, kept);
  if (unusable) return { ...found, troubles: [unusable] };
  if (trimmed(values?.['embed-jwt-secret-previous']) && !effective['embed-jwt-secret-previous']) {
    const what = `Secret ${secrets?.secretName}, which spec.secrets.secretName names,`;
    found.remarks.push(`${what} has embed-jwt-secret-previous in vain: add embed-jwt-secret, or take it out.`);
  }
  return { ...found, values: effective, made: madeKeys(people, existing, effective) };
}

interface Context {
  found: SecretsRead;
  /** The values of the instance's own Secret. */
  existing: SecretValues;
  instance: string;
  policy: Policy;
}

interface Given {
  /** The field that names the Secret. */
  field: string;
  /** Absent: the spec names none. */
  secretName?: string | undefined;
  secret: Secret | undefined;
}

/** Returns the values of a Secret that the spec names, or adds to what is found why it cannot be used. */
function decodeGiven(context: Context, { field, secretName, secret }: Given): SecretValues | undefined {
  if (secretName === undefined) return undefined;
  const { found, instance, policy } = context;
  const notMeant = secret && permissionTrouble(field, secret, instance, policy);
  const trouble = notMeant ?? givenTrouble(field, secretName, secret && (secret.data ?? {}));
  // The values that were copied from it are still there; without that, values would be made that nobody wants.
  if (trouble) return void report(found, trouble, !found.lost);
  const remark = givenRemark(field, secretName, Object.keys(secret?.data ?? {}));
  if (remark) found.remarks.push(remark);
  return decoded(secret);
}

/** The same for a Secret of the store, and the keys whose values of before count on. */
function decodeStore(
  { found, existing, instance, policy }: Context,
  { field, secretName, secret }: Given,
  parse: (values: SecretValues) => StoreSecret,
  keys: readonly SecretKey[],
): { values: SecretValues; gone: readonly SecretKey[] } {
  if (secretName === undefined) return { values: {}, gone: [] };
  const { values, problems } = parse(decoded(secret));
  const notMeant = secret && permissionTrouble(field, secret, instance, policy);
  const trouble = notMeant ?? secretTrouble(field, secretName, secret && problems);
  if (!trouble) return { values, gone: [] };
  // Without an address of before, gate and DocBuilder would begin anew in a folder of the node.
  report(
    found,
    trouble,
    keys.every((key) => trimmed(existing[key]) !== ''),
  );
  return { values: {}, gone: keys };
}

/** @param isKept the values last read from the Secret are still there */
function report(found: SecretsRead, trouble: Trouble, isKept: boolean): void {
  if (isKept) found.remarks.push(`${trouble.message} The values last read from it stay in effect.`);
  else found.troubles.push(trouble);
}

function keptLicense(secret: Secret | undefined): Situation['licenseFiles'] {
  const { token, [LICENSE_KEY.removedAt]: removedAt } = decoded(secret);
  return { ...(token && { token }), ...(removedAt && { removedAt }) };
}

function givenLicense(license: SvcInstance['spec']['license'], secret: Secret | undefined): GivenLicense {
  if (!license) return { found: 'nothing-asked' };
  const { secretName, key = 'token' } = license;
  if (!secret) return { found: 'no-secret', secretName };
  const token = decoded(secret)[key]?.trim();
  return token ? { found: 'token', secretName, token } : { found: 'no-key', secretName, key };
}

function decoded(secret: V1Secret | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}
