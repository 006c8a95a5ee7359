import type { RequestHandler } from 'express';
import type { ApiKeys } from '../../../src/common/api-keys.ts';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { addContext } from '../../../src/common/context.ts';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { createHs256Verifier } from '../../../src/common/crypto/jwt.ts';
import { AppError, type ErrorDetail } from '../../../src/common/errors.ts';

/**
 * Returns the name of the caller, for logs, from the value of `Authorization`: the key's name or the JWT's `sub`.
 * @throws {AppError} `unauthorized`, `token_expired`
 */
type Authenticator = (authorization: string | undefined) => Promise<string>;

export interface AuthHandlers {
  authenticator: Authenticator;
  audit: Audit;
}

const MAX_LABEL = 128;

/** Lets a request pass whose `Authorization` is a known key or a valid JWT (contract: Authentication, DocBuilder). */
export function authenticate({ authenticator, audit }: AuthHandlers): RequestHandler {
  return async (request, response, next) => {
    const caller = await authenticator(request.headers.authorization).catch((error) => {
      if (error instanceof AppError) {
        const { code, detail } = error;
        audit.record('auth.refused', { code, reason: String(detail['reason'] ?? ''), path: request.path });
      }
      throw error;
    });
    // The client has gone meanwhile: whatever waits for this response to close would wait for ever.
    if (response.destroyed) return;
    addContext({ caller });
    next();
  };
}

/**
 * Checks `Bearer` with an API key or an HS256 JWT.
 * @param options.jwtSecret empty: JWTs are refused
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
    if (result.status === 'expired') throw refusal('token_expired', {});
    if (result.status === 'invalid') throw unauthorized('invalid', `the JWT is refused: ${result.reason}`);
    const { sub } = result.payload;
    return typeof sub === 'string' && sub !== '' ? sub.slice(0, MAX_LABEL) : 'jwt';
  }

  return async (authorization) => {
    // First: no credentials change it, and the administrator has to know.
    if (keys.length === 0 && !verify) throw unauthorized('no_keys_configured');
    // The scheme's name is case-insensitive (RFC 9110 section 11.1).
    const value = /^Bearer +(\S.*)$/is.exec(authorization?.trim() ?? '')?.[1];
    if (value === undefined) throw unauthorized('missing');
    if (value.split('.').length === 3) return authenticateJwt(value);
    // All keys are compared, so the time tells nothing about the one that fits.
    const [found] = keys.filter(({ key }) => equalStrings(key, value));
    if (!found) throw unauthorized('invalid');
    return found.name;
  };
}

function unauthorized(reason: 'missing' | 'invalid' | 'no_keys_configured', cause?: string): AppError {
  return refusal('unauthorized', { reason }, cause);
}

function refusal(code: 'unauthorized' | 'token_expired', detail: ErrorDetail, cause?: string): AppError {
  return new AppError(code, detail, { cause, headers: { 'WWW-Authenticate': 'Bearer' } });
}
