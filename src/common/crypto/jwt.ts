import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Ed25519PrivateJwk, KeySet } from './key-set.ts';

export type { JWTPayload } from 'jose';

/** Default limit of a token's length. */
export const MAX_TOKEN_BYTES = 8192;
/** Least length of an HS256 secret (contract: Authentication; RFC 7518 section 3.2). */
const MIN_SECRET_LENGTH = 32;

/** Seconds that `exp` may lie ahead (contract: Authentication). */
const MAX_LIFETIME_SECONDS = 24 * 3600;
/** Clock skew, both ways; the contract has it for DocBuilder only. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** Problem of a token, for programs. */
export type JwtProblem =
  | 'malformed'
  | 'algorithm'
  | 'signature'
  | 'exp_missing'
  | 'exp_too_far'
  | 'not_yet_valid'
  | 'claims';
/** `reason` is for the operator's log. */
export type InvalidJwt = { status: 'invalid'; problem: JwtProblem; reason: string };
export type Hs256Result = { status: 'ok'; payload: JWTPayload } | { status: 'expired' } | InvalidJwt;

export interface Hs256Options {
  /** The current secret, then an old one during rotation. */
  secrets: readonly string[];
  maxTokenBytes?: number;
}

/** Checks a token at `now` (epoch milliseconds). Does not reject. */
export type Hs256Verifier = (token: string, now: number) => Promise<Hs256Result>;

/**
 * Creates a verifier of HS256 JWTs (RFC 7519): `exp` is required and at most 24 hours ahead, `nbf` and `iat` may not
 * lie in the future, and keys that the token names are ignored.
 * @throws {TypeError} when there is no secret, or one is too short or a PEM document
 */
export function createHs256Verifier(options: Hs256Options): Hs256Verifier {
  if (options.secrets.length === 0) throw new TypeError('an HS256 verifier needs a secret');
  const keys = options.secrets.map(secretKey);
  const maxTokenBytes = options.maxTokenBytes ?? MAX_TOKEN_BYTES;

  return async (token, now) => {
    let result = invalid('malformed', 'it is not a JWT');
    if (!isCompactJws(token, maxTokenBytes)) return result;
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          requiredClaims: ['exp'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(now),
        });
        return checkTimes(payload, now / 1000);
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { status: 'expired' };
        result = invalid(toProblem(error), describeReason(error));
        // Only a signature that does not fit may be another secret's.
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break;
      }
    }
    return result;
  };
}

/** Checks the lifetime and the time of issue, which jose does not bound. */
function checkTimes(payload: JWTPayload, seconds: number): Hs256Result {
  const { exp = Number.POSITIVE_INFINITY, iat = 0 } = payload;
  if (exp - seconds > MAX_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS)
    return invalid('exp_too_far', '"exp" is too far ahead');
  if (iat - seconds > CLOCK_TOLERANCE_SECONDS) return invalid('not_yet_valid', '"iat" is in the future');
  return { status: 'ok', payload };
}

/** Returns the problem of an HS256 secret. */
export function secretProblem(secret: string): string | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return `has fewer than ${MIN_SECRET_LENGTH} characters`;
  // A PEM document as a secret is most likely a public key: known to everybody.
  if (/-----BEGIN [A-Z ]+-----/.test(secret)) return 'is a PEM document';
  return undefined;
}

/** Returns the mistakes of an optional secret. */
export function secretMistakes(secret: string): string[] {
  const problem = secret === '' ? undefined : secretProblem(secret);
  return problem === undefined ? [] : [problem];
}

function secretKey(secret: string): KeyObject {
  const problem = secretProblem(secret);
  if (problem !== undefined) throw new TypeError(`an HS256 secret that ${problem}`);
  return createSecretKey(secret, 'utf8');
}

/** `expired` is a genuine token past its `exp`. */
export type EdDsaResult = { status: 'ok' | 'expired'; kid: string; payload: JWTPayload } | InvalidJwt;

/**
 * Verifies a JWT signed with Ed25519 (`alg` EdDSA, RFC 8037) by that key of `keys` which its `kid` names.
 * @param now epoch milliseconds
 */
export async function verifyEdDsa(token: string, keys: KeySet, now: number): Promise<EdDsaResult> {
  if (!isCompactJws(token)) return invalid('malformed', 'it is not a JWT');
  let kid = '';
  try {
    const { payload } = await jwtVerify(
      token,
      (header) => {
        const jwk = typeof header.kid === 'string' ? keys.get(header.kid) : undefined;
        if (!jwk) throw new errors.JWKSNoMatchingKey('its "kid" names no key of the key set');
        kid = jwk.kid;
        return importJWK({ ...jwk }, 'EdDSA');
      },
      { algorithms: ['EdDSA'], requiredClaims: ['exp'], currentDate: new Date(now) },
    );
    return { status: 'ok', kid, payload };
  } catch (error) {
    // Claims are looked at only once the signature has been found good.
    if (error instanceof errors.JWTExpired) return { status: 'expired', kid, payload: error.payload };
    return invalid(toProblem(error), describeReason(error));
  }
}

/** Returns a JWT over `claims`, signed with Ed25519; its header names the key. */
export async function signEdDsa(claims: JWTPayload, jwk: Ed25519PrivateJwk): Promise<string> {
  const key = await importJWK({ ...jwk }, 'EdDSA');
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid }).sign(key);
}

/** Returns a JWT as `createHs256Verifier` accepts it. @param claims with `exp` */
export function signHs256(claims: JWTPayload, secret: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(secretKey(secret));
}

/**
 * Returns whether a token is three parts of unpadded base64url (RFC 7515 section 7.1), and its signature in canonical
 * form, which decoders do not check.
 */
function isCompactJws(token: string, maxBytes = MAX_TOKEN_BYTES): boolean {
  if (token.length > maxBytes) return false;
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

function invalid(problem: JwtProblem, reason: string): InvalidJwt {
  return { status: 'invalid', problem, reason };
}

function toProblem(error: unknown): JwtProblem {
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'malformed';
  if (error.claim === 'exp') return 'exp_missing';
  return error.claim === 'nbf' && error.reason === 'check_failed' ? 'not_yet_valid' : 'claims';
}

/** jose's messages name claims and header parameters, never their values. */
function describeReason(error: unknown): string {
  return error instanceof errors.JOSEError ? error.message : 'it or its key is malformed';
}
