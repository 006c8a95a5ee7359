import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { isObject } from '../is-object.ts';

/** An Ed25519 public key as a JWK (RFC 8037 section 2). `x` is base64url. */
export interface Ed25519PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  alg: 'EdDSA';
  use: 'sig';
}

/** Its private half: `d` is the secret. */
export interface Ed25519PrivateJwk extends Ed25519PublicJwk {
  d: string;
}

/** Public keys by their `kid`. */
export type KeySet = ReadonlyMap<string, Ed25519PublicJwk>;

export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Names of keys that are safe in a file name as well. */
export const KID_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;

/**
 * The Ed25519 keys of a JWK Set (RFC 7517 section 5). Keys of other kinds are skipped as the RFC wants; a private key
 * or a `kid` that stands twice spoils the set, and so does having nothing but such other keys. A set of no keys at all
 * is one: nobody is trusted.
 */
export function parseKeySet(text: string): Parsed<KeySet> {
  const set = parseJson(text) as { keys?: unknown } | undefined;
  if (isPrivate(set)) return problem('it is a private key');
  const keys = set?.keys;
  if (!Array.isArray(keys)) return problem('it is not a JWK Set');
  const found = new Map<string, Ed25519PublicJwk>();
  for (const key of keys) {
    if (isPrivate(key)) return problem('it holds a private key');
    const jwk = publicJwk(key);
    if (!jwk) continue;
    if (found.has(jwk.kid)) return problem(`it has two keys with the kid ${jwk.kid}`);
    found.set(jwk.kid, jwk);
  }
  if (keys.length > 0 && found.size === 0) return problem('it has no Ed25519 key with a kid');
  return { ok: true, value: found };
}

/** One private Ed25519 JWK, its two halves a pair. */
export function parsePrivateKey(text: string): Parsed<Ed25519PrivateJwk> {
  const key = parseJson(text);
  const jwk = publicJwk(key);
  const d = isObject(key) ? key['d'] : undefined;
  if (!jwk || !is32Bytes(d)) return problem('it is not a private Ed25519 JWK with a kid');
  const own = { ...jwk, d };
  return publicHalf(own) === jwk.x
    ? { ok: true, value: own }
    : problem('its public half is not that of its private one');
}

/** A new key pair. Its `kid` is the RFC 7638 thumbprint unless one is given. */
export function generateEd25519(kid?: string): Ed25519PrivateJwk {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: kid ?? thumbprint(x), x, d };
}

/** The public half of a key. */
export function toPublic({ d: _, ...jwk }: Ed25519PrivateJwk): Ed25519PublicJwk {
  return jwk;
}

/** `x` as it follows from `d`; undefined when `d` is no key. */
function publicHalf(jwk: Ed25519PrivateJwk): string | undefined {
  try {
    return createPublicKey(createPrivateKey({ key: { ...jwk }, format: 'jwk' })).export({ format: 'jwk' }).x;
  } catch {
    return undefined;
  }
}

/** RFC 7638 section 3: SHA-256 over the required members in the order of their names. */
function thumbprint(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

/** The key if it is an Ed25519 key for signatures; nothing but the members that are known. */
function publicJwk(key: unknown): Ed25519PublicJwk | undefined {
  if (!isObject(key)) return undefined;
  const { kty, crv, x, kid, alg = 'EdDSA', use = 'sig' } = key;
  if (kty !== 'OKP' || crv !== 'Ed25519' || alg !== 'EdDSA' || use !== 'sig') return undefined;
  if (!is32Bytes(x) || typeof kid !== 'string' || kid === '') return undefined;
  return { kty, crv, alg, use, kid, x };
}

function is32Bytes(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `d` is the secret half of every kind of key but a symmetric one (RFC 7518 section 6). */
function isPrivate(key: unknown): boolean {
  return isObject(key) && Object.hasOwn(key, 'd');
}

function problem(text: string): { ok: false; problem: string } {
  return { ok: false, problem: text };
}
