import type { RequestHandler } from 'express';
import { AppError } from '../../../src/common/errors.ts';

export interface CorsOptions {
  /** Serialized origins, or `*`. */
  allowedOrigins: readonly string[];
}

/**
 * Lets pages of the allowed origins read what the gate answers, errors too, and answers every preflight (contract:
 * CORS). Stands before all that may refuse a request.
 */
export function cors({ allowedOrigins }: CorsOptions): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.vary('Origin');
    if (origin !== undefined && allowsOrigin(allowedOrigins, origin)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
    }
    if (request.method !== 'OPTIONS') return next();
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization');
    response.setHeader('Access-Control-Max-Age', '600');
    response.status(204).end();
  };
}

/** Refuses pages of other origins; who sends no Origin is no page (contract: Authentication, Embedding gate). */
export function requireOrigin({ allowedOrigins }: CorsOptions): RequestHandler {
  return (request, _response, next) => {
    const { origin } = request.headers;
    // The page's own origin may be told: whoever embeds it wrongly finds it in the browser's console.
    if (!allowsOrigin(allowedOrigins, origin)) throw new AppError('origin_not_allowed', { origin: origin ?? null });
    next();
  };
}

/**
 * Returns true if a page of this origin may embed (contract: Authentication, Embedding gate). The Origin header is
 * compared as it is: it writes an origin in one way only (RFC 6454, section 6.2). `null`, the origin of sandboxed
 * frames and local files, says nothing about who asks, so that only `*` lets it in.
 * @param allowed serialized origins, or `*`
 * @param origin the header `Origin`; servers send none and are let in
 */
function allowsOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (allowed.includes('*')) return origin === 'null' || isSerialized(origin);
  return allowed.includes(origin);
}

/** Other schemes have origins too, such as that of an app's own pages. */
function isSerialized(origin: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/.test(origin);
}
