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
  decodeSecret,
  GIVEN_KEYS,
  givenRemark,
  givenTrouble,
  keptTrouble,
  parseBucketSecret,
  parseDatabaseSecret,
  parseGivenSecret,
  permissionTrouble,
} from './given-secrets.ts';
import type { SvcInstance } from './instances.ts';
import type { GivenLicense } from './license.ts';
import { ownershipTrouble, type Trouble } from './live-object.ts';

/** An instance's Secrets: its own and those that its spec names. */
export interface SecretsRead {
  /** Content of `<instance>-license`. */
  keptLicense: Situation['licenseFiles'];
  givenLicense: GivenLicense;
  /** Secret values in force; absent where there is a trouble. */
  values?: SecretValues;
  /** Keys whose values are new. */
  made: SecretKey[];
  /** There is no `<instance>-secrets`. */
  lost: boolean;
  troubles: Trouble[];
  /** For the user; they stop nothing. */
  remarks: string[];
}

type Secret = V1Secret & KubernetesObject;

/** Rejects when a Secret cannot be read: to take it for absent would make new passwords, or end a licence. */
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
  const { postgres, s3 } = storage;
  const named: Named[] = [
    { field: 'spec.secrets.secretName', secretName: secrets?.secretName, parse: parseGivenSecret },
    {
      ...{ field: 'spec.storage.postgres.secretName', secretName: postgres?.secretName, parse: parseDatabaseSecret },
      needed: STORE_KEYS.postgres,
    },
    {
      ...{ field: 'spec.storage.s3.secretName', secretName: s3?.secretName, parse: parseBucketSecret },
      needed: STORE_KEYS.s3,
    },
    { field: 'spec.editor.adminSecretName', secretName: editor.adminSecretName, parse: parseGivenSecret },
  ];
  const [own, ownLicense, token, ...given] = await Promise.all(
    [names.secrets, names.license, license?.secretName, ...named.map(({ secretName }) => secretName)].map(read),
  );
  const ownership = (secret: Secret | undefined) => secret && ownershipTrouble(secret, instance.metadata);
  const found: SecretsRead = {
    keptLicense: ownership(ownLicense) ? {} : keptLicense(ownLicense),
    givenLicense: givenLicense(license, token),
    made: [],
    lost: own === undefined,
    troubles: [own, ownLicense].flatMap((secret) => ownership(secret) ?? []),
    remarks: [],
  };
  const existing = decodeSecret(own?.data);
  const [values, rows, bytes, admin] = named.map((one, index) =>
    decodeGiven(found, existing, instance.metadata.name, policy, one, given[index]),
  );
  const people: GivenSecrets = {
    ...{ values, admin, store: { ...rows, ...bytes } },
    gone: [
      ...(secrets && !values ? GIVEN_KEYS : []),
      ...(postgres && !rows ? STORE_KEYS.postgres : []),
      ...(s3?.secretName !== undefined && !bytes ? STORE_KEYS.s3 : []),
    ],
    allowUnsigned: embed.allowUnsigned,
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

interface Named {
  field: string;
  /** Undefined: the spec names none. */
  secretName: string | undefined;
  parse: typeof parseGivenSecret;
  /** Nothing is applied without a value of these: gate and DocBuilder would begin anew in a folder of the node. */
  needed?: readonly SecretKey[];
}

/** Returns the values of a Secret that the spec names, or adds to `found` why it cannot be used. */
function decodeGiven(
  found: SecretsRead,
  existing: SecretValues,
  instance: string,
  policy: Policy,
  { field, secretName, parse, needed = [] }: Named,
  secret: Secret | undefined,
): SecretValues | undefined {
  if (secretName === undefined) return undefined;
  const { values, problems } = parse(secret?.data ?? {});
  const notMeant = secret && permissionTrouble(field, secret, instance, policy);
  const trouble = notMeant ?? givenTrouble(field, secretName, secret && problems);
  const remark = givenRemark(field, secretName, Object.keys(secret?.data ?? {}));
  // The values copied from it before.
  const isKept = !found.lost && needed.every((key) => trimmed(existing[key]) !== '');
  if (trouble && isKept) found.remarks.push(`${trouble.message} The values last read from it stay in effect.`);
  else if (trouble) found.troubles.push(trouble);
  else if (remark) found.remarks.push(remark);
  return trouble ? undefined : values;
}

function keptLicense(secret: Secret | undefined): Situation['licenseFiles'] {
  const { token, [LICENSE_KEY.removedAt]: removedAt } = decodeSecret(secret?.data);
  return { ...(token && { token }), ...(removedAt && { removedAt }) };
}

function givenLicense(license: SvcInstance['spec']['license'], secret: Secret | undefined): GivenLicense {
  if (!license) return { found: 'nothing-asked' };
  const { secretName, key = 'token' } = license;
  if (!secret) return { found: 'no-secret', secretName };
  const token = decodeSecret(secret.data)[key]?.trim();
  return token ? { found: 'token', secretName, token } : { found: 'no-key', secretName, key };
}
