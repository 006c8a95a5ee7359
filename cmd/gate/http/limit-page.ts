import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';

/** The same file that the front serves by itself. */
const PAGE = readFileSync(new URL('../../../ingress/front/limit.html', import.meta.url), 'utf8');
const [, STYLE = ''] = /<style>(.*?)<\/style>/s.exec(PAGE) ?? [];

const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'`;
/** Seconds: a place comes free 120 s after somebody has left. */
const RETRY_AFTER = 120;

/** The page for people who find all places taken: 429, never to be kept (contract: Errors, connection limit). */
export function limitPage(): RequestHandler {
  return (_request, response) => {
    response
      .status(429)
      .set({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Cache-Control': 'no-store',
        'Retry-After': String(RETRY_AFTER),
        'Referrer-Policy': 'no-referrer',
        'X-Content-Type-Options': 'nosniff',
      })
      .send(PAGE);
  };
}
