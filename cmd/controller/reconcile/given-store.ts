import type { SecretKey } from '../desired/secrets.ts';
import { trimmed } from '../desired/secrets.ts';
import type { SecretValues } from '../desired/types.ts';

/** The values of a Secret of a store by the keys of the instance's own, and what is wrong with them. */
export interface StoreSecret {
  values: Partial<Record<SecretKey, string>>;
  problems: string[];
}

/** The first name of each is that of AWS' tools and of ObjectBucketClaims, the second that of CloudNativePG's backups. */
const ACCESS_KEY = ['AWS_ACCESS_KEY_ID', 'ACCESS_KEY_ID'] as const;
const SECRET_KEY = ['AWS_SECRET_ACCESS_KEY', 'ACCESS_SECRET_KEY'] as const;

/** Reads the address of a database: `uri`, or its parts, as in the Secrets of CloudNativePG. */
export function parseDatabaseSecret(given: SecretValues): StoreSecret {
  const value = (key: string): string => trimmed(given[key]);
  const uri = withPassword(value('uri'), value) || composeUri(value);
  if (uri === undefined) return { values: {}, problems: ['has neither uri nor host'] };
  const isUsable = /^postgres(ql)?:\/\/./.test(uri) && URL.canParse(uri);
  // Its value is not told: there is a password in it.
  if (!isUsable)
    return { values: {}, problems: ['uri is no address such as postgresql://user:password@host:5432/name'] };
  return { values: { 'database-url': uri }, problems: [] };
}

/** Reads an access key of an object store. */
export function parseBucketSecret(given: SecretValues): StoreSecret {
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

/** CloudNativePG gives the database the `password` that somebody writes into its Secret, and leaves `uri` as it was. */
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
