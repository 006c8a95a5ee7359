import { isUtf8 } from 'node:buffer';
import { parseApiKeys } from '../../../src/common/api-keys.ts';
import { secretProblem } from '../../../src/common/crypto/jwt.ts';
import { type SecretKey, trimmed } from '../desired/secrets.ts';
import type { Trouble } from './ownership.ts';

type Check = (value: string) => string | undefined;

/** The checks that the services themselves make at their start. */
const CHECKS: Partial<Record<SecretKey | 'username' | 'password', Check>> = {
  'docbuilder-api-keys': (value) => parseApiKeys(value).mistakes[0],
  'docbuilder-jwt-secret': secretProblem,
  'docbuilder-callback-secret': () => undefined,
  'embed-jwt-secret': secretProblem,
  'embed-jwt-secret-previous': secretProblem,
  'embed-callback-secret': () => undefined,
  'embed-link-secret': () => undefined,
  // RFC 7617: a colon ends it.
  username: (value) => (value.includes(':') ? 'has a colon' : controlCharacters(value)),
  password: controlCharacters,
};

/** The editor's account is called otherwise in the instance's own Secret. */
const KEPT_CHECKS: Readonly<Record<string, Check | undefined>> = {
  ...CHECKS,
  'editor-admin-username': CHECKS.username,
  'editor-admin-password': CHECKS.password,
};

/** RFC 7617 has none; and no variable of a container may have NUL. */
function controlCharacters(value: string): string | undefined {
  return /\p{Cc}/u.test(value) ? 'has control characters' : undefined;
}

/**
 * Why a Secret that the spec names cannot be used. A service that gets a value which it refuses does not start, and the one
 * before it has been ended by then: so it does not get it.
 * @param field that names it
 * @param data as the API has it, base64; undefined: there is no such Secret
 */
export function givenTrouble(
  field: string,
  secretName: string,
  data: Readonly<Record<string, string>> | undefined,
): Trouble | undefined {
  const problems = Object.entries(CHECKS).flatMap(([key, check]) => findProblems(key, data?.[key], check));
  return secretTrouble(field, secretName, data && problems);
}

/** The same from what was found wrong with it. @param problems undefined: there is no such Secret */
export function secretTrouble(
  field: string,
  secretName: string,
  problems: readonly string[] | undefined,
): Trouble | undefined {
  if (!problems) {
    const message = `There is no Secret ${secretName}, which ${field} names: create it.`;
    return { reason: 'SecretNotFound', stalled: true, message };
  }
  if (problems.length === 0) return undefined;
  const message = `Secret ${secretName}, which ${field} names, cannot be used: ${problems.join(', ')}.`;
  return { reason: 'SecretUnusable', stalled: true, message };
}

/**
 * Why the instance's own Secret cannot be used: somebody has changed a value by hand to one that a service refuses.
 * @param keys that count from it
 */
export function keptTrouble(
  secretName: string,
  data: Readonly<Record<string, string>>,
  keys: readonly string[],
): Trouble | undefined {
  const problems = keys.flatMap((key) => findProblems(key, data[key], KEPT_CHECKS[key]));
  if (problems.length === 0) return undefined;
  const message =
    `Secret ${secretName} cannot be used: ${problems.join(', ')}. ` +
    'Correct that, or delete the key to have a value made. Until then all is left as it is.';
  return { reason: 'SecretUnusable', stalled: true, message };
}

function findProblems(key: string, base64: string | undefined, check: Check | undefined): string[] {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (!isUtf8(bytes)) return [`${key} is not UTF-8 text`];
  const value = trimmed(bytes.toString());
  const problem = value === '' ? undefined : check?.(value);
  return problem === undefined ? [] : [`${key} ${problem}`];
}

/** The prefixes of the keys of `spec.secrets`; hardly any other key has them. */
const OURS = /^(docbuilder|embed)-/;
/** The keys of `spec.secrets`. */
export const GIVEN_KEYS = (Object.keys(CHECKS) as SecretKey[]).filter((key) => OURS.test(key));

/**
 * Missing or unused keys of a Secret that the spec names: usually a misspelt key, instead of which a generated value
 * would silently be used.
 * @param keys that it has
 */
export function givenRemark(field: string, secretName: string, keys: readonly string[]): string | undefined {
  const what = `Secret ${secretName}, which ${field} names,`;
  if (field === 'spec.editor.adminSecretName') {
    const missing = ['username', 'password'].filter((key) => !keys.includes(key));
    if (missing.length !== 1) return undefined;
    return `${what} has no ${missing[0]}: add it. Until then the previous or generated one is used.`;
  }
  const strange = keys.filter((key) => OURS.test(key) && !GIVEN_KEYS.some((known) => known === key));
  if (strange.length === 0) return undefined;
  return `${what} has ${strange.join(', ')}, which is not used. Known keys are ${GIVEN_KEYS.join(', ')}.`;
}
