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

/** Key ids that may be in a file name. */
export const KID_PATTERN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/;

/**
 * Returns the Ed25519 keys of a JWK Set (RFC 7517 section 5). Other kinds of keys are skipped. A private key, a
 * repeated `kid`, or a set of other kinds only is refused; an empty set is valid.
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

/** Parses a private Ed25519 JWK. */
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

/** Generates a key pair. Its `kid` is the RFC 7638 thumbprint unless given. */
export function generateEd25519(kid?: string): Ed25519PrivateJwk {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: kid ?? thumbprint(x), x, d };
}

/** Returns the public half. */
export function toPublic({ d: _, ...jwk }: Ed25519PrivateJwk): Ed25519PublicJwk {
  return jwk;
}

/** Computes `x` from `d`; undefined when `d` is invalid. */
function publicHalf(jwk: Ed25519PrivateJwk): string | undefined {
  try {
    return createPublicKey(createPrivateKey({ key: { ...jwk }, format: 'jwk' })).export({ format: 'jwk' }).x;
  } catch {
    return undefined;
  }
}

/** Computes an RFC 7638 thumbprint. */
function thumbprint(x: string): string {
  return createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
}

/** Returns the known members of an Ed25519 signature key. */
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

/** `d` is the private half of every asymmetric key (RFC 7518 section 6). */
function isPrivate(key: unknown): boolean {
  return isObject(key) && Object.hasOwn(key, 'd');
}

function problem(text: string): { ok: false; problem: string } {
  return { ok: false, problem: text };
}
