import type { RequestHandler } from 'express';
import type { Audit } from '../../../src/common/audit.ts';
import { addContext } from '../../../src/common/context.ts';
import type { Authenticator } from './auth.ts';

export interface Authentication {
  authenticator: Authenticator;
  audit: Audit;
}

/** Lets a request pass whose `Authorization` is a known key or a valid JWT (contract: Authentication, DocBuilder). */
export function authenticate({ authenticator, audit }: Authentication): RequestHandler {
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
