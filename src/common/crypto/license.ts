import plan from '../../../schemas/plan.json' with { type: 'json' };
import { type JWTPayload, verifyEdDsa } from './jwt.ts';
import type { KeySet, Parsed } from './key-set.ts';

const DAY_MS = 86_400_000;
/** Days of grace after expiry. */
export const LICENSE_GRACE_DAYS = plan.license.grace_days;
const GRACE_MS = LICENSE_GRACE_DAYS * DAY_MS;
/** Seconds by which the issuer's clock may be ahead. */
const CLOCK_TOLERANCE_SECONDS = 300;
/** The last second of the year 9999, the last in ISO 8601 with four digits. */
const MAX_NUMERIC_DATE = 253_402_300_799;

export interface LicenseClaims {
  /** Customer of the licence. */
  sub: string;
  /** Concurrent editing connections. */
  conns: number;
  features: readonly string[];
  /** Epoch milliseconds. */
  issuedAt: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** A licence with a good signature and good claims; it may have expired. */
export interface License {
  kid: string;
  claims: LicenseClaims;
}

export interface LicenseState {
  state: 'none' | 'valid' | 'grace' | 'expired' | 'invalid';
  /** Started days until the grace ends; null outside of it. */
  graceDaysLeft: number | null;
  /** Null in the states none and invalid. */
  claims: LicenseClaims | null;
  /** Message for the administrator. */
  problem: string | null;
}

export const NO_LICENSE: LicenseState = { state: 'none', graceDaysLeft: null, claims: null, problem: null };

export function invalidLicense(problem: string): LicenseState {
  return { state: 'invalid', graceDaysLeft: null, claims: null, problem };
}

/** Returns the state of a licence token at `now` (epoch milliseconds). An empty token is none. */
export async function readLicense(token: string, keys: KeySet, now: number): Promise<LicenseState> {
  if (token === '') return NO_LICENSE;
  const result = await verifyLicense(token, keys, now);
  return result.ok ? licenseState(result.value.claims, now) : invalidLicense(result.problem);
}

/** Checks a token's signature and claims, but not whether it has expired. */
export async function verifyLicense(token: string, keys: KeySet, now: number): Promise<Parsed<License>> {
  const result = await verifyEdDsa(token, keys, now);
  if (result.status === 'invalid') return { ok: false, problem: `the licence is refused: ${result.reason}` };
  const claims = parseClaims(result.payload, now);
  if (typeof claims === 'string') return { ok: false, problem: `the licence is refused: ${claims}` };
  return { ok: true, value: { kid: result.kid, claims } };
}

/**
 * Returns the epoch milliseconds from which `iat` and `nbf` allow a token; undefined where it is refused at any time.
 */
export async function startOfLicense(token: string, keys: KeySet): Promise<number | undefined> {
  const end = MAX_NUMERIC_DATE * 1000;
  const result = await verifyEdDsa(token, keys, end);
  if (result.status === 'invalid') return undefined;
  const claims = parseClaims(result.payload, end);
  if (typeof claims === 'string') return undefined;
  const { nbf = 0 } = result.payload;
  return Math.max(claims.issuedAt - CLOCK_TOLERANCE_SECONDS * 1000, Math.ceil(nbf) * 1000);
}

/**
 * Returns the state at `now`: valid until `exp`, then 30 days of grace, then expired (contract: Plan selection).
 * @param removedAt when the token was removed; its grace begins then
 */
export function licenseState(claims: LicenseClaims, now: number, removedAt = Number.POSITIVE_INFINITY): LicenseState {
  const validUntil = Math.min(claims.expiresAt, removedAt);
  if (now < validUntil) return { state: 'valid', graceDaysLeft: null, claims, problem: null };
  const left = validUntil + GRACE_MS - now;
  if (left <= 0) return { state: 'expired', graceDaysLeft: null, claims, problem: null };
  return { state: 'grace', graceDaysLeft: Math.ceil(left / DAY_MS), claims, problem: null };
}

/** Returns the claims of a verified payload, or their problem. */
function parseClaims({ sub, conns, features, iat, exp }: JWTPayload, now: number): LicenseClaims | string {
  if (typeof sub !== 'string' || sub === '') return '"sub" is not a string';
  if (!Number.isSafeInteger(conns) || (conns as number) < 1) return '"conns" is not a positive integer';
  if (!Array.isArray(features) || !features.every((feature) => typeof feature === 'string')) {
    return '"features" is not a list of strings';
  }
  if (!isNumericDate(iat)) return '"iat" is not a time';
  if (!isNumericDate(exp)) return '"exp" is not a time';
  if (iat - now / 1000 > CLOCK_TOLERANCE_SECONDS) return '"iat" is in the future';
  return {
    sub,
    conns: conns as number,
    features: [...new Set<string>(features)],
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
  };
}

/** NumericDate (RFC 7519 section 2): seconds, with fractions. */
function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_NUMERIC_DATE;
}
