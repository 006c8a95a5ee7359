import type { V1Secret } from '@kubernetes/client-node';
import { LICENSE_KEY } from '../desired/license.ts';
import { namesOf } from '../desired/names.ts';
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
import { meantTrouble } from './meant.ts';
import { ownershipTrouble, type Trouble } from './ownership.ts';

/** What an instance's Secrets hold, its own and those that its spec names. */
export interface SecretsRead {
  /** What its own Secret of the licence says was in force until now. */
  keptLicense: Situation['licenseFiles'];
  givenLicense: GivenLicense;
  /** Secret values in force; absent when a trouble forbids to make any. */
  values?: SecretValues;
  /** Keys whose values are new, and nowhere but in `values` yet. */
  made: SecretKey[];
  /** Its own Secret is not there. */
  lost: boolean;
  troubles: Trouble[];
  /** What should be known, and stops nothing. */
  remarks: string[];
}

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
  const names = namesOf(name);
  const read = async (secretName: string | undefined) =>
    secretName === undefined
      ? undefined
      : client.get<V1Secret & KubernetesObject>(RESOURCES.secret, namespace, secretName);
  const [own, ownLicense, given, admin, token] = await Promise.all(
    [names.secrets, names.license, secrets?.secretName, editor?.adminSecretName, license?.secretName].map(read),
  );

  const troubles = [own, ownLicense].flatMap((secret) => (secret && ownershipTrouble(secret, instance.metadata)) ?? []);
  const { token: keptToken, [LICENSE_KEY.removedAt]: removedAt } = decoded(ownLicense);
  const found: SecretsRead = {
    keptLicense: {
      ...(keptToken && { token: keptToken }),
      ...(removedAt && { removedAt }),
    },
    givenLicense: givenLicense(license, token),
    made: [],
    lost: own === undefined,
    troubles,
    remarks: [],
  };
  const usable = (field: string, secretName: string | undefined, secret: (V1Secret & KubernetesObject) | undefined) => {
    const foreign = secret && meantTrouble(field, secret, name, policy);
    const trouble =
      secretName === undefined
        ? undefined
        : (foreign ?? givenTrouble(field, secretName, secret && (secret.data ?? {})));
    if (!trouble) {
      const remark = secretName && givenRemark(field, secretName, Object.keys(secret?.data ?? {}));
      if (remark) found.remarks.push(remark);
      return secret && decoded(secret);
    }
    // What was copied from it is still there; without that, values would be made that nobody wants.
    if (own) found.remarks.push(`${trouble.message} The values last read from it stay in effect.`);
    else troubles.push(trouble);
    return undefined;
  };
  const values = usable('spec.secrets.secretName', secrets?.secretName, given);
  const people: GivenSecrets = {
    values,
    valuesGone: secrets !== undefined && values === undefined,
    admin: usable('spec.editor.adminSecretName', editor?.adminSecretName, admin),
    allowUnsigned: embed?.allowUnsigned,
  };
  if (troubles.length > 0) return found;
  const existing = decoded(own);
  const effective = effectiveSecrets(people, existing, random);
  const kept = Object.keys(effective).filter((key) => effective[key] === trimmed(existing[key]));
  const unusable = own && keptTrouble(names.secrets, own.data ?? {}, kept);
  if (unusable) return { ...found, troubles: [unusable] };
  const alone = trimmed(values?.['embed-jwt-secret-previous']) && !effective['embed-jwt-secret-previous'];
  if (alone) {
    const what = `Secret ${secrets?.secretName}, which spec.secrets.secretName names,`;
    found.remarks.push(`${what} has embed-jwt-secret-previous in vain: add embed-jwt-secret, or take it out.`);
  }
  return { ...found, values: effective, made: madeKeys(people, existing, effective) };
}

function givenLicense(
  license: SvcInstance['spec']['license'],
  secret: (V1Secret & KubernetesObject) | undefined,
): GivenLicense {
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
