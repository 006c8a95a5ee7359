import type { RequestHandler } from 'express';
import { AppError } from '../../../src/common/errors.ts';

export interface CorsOptions {
  /** Serialized origins, or `*`. */
  allowedOrigins: readonly string[];
}

/**
 * Lets pages of the allowed origins read answers, and answers preflights (contract: CORS). Comes before all refusals.
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
 * Returns whether a page of this origin may embed. An origin is serialized in one way only (RFC 6454, section 6.2).
 * `null`, the origin of sandboxed frames and local files, could be any page: only `*` allows it. Servers send no origin.
 */
function allowsOrigin(allowed: readonly string[], origin: string | undefined): boolean {
  if (origin === undefined) return true;
  // Other schemes have origins too, such as that of an app's own pages.
  if (allowed.includes('*')) return origin === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\,]+$/.test(origin);
  return allowed.includes(origin);
}
