import { isUtf8 } from 'node:buffer';
import type { V1Secret } from '@kubernetes/client-node';
import { parseApiKeys } from '../../../src/common/api-keys.ts';
import { secretProblem } from '../../../src/common/crypto/jwt.ts';
import { INSTANCE_LABEL } from '../desired/labels.ts';
import { KIND } from '../desired/names.ts';
import { isAllowed } from '../desired/policy.ts';
import { type SecretKey, trimmed } from '../desired/secrets.ts';
import type { Policy, SecretValues } from '../desired/types.ts';
import type { KubernetesObject } from '../k8s/api.ts';
import type { Trouble } from './live-object.ts';

type Check = (value: string) => string | undefined;

/** The checks that the services make at their start. */
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

/** By the keys of the instance's own Secret. */
const KEPT_CHECKS: Readonly<Record<string, Check | undefined>> = {
  ...CHECKS,
  'editor-admin-username': CHECKS.username,
  'editor-admin-password': CHECKS.password,
};

/** RFC 7617 has none, and no variable may have NUL. */
function controlCharacters(value: string): string | undefined {
  return /\p{Cc}/u.test(value) ? 'has control characters' : undefined;
}

interface Parsed {
  /** By the keys of the instance's own Secret, or `username` and `password`. */
  values: SecretValues;
  problems: string[];
}

/** A Secret's `data`, as the API has it: base64. */
type Data = Readonly<Record<string, string>>;

/** Reads the Secret of `spec.secrets` or `spec.editor.adminSecretName`. A value that a service refuses would keep it from starting. */
export function parseGivenSecret(data: Data): Parsed {
  const problems = Object.entries(CHECKS).flatMap(([key, check]) => findProblems(key, data[key], check));
  return { values: decodeSecret(data), problems };
}

/** Why a Secret that the spec names cannot be used. @param problems undefined: there is no such Secret */
export function givenTrouble(
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

export function decodeSecret(data: Data = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

/** Why the instance's own Secret cannot be used. @param keys whose values are in use */
export function keptTrouble(secretName: string, data: Data, keys: readonly string[]): Trouble | undefined {
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

/** Prefixes of the keys of `spec.secrets`. */
const OURS = /^(docbuilder|embed)-/;
/** The keys of `spec.secrets`. */
export const GIVEN_KEYS = (Object.keys(CHECKS) as SecretKey[]).filter((key) => OURS.test(key));

/** Names missing or unused keys of a Secret that the spec names, which are mostly misspelt. @param keys that it has */
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

/** First the name of AWS' tools and ObjectBucketClaims, then that of CloudNativePG's backups. */
const ACCESS_KEY = ['AWS_ACCESS_KEY_ID', 'ACCESS_KEY_ID'] as const;
const SECRET_KEY = ['AWS_SECRET_ACCESS_KEY', 'ACCESS_SECRET_KEY'] as const;

/** Reads the address of a database: `uri`, or its parts, as in the Secrets of CloudNativePG. */
export function parseDatabaseSecret(data: Data): Parsed {
  const given = decodeSecret(data);
  const value = (key: string): string => trimmed(given[key]);
  const uri = withPassword(value('uri'), value) || composeUri(value);
  if (uri === undefined) return { values: {}, problems: ['has neither uri nor host'] };
  const isUsable = /^postgres(ql)?:\/\/./.test(uri) && URL.canParse(uri);
  // The message has no password.
  const problems = isUsable ? [] : ['uri is no address such as postgresql://user:password@host:5432/name'];
  return { values: isUsable ? { 'database-url': uri } : {}, problems };
}

/** Reads an access key of an object store. */
export function parseBucketSecret(data: Data): Parsed {
  const given = decodeSecret(data);
  const [id, secret] = [ACCESS_KEY, SECRET_KEY].map((names) =>
    names.map((name) => trimmed(given[name])).find((value) => value !== ''),
  );
  const problems = [
    ...(id === undefined ? [`has no ${ACCESS_KEY.join(' or ')}`] : []),
    ...(secret === undefined ? [`has no ${SECRET_KEY.join(' or ')}`] : []),
  ];
  if (id === undefined || secret === undefined) return { values: {}, problems };
  return { values: { 's3-access-key-id': id, 's3-secret-access-key': secret }, problems };
}

/** CloudNativePG leaves `uri` as it was when somebody changes `password` in its Secret. */
function withPassword(uri: string, value: (key: string) => string): string {
  const [url, user, password] = [URL.parse(uri), value('user') || value('username'), value('password')];
  if (!url || password === '' || decoded(url.username) !== user || decoded(url.password) === password) return uri;
  url.password = encodeURIComponent(password);
  return url.href;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function composeUri(value: (key: string) => string): string | undefined {
  const host = value('host');
  if (host === '') return undefined;
  const [user, password, port] = [value('user') || value('username'), value('password'), value('port')];
  const login = password ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}` : encodeURIComponent(user);
  const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `postgresql://${login && `${login}@`}${address}${port && `:${port}`}/${encodeURIComponent(value('dbname'))}`;
}

/** Type of a Secret that every instance of its namespace may use. */
const TYPE = 'svc.internal/secrets';

/**
 * Why an instance may not use a Secret. Authors of specs choose the pods' images too, and could otherwise read any Secret.
 * @param field that names the Secret
 */
export function permissionTrouble(
  field: string,
  secret: V1Secret & KubernetesObject,
  instance: string,
  policy: Policy,
): Trouble | undefined {
  const { name, labels, ownerReferences = [] } = secret.metadata;
  const others = ownerReferences.some(({ kind, controller }) => kind === KIND && controller);
  const meant = secret.type === TYPE || labels?.[INSTANCE_LABEL] === instance || isAllowed(policy, 'secrets', name);
  if (meant && !others) return undefined;
  const message = others
    ? `Secret ${name}, which ${field} names, belongs to another ${KIND}: name one of your own.`
    : `Secret ${name}, which ${field} names, does not say that it is for this instance: ` +
      `kubectl label secret ${name} ${INSTANCE_LABEL}=${instance}, or create it with --type=${TYPE}.`;
  return { reason: 'SecretNotMeant', stalled: true, message };
}
