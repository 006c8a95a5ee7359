import type { V1Secret } from '@kubernetes/client-node';
import type { Policy } from '../desired/allowed.ts';
import { LICENSE_KEY } from '../desired/license.ts';
import { objectNames } from '../desired/names.ts';
import {
  effectiveSecrets,
  type GivenSecrets,
  madeKeys,
  type Random,
  type SecretKey,
  trimmed,
} from '../desired/secrets.ts';
import type { SecretValues, Settings, Situation } from '../desired/types.ts';
import { RESOURCES } from '../k8s/resources.ts';
import type { Client, KubernetesObject } from '../k8s/types.ts';
import { givenRemark, givenTrouble, keptTrouble } from './given-secrets.ts';
import type { SvcInstance } from './instances.ts';
import type { GivenLicense } from './license.ts';
import { ownershipTrouble, type Trouble } from './ownership.ts';
import { permissionTrouble } from './secret-permission.ts';

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
  const { license, secrets, editor, embed } = instance.spec;
  const names = objectNames(name);
  const read = async (secretName: string | undefined) =>
    secretName === undefined ? undefined : client.get<Secret>(RESOURCES.secret, namespace, secretName);
  const [own, ownLicense, given, admin, token] = await Promise.all(
    [names.secrets, names.license, secrets?.secretName, editor?.adminSecretName, license?.secretName].map(read),
  );
  const found: SecretsRead = {
    keptLicense: keptLicense(ownLicense),
    givenLicense: givenLicense(license, token),
    made: [],
    lost: own === undefined,
    troubles: [own, ownLicense].flatMap((secret) => (secret && ownershipTrouble(secret, instance.metadata)) ?? []),
    remarks: [],
  };
  const decode = (field: string, secretName: string | undefined, secret: Secret | undefined) =>
    secretName === undefined ? undefined : decodeGiven(found, { field, secretName, secret, instance: name, policy });
  const values = decode('spec.secrets.secretName', secrets?.secretName, given);
  const people: GivenSecrets = {
    values,
    valuesGone: secrets !== undefined && values === undefined,
    admin: decode('spec.editor.adminSecretName', editor?.adminSecretName, admin),
    allowUnsigned: embed?.allowUnsigned,
  };
  if (found.troubles.length > 0) return found;
  const existing = decoded(own);
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

interface Given {
  /** That names the Secret. */
  field: string;
  secretName: string;
  secret: Secret | undefined;
  instance: string;
  policy: Policy;
}

/** Returns the values of a Secret that the spec names, or adds to `found` why it cannot be used. */
function decodeGiven(
  found: SecretsRead,
  { field, secretName, secret, instance, policy }: Given,
): Record<string, string> | undefined {
  const notMeant = secret && permissionTrouble(field, secret, instance, policy);
  const trouble = notMeant ?? givenTrouble(field, secretName, secret && (secret.data ?? {}));
  if (!trouble) {
    const remark = givenRemark(field, secretName, Object.keys(secret?.data ?? {}));
    if (remark) found.remarks.push(remark);
    return decoded(secret);
  }
  // The values that were copied from it are still there; without that, values would be made that nobody wants.
  if (found.lost) found.troubles.push(trouble);
  else found.remarks.push(`${trouble.message} The values last read from it stay in effect.`);
  return undefined;
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
