import type { RequestHandler } from 'express';
import type { ApiKeys } from '../../../src/common/api-keys.ts';
import type { Audit } from '../../../src/common/audit.ts';
import type { Clock } from '../../../src/common/clock.ts';
import { addContext } from '../../../src/common/context.ts';
import { equalStrings } from '../../../src/common/crypto/equal.ts';
import { createHs256Verifier } from '../../../src/common/crypto/jwt.ts';
import { AppError, type ErrorDetail } from '../../../src/common/errors.ts';

/** The sender of a request; `name` is the key's name or the JWT's `sub`, for logs. */
interface Caller {
  kind: 'key' | 'jwt';
  name: string;
}

type Authentication = { ok: true; caller: Caller } | { ok: false; error: AppError };

interface Authenticator {
  /** @param authorization the value of the `Authorization` header */
  authenticate(authorization: string | undefined): Promise<Authentication>;
}

export interface AuthHandlers {
  authenticator: Authenticator;
  audit: Audit;
}

const MAX_LABEL = 128;

/** Lets a request pass whose `Authorization` is a known key or a valid JWT (contract: Authentication, DocBuilder). */
export function authenticate({ authenticator, audit }: AuthHandlers): RequestHandler {
  return async (request, _response, next) => {
    const result = await authenticator.authenticate(request.headers.authorization);
    if (!result.ok) {
      const { code, detail } = result.error;
      audit.record('auth.refused', { code, reason: String(detail['reason'] ?? ''), path: request.path });
      throw result.error;
    }
    addContext({ caller: result.caller.name });
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

  async function authenticateJwt(token: string): Promise<Authentication> {
    if (!verify) return unauthorized('invalid', 'a JWT, and no secret is configured');
    const result = await verify(token, clock());
    switch (result.status) {
      case 'ok':
        return { ok: true, caller: { kind: 'jwt', name: toLabel(result.payload.sub) } };
      case 'expired':
        return refuse('token_expired', {});
      case 'invalid':
        return unauthorized('invalid', `the JWT is refused: ${result.reason}`);
    }
  }

  return {
    authenticate: async (authorization) => {
      // First, because it tells the administrator what no credentials could change.
      if (keys.length === 0 && !verify) return unauthorized('no_keys_configured');
      const value = parseBearer(authorization);
      if (value === undefined) return unauthorized('missing');
      if (value.split('.').length === 3) return authenticateJwt(value);
      const name = findKeyName(keys, value);
      return name === undefined ? unauthorized('invalid') : { ok: true, caller: { kind: 'key', name } };
    },
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

function unauthorized(reason: 'missing' | 'invalid' | 'no_keys_configured', cause?: string): Authentication {
  return refuse('unauthorized', { reason }, cause);
}

function refuse(code: 'unauthorized' | 'token_expired', detail: ErrorDetail, cause?: string): Authentication {
  return { ok: false, error: new AppError(code, detail, { cause, headers: { 'WWW-Authenticate': 'Bearer' } }) };
}
