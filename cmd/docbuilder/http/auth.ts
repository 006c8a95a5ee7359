import type { RequestHandler } from 'express';
import type { ApiKeys } from '../../../src/common/api-keys.ts';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { addContext } from '../../../src/common/context.ts';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { createHs256Verifier } from '../../../src/common/crypto/jwt.ts';
import { AppError, type ErrorDetail } from '../../../src/common/errors.ts';

/**
 * Finds the caller by the value of the `Authorization` header: the key's name or the JWT's `sub`, for logs.
 * @throws {AppError} `unauthorized`, `token_expired`
 */
export type Authenticator = (authorization: string | undefined) => Promise<string>;

export interface AuthHandlers {
  authenticator: Authenticator;
  audit: Audit;
}

const MAX_LABEL = 128;

/** Lets a request pass whose `Authorization` is a known key or a valid JWT (contract: Authentication, DocBuilder). */
export function authenticate({ authenticator, audit }: AuthHandlers): RequestHandler {
  return async (request, _response, next) => {
    const caller = await authenticator(request.headers.authorization).catch((error) => {
      if (error instanceof AppError) {
        const { code, detail } = error;
        audit.record('auth.refused', { code, reason: String(detail['reason'] ?? ''), path: request.path });
      }
      throw error;
    });
    addContext({ caller });
    next();
  };
}

/**
 * Checks `Bearer` with an API key or an HS256 JWT. Refusals are 401 `unauthorized` with `reason` missing, invalid or
 * no_keys_configured, and `token_expired`.
 * @param options.jwtSecret empty: no JWTs are taken
 * @throws {TypeError} when the JWT secret is too short
 */
export function createAuthenticator({
  keys,
  jwtSecret,
  clock,
}: {
  keys: ApiKeys;
  jwtSecret: string;
  clock: Clock;
}): Authenticator {
  const verify = jwtSecret === '' ? undefined : createHs256Verifier({ secrets: [jwtSecret] });

  async function authenticateJwt(token: string): Promise<string> {
    if (!verify) throw unauthorized('invalid', 'a JWT, and no secret is configured');
    const result = await verify(token, clock());
    switch (result.status) {
      case 'ok':
        return toLabel(result.payload.sub);
      case 'expired':
        throw refusal('token_expired', {});
      case 'invalid':
        throw unauthorized('invalid', `the JWT is refused: ${result.reason}`);
    }
  }

  return async (authorization) => {
    // First, because it tells the administrator what no credentials could change.
    if (keys.length === 0 && !verify) throw unauthorized('no_keys_configured');
    const value = parseBearer(authorization);
    if (value === undefined) throw unauthorized('missing');
    if (value.split('.').length === 3) return authenticateJwt(value);
    const name = findKeyName(keys, value);
    if (name === undefined) throw unauthorized('invalid');
    return name;
  };
}

/** The credentials of the scheme Bearer, whose name is case-insensitive (RFC 9110 section 11.1). */
function parseBearer(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S.*)$/is.exec(authorization?.trim() ?? '')?.[1];
}

/** Looks at every key, so that the time taken tells neither which one fitted nor how far. */
function findKeyName(keys: ApiKeys, value: string): string | undefined {
  let found: string | undefined;
  for (const { name, key } of keys) {
    if (equalStrings(key, value)) found = name;
  }
  return found;
}

/** `sub` is whatever the signer wrote; it only labels log lines. */
function toLabel(sub: unknown): string {
  return typeof sub === 'string' && sub !== '' ? sub.slice(0, MAX_LABEL) : 'jwt';
}

function unauthorized(reason: 'missing' | 'invalid' | 'no_keys_configured', cause?: string): AppError {
  return refusal('unauthorized', { reason }, cause);
}

function refusal(code: 'unauthorized' | 'token_expired', detail: ErrorDetail, cause?: string): AppError {
  return new AppError(code, detail, { cause, headers: { 'WWW-Authenticate': 'Bearer' } });
}
